#pragma once

#include <string_view>

#include "kube/json/json.h"
#include "migrate/report/migration_report.h"
#include "migrate/report/object_class.h"
#include "migrate/report/program_name.h"
#include "plugin/report/object_builder.h"

/// What the JSON of several reports says alike.
namespace plugin::report {

/// The apiVersion of every report.
inline constexpr std::string_view kReportApiVersion = "kubectl-prune/v1alpha1";

/// Adds where, when and by what the report was made, as far as it is known.
void AddFacts(ObjectBuilder& builder, const migrate::report::RunFacts& run);

/// "done", "failures", "error" or "interrupted".
std::string_view OutcomeName(migrate::report::Outcome outcome);
/// "client" or "server"; empty: it was none.
std::string_view DryRunName(migrate::report::DryRun dry_run);

/// To the thousandth, which is enough.
kube::json::Value Seconds(double seconds, kube::json::Arena& arena);

/// Adds how many objects there are, as `total`, and how many of each class, also where none is.
template <typename Class, std::size_t kClasses>
void AddCounts(ObjectBuilder& builder, std::string_view total,
               const migrate::report::CountsBy<Class, kClasses>& counts) {
  builder.Number(total, counts.Total());
  for (std::size_t i = 0; i < kClasses; ++i) {
    const auto of_class = static_cast<Class>(i);
    builder.Number(ClassKey(of_class), counts[of_class]);
  }
}

/// Adds which object it is, its class, and why: of an ObjectFailure or a RestoreFailure.
template <typename Failure, typename Class>
void AddFailure(ObjectBuilder& builder, const Failure& failure, Class of_class) {
  builder.TextIfAny("namespace", failure.namespace_).Text("name", failure.name);
  builder.Text("class", ClassName(of_class));
  if (failure.code != 0) builder.Number("code", static_cast<std::uint64_t>(failure.code));
  builder.TextIfAny("reason", failure.reason).Text("message", failure.message);
}

}  // namespace plugin::report
