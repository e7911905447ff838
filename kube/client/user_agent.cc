#include "kube/client/user_agent.h"

namespace kube::client {
namespace {

// As Go names them: runtime.GOOS and runtime.GOARCH. krew/build.sh builds for two.
constexpr std::string_view kSystem = "linux";
#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "unknown";
#endif

}  // namespace

std::string UserAgent(std::string_view command, std::string_view version) {
  version = version.substr(0, version.find('-'));
  return std::string(command)
      .append("/")
      .append(version.empty() ? "unknown" : version)
      .append(" (")
      .append(kSystem)
      .append("/")
      .append(kArchitecture)
      .append(") kubernetes/unknown");
}

}  // namespace kube::client
