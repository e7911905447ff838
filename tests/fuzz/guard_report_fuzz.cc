#include "plugin/report/guard_report_json.h"
#include "tests/fuzz/fuzz.h"

// What is read of a report is read of what is printed of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto report = plugin::report::ReadGuardReport(fuzz::Text(data, size));
  if (!report) return 0;
  kube::json::Arena arena;
  const auto again =
      plugin::report::ReadGuardReport(kube::json::Print(plugin::report::ToJson(*report, arena)));
  fuzz::Require(again && again->writers == report->writers && again->action == report->action);
  return 0;
}
