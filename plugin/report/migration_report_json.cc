#include "plugin/report/migration_report_json.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "kube/yaml/yaml.h"
#include "migrate/report/program_name.h"
#include "plugin/report/object_builder.h"

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
    ObjectBuilder builder = BeginReport("RestoreReport", report.run, arena_);
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

namespace {

using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;

Value SummaryOf(const FleetMigrationReport& report, Arena& arena) {
  const migrate::report::FleetMigrationSums sums = SumsOf(report);
  ObjectBuilder builder(arena);
  builder.Number("clusters", report.clusters.size())
      .Number("notMigrated", sums.not_migrated)
      .Number("same", sums.same)
      .Number("crds", sums.crds);
  AddCounts(builder, "listed", sums.counts);
  return builder.Add("seconds", Seconds(report.seconds, arena)).Build();
}

Value ClusterOf(const MigratedCluster& cluster, Arena& arena) {
  ObjectBuilder builder(arena);
  builder.Text("name", cluster.name)
      .Number("exitCode", static_cast<std::uint64_t>(cluster.exit_code));
  if (!cluster.error.empty()) return builder.Text("error", cluster.error).Build();
  if (!cluster.same_as.empty()) return builder.Text("sameAs", cluster.same_as).Build();
  return builder.Add("report", ToJson(cluster.migration, arena)).Build();
}

}  // namespace

Value ToJson(const FleetMigrationReport& report, Arena& arena) {
  ObjectBuilder builder = BeginReport("FleetMigrationReport", report.run, arena);
  builder.Add("summary", SummaryOf(report, arena));
  builder.List("clusters", report.clusters,
               [&arena](const MigratedCluster& cluster) { return ClusterOf(cluster, arena); });
  return builder.Build();
}

namespace {

using kube::json::Document;
using migrate::report::ClassCounts;
using migrate::report::CrdMigration;
using migrate::report::EngineEnd;
using migrate::report::EngineFacts;
using migrate::report::LeftOutCrd;
using migrate::report::LeftOutReason;
using migrate::report::MigrationReport;
using migrate::report::ObjectClass;
using migrate::report::ObjectFailure;
using migrate::rewrite::RetriedObject;

constexpr std::string_view kMigrationReport = "MigrationReport";

constexpr std::pair<EngineEnd, std::string_view> kEngineEnds[] = {
    {EngineEnd::kNotUsed, "not-used"},       {EngineEnd::kForeseen, "foreseen"},
    {EngineEnd::kSucceeded, "succeeded"},    {EngineEnd::kFailed, "failed"},
    {EngineEnd::kIgnored, "ignored"},        {EngineEnd::kStuck, "stuck"},
    {EngineEnd::kDeleted, "deleted"},        {EngineEnd::kRefused, "refused"},
    {EngineEnd::kCrdChanged, "crd-changed"}, {EngineEnd::kInterrupted, "interrupted"}};

std::string_view EndName(EngineEnd end) {
  for (const auto& [known, name] : kEngineEnds) {
    if (known == end) return name;
  }
  return {};
}

class MigrationReportBuilder {
 public:
  explicit MigrationReportBuilder(Arena& arena) : arena_(arena) {}

  Value Report(const MigrationReport& report) {
    ClassCounts sum;
    for (const CrdMigration& crd : report.crds) sum += crd.counts;
    ObjectBuilder summary(arena_);
    AddCounts(summary, "listed", sum);
    summary.Add("seconds", Seconds(report.seconds, arena_));
    ObjectBuilder builder = BeginReport(kMigrationReport, report.run, arena_);
    builder.Add("summary", summary.Build());
    builder.List("crds", report.crds, [this](const CrdMigration& crd) { return Crd(crd); });
    builder.ListIfAny("leftOut", report.left_out, [this](const LeftOutCrd& crd) {
      return ObjectBuilder(arena_)
          .Text("name", crd.name)
          .Text("reason", ReasonName(crd.reason))
          .Build();
    });
    return builder.Build();
  }

 private:
  Value Counts(const ClassCounts& counts) {
    ObjectBuilder builder(arena_);
    AddCounts(builder, "listed", counts);
    return builder.Build();
  }

  Value Crd(const CrdMigration& crd) {
    ObjectBuilder builder(arena_);
    builder.Text("name", crd.name).Text("outcome", OutcomeName(crd.outcome));
    builder.TextIfAny("error", crd.error).TextIfAny("dryRun", DryRunName(crd.dry_run));
    builder.TextIfAny("storageVersion", crd.storage_version);
    builder.TextIfAny("writtenVersion", crd.written_version);
    builder.TextIfAny("crdFile", crd.crd_file);
    if (crd.foretold_loss) builder.Add("foretoldLoss", Loss(*crd.foretold_loss));
    builder.Bool("pruningEnabled", crd.pruning_enabled).Bool("verified", crd.verified);
    builder.Add("counts", Counts(crd.counts));
    if (crd.before_pruning) builder.Add("beforeFlip", Counts(*crd.before_pruning));
    if (crd.mutation) {
      builder.Add("mutation", ObjectBuilder(arena_)
                                  .Text("sources", crd.mutation->sources)
                                  .Number("objects", crd.mutation->objects)
                                  .Number("objectsChanging", crd.mutation->objects_changing)
                                  .TextIfAny("backup", crd.mutation->backup)
                                  .Build());
    }
    if (crd.engine) builder.Add("engine", Engine(*crd.engine));
    builder.Add("storedVersions", StoredVersions(crd)).TextIfAny("backup", crd.backup);
    builder.NumberIfAny("generationsMoved", crd.generations_moved);
    if (crd.managed_fields_cleaned) {
      builder.Add("managedFieldsCleaned", Cleaned(*crd.managed_fields_cleaned));
    }
    if (const auto& emptied = crd.managed_fields_emptied; !emptied.empty()) {
      builder.Add(
          "managedFieldsEmptied",
          ObjectBuilder(arena_).Number("objects", emptied.size()).Texts("names", emptied).Build());
    }
    builder.Add("seconds", Seconds(crd.seconds, arena_));
    builder.List("failures", crd.failures, [this](const ObjectFailure& f) { return Failure(f); });
    return builder.Build();
  }

  Value Loss(const migrate::report::ForetoldLoss& loss) {
    ObjectBuilder builder(arena_);
    builder.Number("objects", loss.objects);
    builder.Number("objectsLosingFields", loss.objects_losing_fields);
    AddPrunedFields(builder, loss.pruned_fields, arena_);
    if (loss.managed_fields.objects > 0) builder.Add("managedFields", Cleaned(loss.managed_fields));
    return builder.Texts("plan", loss.plan).Bool("agreed", loss.is_agreed).Build();
  }

  Value Cleaned(const migrate::report::ManagedFieldsCleaned& cleaned) {
    return ObjectBuilder(arena_)
        .Number("objects", cleaned.objects)
        .Number("entries", cleaned.entries)
        .Build();
  }

  static std::string_view ReasonName(LeftOutReason reason) {
    return reason == LeftOutReason::kBlocked ? "blocked" : "preserves-unknown-fields";
  }

  Value Engine(const EngineFacts& engine) {
    ObjectBuilder builder(arena_);
    builder.Text("end", EndName(engine.end)).TextIfAny("migration", engine.migration);
    builder.TextIfAny("reason", engine.reason);
    if (engine.end == EngineEnd::kSucceeded) builder.Number("notRewritten", engine.not_rewritten);
    return builder.Add("seconds", Seconds(engine.seconds, arena_)).Build();
  }

  Value StoredVersions(const CrdMigration& crd) {
    return ObjectBuilder(arena_)
        .Texts("before", crd.stored_before)
        .Texts("after", crd.stored_after)
        .TextIfAny("keptBecause", crd.kept_because)
        .Build();
  }

  Value Failure(const ObjectFailure& failure) {
    ObjectBuilder builder(arena_);
    AddFailure(builder, failure, failure.object_class);
    return builder.Build();
  }

  Arena& arena_;
};

std::optional<std::string> Parse(std::string_view text, Document& document) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] == '{') {
    const auto error = document.Parse(text);
    return error ? std::optional(error->message) : std::nullopt;
  }
  const auto error = kube::yaml::Parse(text, 1, document);
  return error ? std::optional("line " + std::to_string(error->line) + ": " + error->message)
               : std::nullopt;
}

// path.IsValidPathSegmentName of apimachinery: anything else would be another URL.
bool IsPathSegment(std::string_view name) {
  return name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

}  // namespace

Value ToJson(const MigrationReport& report, Arena& arena) {
  return MigrationReportBuilder(arena).Report(report);
}

kube::base::Result<std::vector<RetriedObject>, std::string> ReadFailedObjects(
    std::string_view text) {
  Document document;
  if (const auto error = Parse(text, document)) return kube::base::Unexpected(*error);
  const Value& root = document.root();
  if (root.FindText("apiVersion") != kReportApiVersion ||
      root.FindText("kind") != kMigrationReport) {
    return kube::base::Unexpected<std::string>("it is no MigrationReport of this program (" +
                                               migrate::report::OwnCommand("migrate ... -o json") +
                                               ")");
  }
  if (!root.At("crds").is_array()) {
    return kube::base::Unexpected<std::string>("it has no list of CRDs (crds)");
  }
  const std::string_view held = migrate::report::ClassName(ObjectClass::kHeld);
  std::vector<RetriedObject> objects;
  bool is_whole = true;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> seen;  // in `objects`
  for (const Value& crd : root.At("crds").elements()) {
    // A report that lost a part of itself would be taken for one without failures.
    if (crd.FindText("name").empty() || !crd.At("failures").is_array()) {
      return kube::base::Unexpected<std::string>("a CRD in it has no name or no list of failures");
    }
    const std::string_view outcome = crd.FindText("outcome");
    if (outcome == "error" || outcome == "interrupted") is_whole = false;
    for (const Value& failure : crd.At("failures").elements()) {
      RetriedObject object{.crd = std::string(crd.FindText("name")),
                           .namespace_ = std::string(failure.FindText("namespace")),
                           .name = std::string(failure.FindText("name")),
                           .is_held = failure.FindText("class") == held};
      if (object.crd.empty() || object.name.empty() || !IsPathSegment(object.crd) ||
          !IsPathSegment(object.namespace_) || !IsPathSegment(object.name)) {
        return kube::base::Unexpected<std::string>("a failure in it names no object");
      }
      const auto [known, is_new] =
          seen.try_emplace({object.crd, object.namespace_, object.name}, objects.size());
      if (is_new) {
        objects.push_back(std::move(object));
      } else if (object.is_held) {
        objects[known->second].is_held = true;
      }
    }
  }
  if (objects.empty() && !is_whole) {
    return kube::base::Unexpected<std::string>(
        "that run did not come to its end; run its command again, which resumes it");
  }
  return objects;
}

}  // namespace plugin::report
