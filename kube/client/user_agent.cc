#include "kube/client/user_agent.h"

namespace kube::client {
namespace {

// As Go names them: runtime.GOOS and runtime.GOARCH.
#if defined(__APPLE__)
constexpr std::string_view kSystem = "darwin";
#else
constexpr std::string_view kSystem = "linux";
#endif

#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#elif defined(__arm__)
constexpr std::string_view kArchitecture = "arm";
#elif defined(__i386__)
constexpr std::string_view kArchitecture = "386";
#elif defined(__powerpc64__)
constexpr std::string_view kArchitecture = "ppc64le";
#elif defined(__s390x__)
constexpr std::string_view kArchitecture = "s390x";
#elif defined(__riscv)
constexpr std::string_view kArchitecture = "riscv64";
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
