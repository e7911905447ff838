#include "kube/base/environment.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace kube::base {

Environment ProcessEnvironment() {
  Environment environment;
  environment.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value ? value : "");
  };
  return environment;
}

// The system's own table of users needs shared libraries, which a static binary does not have.
std::string UserName(const Environment& environment) {
  for (const char* name : {"USER", "LOGNAME"}) {
    if (std::string user = environment.variable(name); !user.empty()) return user;
  }
  return "uid-" + std::to_string(geteuid());
}

std::int64_t ProcessNumber() { return getpid(); }

std::string HostName() {
  std::array<char, 256> name{};
  const bool is_known = gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return is_known ? name.data() : "localhost";
}

}  // namespace kube::base
