#include "plugin/report/restore_report_json.h"

#include <string_view>

#include "plugin/report/object_builder.h"
#include "plugin/report/run_json.h"

namespace plugin::report {
namespace {

using kube::json::Arena;
using kube::json::Value;
using migrate::report::CrdRestore;
using migrate::report::RestoreCounts;
using migrate::report::RestoredField;
using migrate::report::RestoredObject;
using migrate::report::RestoreFailure;
using migrate::report::RestoreReport;

class RestoreReportBuilder {
 public:
  explicit RestoreReportBuilder(Arena& arena) : arena_(arena) {}

  Value Report(const RestoreReport& report) {
    RestoreCounts sum;
    for (const CrdRestore& crd : report.crds) sum += crd.counts;
    ObjectBuilder summary(arena_);
    AddCounts(summary, "objects", sum);
    summary.Add("seconds", Seconds(report.seconds, arena_));
    ObjectBuilder builder(arena_);
    builder.Text("apiVersion", kReportApiVersion).Text("kind", "RestoreReport");
    AddFacts(builder, report.run);
    builder.Add("summary", summary.Build()).Text("backup", report.backup);
    builder.List("crds", report.crds, [this](const CrdRestore& crd) { return Crd(crd); });
    return builder.Build();
  }

 private:
  Value Crd(const CrdRestore& crd) {
    ObjectBuilder counts(arena_);
    AddCounts(counts, "objects", crd.counts);
    ObjectBuilder builder(arena_);
    builder.Text("name", crd.name).Text("outcome", OutcomeName(crd.outcome));
    builder.TextIfAny("error", crd.error).TextIfAny("dryRun", DryRunName(crd.dry_run));
    builder.TextIfAny("prunedBy", crd.pruned_by).Add("counts", counts.Build());
    AddFields(builder, "restoredFields", crd.restored);
    AddFields(builder, "keptFields", crd.kept);
    AddFields(builder, "refusedFields", crd.refused);
    builder.Bool("verified", crd.verified);
    if (crd.verification.read > 0) builder.Add("verification", Verification(crd.verification));
    builder.Add("seconds", Seconds(crd.seconds, arena_));
    builder.List("failures", crd.failures, [this](const RestoreFailure& f) { return Failure(f); });
    builder.ListIfAny("objectList", crd.objects,
                      [this](const RestoredObject& object) { return Object(object); });
    return builder.Build();
  }

  void AddFields(ObjectBuilder& builder, std::string_view key,
                 const std::vector<RestoredField>& fields) {
    builder.ListIfAny(key, fields, [this](const RestoredField& field) {
      return ObjectBuilder(arena_)
          .Text("path", field.path)
          .Number("objects", field.objects)
          .TextIfAny("example", field.example)
          .Build();
    });
  }

  Value Verification(const migrate::report::RestoreVerification& verification) {
    return ObjectBuilder(arena_)
        .Number("read", verification.read)
        .Number("asRestored", verification.as_restored)
        .Number("changedSince", verification.changed)
        .Build();
  }

  Value Failure(const RestoreFailure& failure) {
    ObjectBuilder builder(arena_);
    AddFailure(builder, failure, failure.restore_class);
    return builder.TextsIfAny("paths", failure.paths).Build();
  }

  Value Object(const RestoredObject& object) {
    return ObjectBuilder(arena_)
        .TextIfAny("namespace", object.namespace_)
        .Text("name", object.name)
        .Text("class", migrate::report::ClassName(object.restore_class))
        .TextsIfAny("restored", object.restored)
        .TextsIfAny("kept", object.kept)
        .Build();
  }

  Arena& arena_;
};

}  // namespace

Value ToJson(const RestoreReport& report, Arena& arena) {
  return RestoreReportBuilder(arena).Report(report);
}

}  // namespace plugin::report
