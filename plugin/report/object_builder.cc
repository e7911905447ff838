#include "plugin/report/object_builder.h"

#include <cmath>

namespace plugin::report {

void AddPrunedFields(ObjectBuilder& builder, const std::vector<migrate::report::FieldUse>& uses,
                     kube::json::Arena& arena) {
  builder.List("prunedFields", uses, [&arena](const migrate::report::FieldUse& use) {
    return ObjectBuilder(arena)
        .Text("path", use.path)
        .Number("objects", use.objects)
        .Texts("types", use.types)
        .Texts("managers", use.managers)
        .TextIfAny("lastWritten", use.last_written)
        .Texts("examples", use.examples)
        .Build();
  });
}

ObjectBuilder BeginReport(std::string_view kind, const migrate::report::RunFacts& run,
                          kube::json::Arena& arena) {
  return ObjectBuilder(arena)
      .Text("apiVersion", kReportApiVersion)
      .Text("kind", kind)
      .TextIfAny("cluster", run.cluster)
      .TextIfAny("context", run.context)
      .TextIfAny("time", run.time)
      .TextIfAny("programVersion", run.version);
}

std::string_view OutcomeName(migrate::report::Outcome outcome) {
  switch (outcome) {
    case migrate::report::Outcome::kDone:
      return "done";
    case migrate::report::Outcome::kFailures:
      return "failures";
    case migrate::report::Outcome::kError:
      return "error";
    case migrate::report::Outcome::kInterrupted:
      return "interrupted";
  }
  return {};
}

std::string_view DryRunName(migrate::report::DryRun dry_run) {
  if (dry_run == migrate::report::DryRun::kNone) return "";
  return dry_run == migrate::report::DryRun::kClient ? "client" : "server";
}

kube::json::Value Seconds(double seconds, kube::json::Arena& arena) {
  return kube::json::Value::Number(
      arena.Copy(kube::json::FormatFloat(std::round(seconds * 1000) / 1000)));
}

}  // namespace plugin::report
