#include "plugin/report/check_report_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/report/check_summary.h"
#include "plugin/report/guard_report_json.h"
#include "plugin/report/object_builder.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::json::Arena;
using kube::json::Value;
using migrate::report::CrdDifference;
using migrate::report::CrdReport;
using migrate::report::CrdVariant;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

// Of 64 bits, which JSON's numbers do not bear everywhere.
std::string HashText(std::uint64_t hash) {
  constexpr std::size_t kDigits = 16;
  std::string text(kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 0xF];
  return text;
}

ObjectBuilder& AddTotals(ObjectBuilder& builder, const Totals& totals) {
  using migrate::report::Verdict;
  return builder.Number("crds", totals.all)
      .Number("blocked", totals.CountOf(Verdict::kBlocked))
      .Number("losesFields", totals.CountOf(Verdict::kLosesFields))
      .Number("invalid", totals.CountOf(Verdict::kInvalid))
      .Number("ready", totals.CountOf(Verdict::kReady))
      .Number("pruning", totals.CountOf(Verdict::kPruning))
      .Number("unknown", totals.CountOf(Verdict::kUnknown))
      .Number("objects", totals.objects)
      .Number("objectsLosingFields", totals.losing);
}

class FleetReportBuilder {
 public:
  FleetReportBuilder(bool show_objects, Arena& arena)
      : show_objects_(show_objects), arena_(arena) {}

  Value Report(const FleetReport& report) {
    ObjectBuilder builder = BeginReport("FleetCheckReport", report.run, arena_);
    builder.Add("summary", Summary(report));
    builder.List("clusters", report.clusters,
                 [this](const FleetCluster& cluster) { return Cluster(cluster); });
    builder.List("differences", report.differences,
                 [this](const CrdDifference& difference) { return Difference(difference); });
    return builder.Build();
  }

 private:
  Value Summary(const FleetReport& report) {
    const auto not_checked = std::ranges::count_if(
        report.clusters, [](const FleetCluster& cluster) { return !cluster.is_checked(); });
    ObjectBuilder builder(arena_);
    builder.Number("clusters", report.clusters.size())
        .Number("notChecked", static_cast<std::uint64_t>(not_checked))
        .Number("differences", report.differences.size());
    return AddTotals(builder, TotalsOf(report)).Build();
  }

  Value Cluster(const FleetCluster& cluster) {
    ObjectBuilder builder(arena_);
    builder.Text("name", cluster.name)
        .Number("exitCode", static_cast<std::uint64_t>(cluster.exit_code));
    if (!cluster.is_checked()) return builder.Text("error", cluster.error).Build();
    return builder.Add("report", ToJson(cluster.check, show_objects_, arena_)).Build();
  }

  Value Difference(const CrdDifference& difference) {
    return ObjectBuilder(arena_)
        .Text("crd", difference.name)
        .List("variants", difference.variants,
              [this](const CrdVariant& variant) { return Variant(variant); })
        .Build();
  }

  Value Variant(const CrdVariant& variant) {
    ObjectBuilder builder(arena_);
    builder.Texts("clusters", variant.clusters).Bool("found", variant.is_found);
    if (!variant.is_found) return builder.Build();
    return builder.Bool("preserveUnknownFields", variant.preserve_unknown_fields)
        .Text("storageVersion", variant.storage_version)
        .Texts("storedVersions", variant.stored_versions)
        .Texts("servedVersions", variant.served_versions)
        .Texts("versions", variant.versions)
        .Add("schemas", Value::String(arena_.Copy(HashText(variant.schemas.all))))
        .Add("keptFields", Value::String(arena_.Copy(HashText(variant.schemas.kept_fields))))
        .Build();
  }

  bool show_objects_;
  Arena& arena_;
};

}  // namespace

Value ToJson(const FleetReport& report, bool show_objects, Arena& arena) {
  return FleetReportBuilder(show_objects, arena).Report(report);
}

namespace {

using migrate::report::CheckReport;
using migrate::report::FieldUse;
using migrate::report::InvalidUse;
using migrate::report::Problem;
using migrate::report::VersionReport;

class CheckReportBuilder {
 public:
  CheckReportBuilder(bool show_objects, Arena& arena)
      : show_objects_(show_objects), arena_(arena) {}

  Value Report(const CheckReport& report) {
    ObjectBuilder builder = BeginReport("CheckReport", report.run, arena_);
    ObjectBuilder summary(arena_);
    builder.Add("summary", AddTotals(summary, TotalsOf(report)).Build());
    builder.List("crds", report.crds, [this](const CrdReport& crd) { return Crd(crd); });
    builder.ListIfAny(
        "unknownKinds", report.unknown_kinds,
        [this](const migrate::report::UnknownKind& kind) { return UnknownKind(kind); });
    builder.TextsIfAny("fileErrors", report.file_errors);
    builder.TextsIfAny("fileHints", report.file_hints);
    builder.TextsIfAny("crdsNotInFiles", report.crds_beside);
    builder.NumberIfAny("fileObjectsSkipped", report.file_objects);
    builder.TextIfAny("objectFilter", report.object_filter);
    builder.BoolIfTrue("notAllCrdsRead", report.not_all_crds_read);
    builder.ListIfAny("steps", report.steps,
                      [this](const migrate::report::UpgradeStep& step) { return Step(step); });
    builder.ListIfAny("stepsDone", report.steps_done, [this](const auto& step) {
      return ObjectBuilder(arena_).Text("title", step.title).Text("proof", step.proof).Build();
    });
    return builder.Build();
  }

 private:
  Value Step(const migrate::report::UpgradeStep& step) {
    ObjectBuilder builder(arena_);
    builder.Text("title", step.title).Text("command", step.command).Text("reason", step.reason);
    builder.TextIfAny("needs", step.needs).TextIfAny("effect", step.effect);
    if (step.seconds) {
      builder.Number("seconds", std::max<std::uint64_t>(
                                    1, static_cast<std::uint64_t>(std::ceil(*step.seconds))));
    }
    return builder.Build();
  }

  Value Crd(const CrdReport& crd) {
    ObjectBuilder builder(arena_);
    AddDescription(builder, crd);
    AddFindings(builder, crd);
    if (show_objects_) {
      builder.List("objects", crd.objects,
                   [this](const migrate::report::ObjectPaths& object) { return Object(object); });
    }
    if (crd.file_objects) builder.Add("fileObjects", FileObjects(*crd.file_objects));
    return builder.BoolIfTrue("objectsSkipped", crd.objects_skipped)
        .TextsIfAny("objectErrors", crd.object_errors)
        .TextIfAny("note", crd.note)
        .TextIfAny("error", crd.error)
        .Build();
  }

  void AddDescription(ObjectBuilder& builder, const CrdReport& crd) {
    if (crd.versions.empty()) {
      // Of a CRD that could not be read nothing else is known.
      builder.Text("name", crd.name)
          .TextIfAny("source", crd.source)
          .Text("verdict", terminal::VerdictName(crd.verdict));
      return;
    }
    builder.Text("name", crd.name)
        .Text("group", crd.group)
        .Text("kind", crd.kind)
        .Text("scope", crd.scope)
        .TextIfAny("source", crd.source)
        .Bool("preserveUnknownFields", crd.preserve_unknown_fields)
        .Text("storageVersion", crd.storage_version)
        .Texts("servedVersions", crd.served_versions)
        .Texts("storedVersions", crd.stored_versions)
        .Text("verdict", terminal::VerdictName(crd.verdict))
        .Bool("migrationNeeded", crd.migration_needed);
    if (crd.apply) builder.Add("apply", Apply(*crd.apply));
    if (crd.condition) builder.Add("condition", Condition(*crd.condition));
  }

  Value Apply(const migrate::report::ApplyReport& apply) {
    return ObjectBuilder(arena_)
        .Bool("accepted", apply.accepted)
        .Text("message", apply.message)
        .Bool("preservesUnknownFields", apply.preserves_unknown_fields)
        .TextIfAny("notAskedBecause", apply.not_asked_because)
        .BoolIfTrue("unchanged", apply.is_unchanged)
        .Build();
  }

  void AddCostLimits(ObjectBuilder& builder,
                     const std::vector<migrate::report::CostLimit>& limits) {
    builder.List("costLimits", limits, [this](const migrate::report::CostLimit& limit) {
      ObjectBuilder one(arena_);
      one.Text("version", limit.version)
          .Text("path", limit.path)
          .Text("keyword", limit.keyword)
          .Number("most", static_cast<std::uint64_t>(limit.most));
      if (limit.was)
        one.Number("was", static_cast<std::uint64_t>(std::max<std::int64_t>(0, *limit.was)));
      if (limit.held) one.Number("held", static_cast<std::uint64_t>(*limit.held));
      return one.Build();
    });
  }

  void AddFindings(ObjectBuilder& builder, const CrdReport& crd) {
    builder.List("problems", crd.problems, [this](const Problem& problem) {
      return AddProblem(ObjectBuilder(arena_).Text("version", problem.version), problem);
    });
    builder.List("admissionProblems", crd.admission_problems, [this](const Problem& problem) {
      return AddProblem(ObjectBuilder(arena_), problem);
    });
    if (!crd.cost_limits.empty()) AddCostLimits(builder, crd.cost_limits);
    builder.List("versions", crd.versions,
                 [this](const VersionReport& version) { return Version(version); });
    if (crd.storage_migration) {
      builder.Add("storageMigration", StorageMigration(*crd.storage_migration));
    }
    if (crd.changes) AddChanges(builder, *crd.changes);
    if (crd.verified) {
      builder.Add("verified", ObjectBuilder(arena_)
                                  .Text("time", crd.verified->time)
                                  .Number("objects", crd.verified->objects)
                                  .BoolIfTrue("byAnnotation", crd.verified->is_by_annotation)
                                  .Build());
    }
    builder.List("maybeInEtcd", crd.maybe_in_etcd, [this](const FieldUse& use) {
      return PathBuilder(use)
          .Texts("managers", use.managers)
          .TextsIfAny("shownIn", use.shown_in)
          .Build();
    });
    AddEntries(builder, "staleManagedFields", crd.stale_managed_fields);
    AddEntries(builder, "unfitManagedFields", crd.unfit_managed_fields);
    builder.ListIfAny(
        "guardWriters", crd.guard_writers,
        [this](const migrate::report::WriterUse& use) { return report::ToJson(use, arena_); });
  }

  // Only where there are some: few reports have any.
  void AddEntries(ObjectBuilder& builder, const char* key,
                  const std::vector<migrate::report::StaleEntry>& entries) {
    builder.ListIfAny(key, entries, [this](const migrate::report::StaleEntry& entry) {
      return ObjectBuilder(arena_)
          .Text("apiVersion", entry.api_version)
          .Text("manager", entry.manager)
          .Text("operation", entry.operation)
          .TextIfAny("subresource", entry.subresource)
          .Number("objects", entry.objects)
          .Texts("examples", entry.examples)
          .Build();
    });
  }

  Value Condition(const kube::crd::CrdCondition& condition) {
    return ObjectBuilder(arena_)
        .Text("status", condition.status)
        .Text("reason", condition.reason)
        .Text("message", condition.message)
        .Build();
  }

  static Value AddProblem(ObjectBuilder builder, const Problem& problem) {
    return builder.Text("field", problem.field)
        .Text("message", problem.message)
        .Text("hint", problem.hint)
        .Build();
  }

  Value Version(const VersionReport& version) {
    ObjectBuilder builder(arena_);
    builder.Text("name", version.name)
        .Bool("served", version.served)
        .Bool("storage", version.storage)
        .Bool("structural", version.structural);
    // A zero would say that nothing is lost, where in truth nothing is known.
    if (version.objects) {
      builder.Number("objects", *version.objects);
      builder.Number("objectsLosingFields", version.objects_losing_fields);
    }
    AddPrunedFields(builder, version.pruned_fields, arena_);
    AddPaths(builder, "addedDefaults", version.added_defaults);
    AddPaths(builder, "droppedNulls", version.dropped_nulls);
    if (version.objects_invalid_once_pruned) {
      builder.Number("objectsInvalidOncePruned", *version.objects_invalid_once_pruned);
    }
    builder.TextsIfAny("invalidOncePruned", version.invalid_once_pruned);
    if (version.validity) AddValidity(builder, *version.validity);
    return builder.Build();
  }

  void AddValidity(ObjectBuilder& builder, const migrate::report::ValidityReport& validity) {
    builder.Number("objectsInvalid", validity.objects);
    builder.List("invalidFields", validity.fields, [this](const InvalidUse& use) {
      return ObjectBuilder(arena_)
          .Text("path", use.path)
          .Text("message", use.message)
          .Number("objects", use.objects)
          .Texts("managers", use.managers)
          .Texts("examples", use.examples)
          .Bool("sinceProposal", use.since_proposal)
          .Bool("tolerated", use.tolerated)
          .TextIfAny("fromRelease", use.from_release)
          .Build();
    });
  }

  Value FileObjects(const migrate::report::FileObjectsReport& objects) {
    ObjectBuilder builder(arena_);
    builder.Number("objects", objects.objects);
    builder.Number("objectsLosingFields", objects.objects_losing_fields);
    AddPrunedFields(builder, objects.pruned_fields, arena_);
    AddValidity(builder, objects.validity);
    builder.TextsIfAny("objectErrors", objects.errors);
    return builder.Build();
  }

  void AddChanges(ObjectBuilder& builder, const migrate::report::ChangesReport& changes) {
    builder.List("changes", changes.changes, [this](const migrate::report::ChangeUse& change) {
      ObjectBuilder one(arena_);
      one.Text("version", change.version)
          .Text("path", change.path)
          .Text("kind", change.kind)
          .Text("from", change.from)
          .Text("to", change.to)
          .Bool("breaking", change.breaking)
          .BoolIfTrue("transition", change.brings_transition_rules);
      if (change.objects) one.Number("objects", *change.objects);
      return one.Build();
    });
    builder.NumberIfAny("changesLeftOut", changes.left_out);
    builder.BoolIfTrue("changesPartial", changes.is_partial);
  }

  Value StorageMigration(const migrate::report::StorageMigrationReport& migration) {
    ObjectBuilder builder(arena_);
    builder.Number("objectsLosingFields", migration.objects_losing_fields);
    AddPrunedFields(builder, migration.pruned_fields, arena_);
    return builder.Build();
  }

  ObjectBuilder PathBuilder(const FieldUse& use) {
    return ObjectBuilder(arena_).Text("path", use.path).Number("objects", use.objects);
  }

  void AddPaths(ObjectBuilder& builder, std::string_view key, const std::vector<FieldUse>& uses) {
    builder.List(key, uses, [this](const FieldUse& use) { return PathBuilder(use).Build(); });
  }

  Value Object(const migrate::report::ObjectPaths& object) {
    ObjectBuilder paths(arena_);
    for (const auto& [version, pruned] : object.pruned_paths) paths.Texts(version, pruned);
    ObjectBuilder builder(arena_);
    builder.Text("namespace", object.namespace_)
        .Text("name", object.name)
        .TextIfAny("source", object.source)
        .Add("prunedPaths", paths.Build())
        .Texts("invalid", object.invalid);
    if (object.paths_left_out.empty()) return builder.Build();
    ObjectBuilder left_out(arena_);
    for (const auto& [version, count] : object.paths_left_out) left_out.Number(version, count);
    return builder.Add("pathsLeftOut", left_out.Build()).Build();
  }

  Value UnknownKind(const migrate::report::UnknownKind& kind) {
    return ObjectBuilder(arena_)
        .Text("apiVersion", kind.api_version)
        .Text("kind", kind.kind)
        .Number("objects", kind.objects)
        .Build();
  }

  bool show_objects_;
  Arena& arena_;
};

}  // namespace

Value ToJson(const CheckReport& report, bool show_objects, Arena& arena) {
  return CheckReportBuilder(show_objects, arena).Report(report);
}

}  // namespace plugin::report
