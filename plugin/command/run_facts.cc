#include "plugin/command/run_facts.h"

#include "kube/client/client.h"
#include "kube/go/go_time.h"

namespace plugin::command {

const std::string_view kVersion = "v" KUBECTL_PRUNE_VERSION;  // from CMake's project()

std::string UserAgent() { return kube::client::UserAgent("kubectl-prune", kVersion); }

namespace {

std::string TextOf(std::chrono::sys_seconds time) {
  return kube::go::FormatGoTime(
      {.unix_seconds = time.time_since_epoch().count(), .nanoseconds = 0});
}

}  // namespace

std::chrono::sys_seconds TimeOfDay() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string TimeOfDayText() { return TextOf(TimeOfDay()); }

migrate::report::RunFacts LocalFactsAt(std::chrono::sys_seconds time) {
  return {.cluster = {}, .context = {}, .time = TextOf(time), .version = std::string(kVersion)};
}

}  // namespace plugin::command
