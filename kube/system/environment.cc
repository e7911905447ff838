#include "kube/system/environment.h"

#include <cstdlib>

namespace kube::system {

Environment ProcessEnvironment() {
  Environment environment;
  environment.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value ? value : "");
  };
  return environment;
}

}  // namespace kube::system
