#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "kube/base/text.h"
#include "kube/json/json.h"
#include "migrate/report/program_name.h"
#include "plugin/report/field_table.h"
#include "plugin/report/page.h"
#include "plugin/report/pages.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using kube::base::Join;
using migrate::report::ClassCounts;
using migrate::report::CountsText;
using migrate::report::CrdMigration;
using migrate::report::DryRun;
using migrate::report::LeftOutCrd;
using migrate::report::LeftOutReason;
using migrate::report::MigrationReport;
using migrate::report::ObjectClass;
using migrate::report::ObjectFailure;
using migrate::report::Outcome;

Tone ToneOfClass(ObjectClass c) {
  if (c == ObjectClass::kNotTried || c == ObjectClass::kHeld) return Tone::kWarning;
  return migrate::report::IsFailure(c) ? Tone::kBad : Tone::kGood;
}

std::string VerdictOf(const CrdMigration& crd) {
  switch (crd.outcome) {
    case Outcome::kDone:
      return crd.dry_run == DryRun::kNone ? "migrated" : "dry run";
    case Outcome::kFailures:
      return crd.lost_managed_fields_alone() ? "migrated, managedFields lost"
                                             : "not wholly migrated";
    case Outcome::kError:
      return "error";
    case Outcome::kInterrupted:
      break;
  }
  return "interrupted";
}

std::string AnswerOf(const CrdMigration& crd) {
  if (migrate::report::EndedBeforePruning(crd))
    return "Before pruning: " + CountsText(*crd.before_pruning);
  if (crd.dry_run == DryRun::kClient) return Count(crd.counts.Total(), "object") + " to rewrite";
  return CountsText(crd.counts);
}

// Hundredths are enough for people.
std::string SecondsText(double seconds) {
  return kube::json::FormatFloat(std::round(seconds * 100) / 100) + " s";
}

std::string StoredText(const CrdMigration& crd) {
  std::string text = Join(crd.stored_before, ", ");
  if (crd.stored_after != crd.stored_before) text += " -> " + Join(crd.stored_after, ", ");
  return text;
}

std::string ProofText(const CrdMigration& crd) {
  if (crd.verified) return "a last pass over all objects rewrote none";
  return crd.dry_run == DryRun::kNone ? "none" : "none, as it was a dry run";
}

std::string AgreedText(const CrdMigration& crd) {
  if (!crd.foretold_loss) return "";
  const migrate::report::ForetoldLoss& loss = *crd.foretold_loss;
  return Count(loss.pruned_fields.size(), "field") + " in " +
         std::to_string(loss.objects_losing_fields) + " of " + Count(loss.objects, "object") +
         (loss.is_agreed ? ", agreed to" : ", not agreed to");
}

std::string MutationText(const CrdMigration& crd) {
  if (!crd.mutation) return "";
  if (crd.mutation->objects == 0) return crd.mutation->sources;
  return crd.mutation->sources + ", foretold to change " +
         std::to_string(crd.mutation->objects_changing) + " of " +
         Count(crd.mutation->objects, "object");
}

std::string EngineText(const CrdMigration& crd) {
  using migrate::report::EngineEnd;
  if (!crd.engine || crd.engine->migration.empty()) return "";
  const std::string& reason = crd.engine->reason;
  if (crd.engine->end != EngineEnd::kSucceeded) {
    return crd.engine->migration + (reason.empty() ? "" : ", " + reason);
  }
  if (crd.engine->not_rewritten == 0) return crd.engine->migration;
  return crd.engine->migration + ", which left out " + Count(crd.engine->not_rewritten, "object");
}

std::vector<Fact> FactsOf(const CrdMigration& crd) {
  std::vector<Fact> facts;
  const auto add = [&facts](const char* name, std::string value) {
    if (!value.empty()) facts.push_back({name, std::move(value)});
  };
  add("Storage version", crd.storage_version);
  add("Written as", crd.written_version);
  add("Stored versions", StoredText(crd));
  add("Stored versions kept, because", crd.kept_because);
  add("Pruning turned on by this run", crd.pruning_enabled ? "yes" : "no");
  add("CRD that came with it", crd.crd_file);
  add("Foretold loss", AgreedText(crd));
  add("Mutation", MutationText(crd));
  if (crd.mutation) add("Backup before the mutation", crd.mutation->backup);
  add("Rewritten in the cluster by", EngineText(crd));
  add("Backup", crd.backup);
  add("Proof", ProofText(crd));
  if (crd.managed_fields_cleaned) {
    add("managedFields cleaned", std::to_string(crd.managed_fields_cleaned->entries) +
                                     " of the entries of " +
                                     Count(crd.managed_fields_cleaned->objects, "object"));
  }
  if (!crd.managed_fields_emptied.empty()) {
    add(crd.dry_run == DryRun::kNone ? "managedFields emptied" : "managedFields to be emptied",
        Count(crd.managed_fields_emptied.size(), "object"));
  }
  if (crd.generations_moved > 0) add("Generation moved", Count(crd.generations_moved, "object"));
  add("Took", SecondsText(crd.seconds));
  return facts;
}

std::vector<Remark> RemarksOf(const CrdMigration& crd) {
  std::vector<Remark> remarks;
  if (!crd.error.empty()) {
    const bool is_stopped = crd.outcome == Outcome::kInterrupted;
    remarks.push_back({is_stopped ? Tone::kWarning : Tone::kBad, crd.error});
  }
  if (crd.outcome == Outcome::kInterrupted) {
    remarks.push_back({Tone::kPlain, crd.begins_anew ? "The same command starts from the beginning"
                                                     : "Run the same command again to resume"});
  }
  if (crd.dry_run == DryRun::kNone && !crd.failures.empty() &&
      !migrate::report::EndedBeforePruning(crd)) {
    remarks.push_back(
        {Tone::kPlain,
         "Next: fix what the messages name, then run the same command again, or try "
         "only these by: " +
             migrate::report::OwnClusterCommand("migrate " + crd.name + " --retry-failed")});
  }
  return remarks;
}

Table ClassesTable(const CrdMigration& crd) {
  Table table{"Objects by what became of them",
              {{"Class", CellKind::kCode}, {"Objects", CellKind::kNumber}}};
  if (crd.before_pruning) table.columns.push_back({"Before pruning", CellKind::kNumber});
  ClassCounts all = crd.counts;
  if (crd.before_pruning) all += *crd.before_pruning;
  all.ForEach([&](ObjectClass c, std::uint64_t) {
    table.rows.push_back(
        {std::string(migrate::report::ClassName(c)), std::to_string(crd.counts[c])});
    if (crd.before_pruning) table.rows.back().push_back(std::to_string((*crd.before_pruning)[c]));
  });
  return table;
}

Table EmptiedTable(const CrdMigration& crd) {
  Table table{crd.dry_run == DryRun::kNone
                  ? "Objects whose managedFields the API server emptied"
                  : "Objects whose managedFields the API server would empty",
              {{"Object", CellKind::kCode}}};
  for (const std::string& name : crd.managed_fields_emptied) table.rows.push_back({name});
  return table;
}

Table FailuresTable(const CrdMigration& crd) {
  Table table{crd.dry_run == DryRun::kNone ? "Objects that were not migrated"
                                           : "Objects that would not be migrated",
              {{"Namespace", CellKind::kCode},
               {"Name", CellKind::kCode},
               {"Class", CellKind::kCode},
               {"Code", CellKind::kNumber},
               {"Reason"},
               {"Message"}}};
  for (const ObjectFailure& failure : crd.failures) {
    table.rows.push_back({failure.namespace_, failure.name,
                          std::string(migrate::report::ClassName(failure.object_class)),
                          failure.code == 0 ? "" : std::to_string(failure.code), failure.reason,
                          failure.message});
  }
  return table;
}

void AddLoss(Section& section, const CrdMigration& crd) {
  if (!crd.foretold_loss) return;
  const auto rows = RowsOf(crd.foretold_loss->pruned_fields);
  const char* title = crd.pruning_enabled ? "Fields that pruning has taken, as it was foretold"
                                          : "Fields that pruning would remove";
  AddTable(section, FieldsTable(title, rows));
  AddTable(section, WritersTable(rows));
  Table plan{"What was told before pruning was to be turned on", {{"Line"}}};
  for (const std::string& line : crd.foretold_loss->plan) plan.rows.push_back({line});
  AddTable(section, std::move(plan));
  section.last_writes = LastWritesOf(rows);
}

Section SectionOf(const CrdMigration& crd) {
  Section section{
      .name = crd.name,
      .verdict = VerdictOf(crd),
      .tone = ToneOfOutcome(crd.outcome),
      .result = ResultOfOutcome(crd.outcome),
      .answer = AnswerOf(crd),
      .bar = BarOf(migrate::report::EndedBeforePruning(crd) ? *crd.before_pruning : crd.counts,
                   ToneOfClass),
      .facts = FactsOf(crd),
      .remarks = RemarksOf(crd)};
  AddTable(section, FailuresTable(crd));
  AddTable(section, EmptiedTable(crd));
  AddTable(section, ClassesTable(crd));
  AddLoss(section, crd);
  return section;
}

Section SectionOf(const LeftOutCrd& crd) {
  const bool is_blocked = crd.reason == LeftOutReason::kBlocked;
  return {.name = crd.name,
          .verdict = "left out",
          .tone = Tone::kPlain,
          .result = Result::kSkipped,
          .answer = is_blocked ? "The API server would refuse to turn pruning on"
                               : "It preserves unknown fields: a rewrite would prune nothing"};
}

std::string AnswerOf(const MigrationReport& report, const ClassCounts& sum) {
  if (report.crds.empty()) return "Nothing to migrate";
  const auto is_done = [](const CrdMigration& crd) { return crd.outcome == Outcome::kDone; };
  const auto done = static_cast<std::uint64_t>(std::ranges::count_if(report.crds, is_done));
  const bool is_dry_run = report.crds.front().dry_run != DryRun::kNone;
  const std::string suffix = is_dry_run ? " (dry run)" : "";
  if (done == report.crds.size()) {
    const bool is_proven = std::ranges::all_of(report.crds, &CrdMigration::verified);
    return Count(done, "CRD") +
           (is_dry_run  ? " would be"
            : done == 1 ? " was"
                        : " were") +
           " migrated, " + Count(sum.Total(), "object") +
           (is_proven ? ": a last pass rewrote none" : "") + suffix;
  }
  return std::to_string(report.crds.size() - done) + " of " + Count(report.crds.size(), "CRD") +
         " not wholly migrated, " + Count(sum.Failures(), "object") + " failed" + suffix;
}

}  // namespace

Page PageOf(const MigrationReport& report) {
  ClassCounts sum;
  Page page{.command = "migrate", .run = report.run, .seconds = report.seconds};
  for (const CrdMigration& crd : report.crds) {
    sum += crd.counts;
    page.sections.push_back(SectionOf(crd));
  }
  for (const LeftOutCrd& crd : report.left_out) page.sections.push_back(SectionOf(crd));
  page.answer = AnswerOf(report, sum);
  page.tone = WorstOf(page.sections);
  page.tallies = TalliesOf(report.crds.size(), sum, ToneOfClass);
  return page;
}

namespace {

using migrate::report::FleetMigrationReport;
using migrate::report::FleetMigrationSums;
using migrate::report::MigratedCluster;

Section NotMigrated(const MigratedCluster& cluster) {
  return {.name = cluster.name,
          .verdict = cluster.is_interrupted ? "interrupted" : "error",
          .tone = cluster.is_interrupted ? Tone::kWarning : Tone::kBad,
          .result = Result::kError,
          .answer = "The cluster could not be migrated",
          .remarks = {{Tone::kBad, cluster.error}}};
}

Section SameCluster(const MigratedCluster& cluster) {
  return {.name = cluster.name,
          .verdict = "same cluster",
          .tone = Tone::kPlain,
          .result = Result::kSkipped,
          .answer = "It is the same cluster as " + cluster.same_as + ", where it is migrated once"};
}

Section NothingToMigrate(const MigratedCluster& cluster) {
  return {
      .name = cluster.name, .verdict = "none", .tone = Tone::kGood, .answer = "Nothing to migrate"};
}

void AddMigrated(Page& page, const MigratedCluster& cluster) {
  // The commands of its sections are for this cluster.
  const migrate::report::ClusterFlagsOfThread flags(
      migrate::report::ClusterFlags() + " --context=" + terminal::ShellWord(cluster.name));
  Page own = PageOf(cluster.migration);
  if (own.sections.empty()) return page.sections.push_back(NothingToMigrate(cluster));
  for (Section& section : own.sections) section.name = cluster.name + " / " + section.name;
  std::ranges::move(own.sections, std::back_inserter(page.sections));
}

bool IsDryRun(const FleetMigrationReport& report) {
  return std::ranges::any_of(report.clusters, [](const MigratedCluster& cluster) {
    return !cluster.migration.crds.empty() &&
           cluster.migration.crds.front().dry_run != DryRun::kNone;
  });
}

// Of as many clusters as there are: several contexts of one count once.
std::string AnswerOf(const FleetMigrationReport& report, const FleetMigrationSums& sums) {
  const std::uint64_t all = report.clusters.size() - sums.same;
  const auto bad = static_cast<std::uint64_t>(std::ranges::count_if(
      report.clusters, [](const MigratedCluster& cluster) { return cluster.exit_code != 0; }));
  const std::string suffix = IsDryRun(report) ? " (dry run)" : "";
  if (bad > 0) {
    return std::to_string(bad) + " of " + Count(all, "cluster") + " not wholly migrated" + suffix;
  }
  return Count(all, "cluster") + " migrated, " + Count(sums.counts.Total(), "object") + suffix;
}

}  // namespace

Page PageOf(const FleetMigrationReport& report) {
  Page page{.command = "migrate", .run = report.run, .seconds = report.seconds};
  for (const MigratedCluster& cluster : report.clusters) {
    if (!cluster.error.empty()) {
      page.sections.push_back(NotMigrated(cluster));
    } else if (!cluster.same_as.empty()) {
      page.sections.push_back(SameCluster(cluster));
    } else {
      AddMigrated(page, cluster);
    }
  }
  const FleetMigrationSums sums = SumsOf(report);
  page.answer = AnswerOf(report, sums);
  page.tone = WorstOf(page.sections);
  page.tallies = TalliesOf(sums.crds, sums.counts, ToneOfClass);
  page.tallies.insert(
      page.tallies.begin(),
      {{report.clusters.size() == 1 ? "cluster" : "clusters", report.clusters.size(), Tone::kPlain},
       {"not migrated", sums.not_migrated,
        sums.not_migrated == 0 ? Tone::kPlain : Tone::kWarning}});
  return page;
}

}  // namespace plugin::report
