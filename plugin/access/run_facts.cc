#include "plugin/access/run_facts.h"

#include <string>

#include "kube/go/go_time.h"
#include "plugin/access/version.h"

namespace plugin::access {

std::chrono::sys_seconds TimeOfDay() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

migrate::report::RunFacts LocalFactsAt(std::chrono::sys_seconds time) {
  const kube::go::GoTime now{.unix_seconds = time.time_since_epoch().count(), .nanoseconds = 0};
  return {.cluster = {},
          .context = {},
          .time = kube::go::FormatGoTime(now),
          .version = std::string(kVersion)};
}

}  // namespace plugin::access
