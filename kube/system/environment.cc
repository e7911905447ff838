#include "kube/system/environment.h"

#include <unistd.h>

#include <array>
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

std::string HostName() {
  std::array<char, 256> name{};
  const bool is_known = gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return is_known ? name.data() : "localhost";
}

}  // namespace kube::system
