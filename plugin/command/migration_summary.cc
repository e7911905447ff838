#include "plugin/command/migration_summary.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/meta/names.h"
#include "migrate/report/program_name.h"
#include "plugin/command/cluster_access.h"
#include "plugin/command/fleet_migration.h"
#include "plugin/command/side_by_side.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/migration_report_json.h"
#include "plugin/report/object_builder.h"
#include "plugin/report/pages.h"
#include "plugin/report/report_forms.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

using migrate::report::CountsText;
using migrate::report::CrdMigration;
using migrate::report::DryRun;
using migrate::report::MigrationReport;
using migrate::report::ObjectClass;
using migrate::report::ObjectFailure;
using migrate::report::Outcome;

// "storedVersions v1beta1,v1 -> v1"
std::string StoredText(const CrdMigration& crd) {
  const std::string text = "storedVersions " + terminal::Printable(StoredVersionsText(crd));
  const bool says_why = !crd.kept_because.empty() && crd.dry_run == DryRun::kNone;
  return says_why ? text + " kept: " + terminal::Printable(crd.kept_because) : text;
}

// "; managedFields of 12 objects cleaned (14 entries)"
std::string CleanedText(const CrdMigration& crd) {
  if (!crd.managed_fields_cleaned) return "";
  const auto& [objects, entries] = *crd.managed_fields_cleaned;
  return "; managedFields of " + kube::base::Count(objects, "object") +
         (crd.dry_run == DryRun::kNone ? " cleaned" : " to clean") +
         (entries == 0 ? ""
                       : " (" + std::to_string(entries) + (entries == 1 ? " entry)" : " entries)"));
}

// "; managedFields of 3 objects emptied"
std::string EmptiedText(const CrdMigration& crd) {
  if (crd.managed_fields_emptied.empty()) return "";
  return "; managedFields of " + kube::base::Count(crd.managed_fields_emptied.size(), "object") +
         (crd.dry_run == DryRun::kNone ? " emptied" : " would be emptied");
}

// "; 412 mutated before pruning", where the counts do not tell.
std::string MutatedText(const CrdMigration& crd) {
  if (!crd.mutation) return "";
  if (crd.dry_run == DryRun::kClient && crd.mutation->objects == 0) return "";
  if (crd.dry_run == DryRun::kClient) {
    return "; " + std::to_string(crd.mutation->objects_changing) + " to mutate";
  }
  if (!crd.before_pruning || migrate::report::EndedBeforePruning(crd)) return "";
  return "; " + std::to_string((*crd.before_pruning)[ObjectClass::kMutated]) +
         " mutated before pruning";
}

std::string_view Verb(const CrdMigration& crd) {
  return crd.outcome == Outcome::kDone || crd.lost_managed_fields_alone() ? "migrated"
                                                                          : "not wholly migrated";
}

std::string SummaryLine(const CrdMigration& crd) {
  return report::TypedName(crd.name) + " " + std::string(Verb(crd)) + " (" +
         MigratedObjectsText(crd) + MutatedText(crd) + CleanedText(crd) + EmptiedText(crd) + "; " +
         StoredText(crd) + ")" + std::string(terminal::DryRunSuffix(crd.dry_run)) + "\n";
}

// What could not even be begun has nothing to count.
bool HasSummary(const CrdMigration& crd) {
  return crd.outcome == Outcome::kDone || crd.outcome == Outcome::kFailures ||
         crd.counts.Total() > 0 ||
         (migrate::report::EndedBeforePruning(crd) && crd.before_pruning->Total() > 0);
}

std::string PrintLines(const MigrationReport& report) {
  std::string out;
  for (const CrdMigration& crd : report.crds) {
    if (HasSummary(crd)) out += SummaryLine(crd);
  }
  return out;
}

std::string NotTriedText(const CrdMigration& crd) {
  const auto not_tried =
      std::ranges::count(crd.failures, ObjectClass::kNotTried, &ObjectFailure::object_class);
  return not_tried == 0 ? "" : " (" + std::to_string(not_tried) + " not-tried)";
}

// Those that have something to tell.
std::string FailureLines(const CrdMigration& crd) {
  std::string lines;
  std::size_t shown = 0;
  for (const ObjectFailure& failure : crd.failures) {
    if (shown == kFailuresShown) break;
    if (failure.object_class == ObjectClass::kNotTried) continue;
    lines += FailureLine(failure, failure.object_class);
    ++shown;
  }
  if (shown == crd.failures.size()) return lines;
  return lines + "  and " + std::to_string(crd.failures.size() - shown) + " more" +
         NotTriedText(crd) + "; -o json names all of them\n";
}

// What is held stays so however often it is tried.
std::string HeldAdvice(const CrdMigration& crd) {
  if (std::ranges::find(crd.failures, ObjectClass::kHeld, &ObjectFailure::object_class) ==
      crd.failures.end()) {
    return "";
  }
  return "Next: a held object may have fields in etcd that neither the backup nor the API shows. "
         "Once somebody writes it, a run with the same --state-dir migrates it. "
         "--rewrite-unbacked rewrites it as it is.\n";
}

// What is not that of an earlier command.
std::string StateDirFlag(const MigrateOptions& options) {
  return options.migration.state_dir.empty()
             ? ""
             : " --state-dir=" + terminal::ShellWord(options.migration.state_dir.string());
}

std::string MutationFlags(const MigrateOptions& options) {
  std::string flags;
  for (const std::string& file : options.mutations) {
    flags += " --mutation=" + terminal::ShellWord(file);
  }
  return flags;
}

std::string PrintFailures(const CrdMigration& crd, const MigrateOptions& options) {
  if (crd.failures.empty()) return "";
  const bool is_dry_run = crd.dry_run != DryRun::kNone;
  // Before pruning is turned on all objects have to be clean, not only these.
  const std::string retry_advice =
      is_dry_run || migrate::report::EndedBeforePruning(crd)
          ? "\n"
          : ", or try only these by: " +
                migrate::report::OwnCommand("migrate " + terminal::Printable(crd.name) +
                                            " --retry-failed") +
                ConnectionWords(options.common.connection) + MutationFlags(options) +
                StateDirFlag(options) + "\n";
  return FailuresTitle(crd, "migrated") + FailureLines(crd) +
         "Next: fix what the messages name, then run the same command again" + retry_advice +
         HeldAdvice(crd);
}

std::string PrintEmptied(const CrdMigration& crd) {
  const std::set<std::string>& names = crd.managed_fields_emptied;
  if (names.empty()) return "";
  const bool is_dry_run = crd.dry_run != DryRun::kNone;
  std::string out = terminal::Printable(crd.name) + ": the API server " +
                    (is_dry_run ? "would empty" : "emptied") + " metadata.managedFields of " +
                    kube::base::Count(names.size(), "object") +
                    ", so that it does not know there who owns which field until each owner "
                    "applies again:\n";
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == kFailuresShown) break;
    out += "  " + terminal::Printable(name) + "\n";
  }
  if (names.size() > kFailuresShown) {
    out += "  and " + std::to_string(names.size() - kFailuresShown) +
           " more; -o json names all of them\n";
  }
  return out;
}

std::string PrintGenerationNote(const CrdMigration& crd) {
  if (crd.generations_moved == 0) return "";
  // The server compares with what it has read in the stored version, without the defaults of
  // another one.
  const char* why = crd.stored_before.size() > 1
                        ? " moved: the storage version has defaults that the version they were "
                          "stored in has not, or a mutating webhook changes them\n"
                        : " moved although nothing was changed: a mutating webhook changes them\n";
  return "note: " + terminal::Printable(crd.name) + ": the generation of " +
         kube::base::Count(crd.generations_moved, "object") + why;
}

// A report names only what failed: of the rest it does not tell whether it is migrated.
std::string PrintRetriedAdvice(const CrdMigration& crd, const MigrateOptions& options) {
  const bool retries = options.migration.retry_failed || !options.retry_from.empty();
  if (!retries || crd.outcome != Outcome::kDone) return "";
  if (crd.dry_run != DryRun::kNone) return "";
  return "Next: migrate and verify all objects by: " +
         migrate::report::OwnCommand("migrate " + terminal::Printable(crd.name)) +
         ConnectionWords(options.common.connection) +
         (options.migration.keep_stored_versions ? " --keep-stored-versions\n" : "\n");
}

}  // namespace

std::string PrintMigrationErrors(const MigrationReport& report, const MigrateOptions& options) {
  std::string err;
  const bool is_for_people = options.output == terminal::OutputFormat::kTable ||
                             options.output == terminal::OutputFormat::kName;
  for (const CrdMigration& crd : report.crds) {
    if (is_for_people) {
      err += PrintFailures(crd, options) + PrintEmptied(crd) + PrintGenerationNote(crd) +
             (crd.counts.Total() == 0
                  ? NoneFound(crd.name, crd.outcome, options.migration.objects.namespace_)
                  : "") +
             PrintRetriedAdvice(crd, options);
    }
    err += ErrorLine(crd.name, crd.outcome, crd.error, crd.begins_anew);
  }
  return err;
}

std::string FailureLine(const std::string& namespace_, const std::string& name,
                        std::string_view class_name, const std::string& message) {
  // A message of a webhook may be a page long.
  constexpr std::size_t kMessageBytes = 400;
  return "  " + terminal::Printable(kube::meta::NamespacedName(namespace_, name)) + ": " +
         std::string(class_name) + ": " +
         terminal::Printable(kube::base::utf8::Shortened(message, kMessageBytes)) + "\n";
}

std::string NoneFound(const std::string& crd, Outcome outcome, const std::string& namespace_) {
  if (outcome != Outcome::kDone) return "";
  return terminal::Printable(crd) + ": no objects found" +
         (namespace_.empty() ? "" : " in namespace " + terminal::Printable(namespace_)) + "\n";
}

std::string ErrorLine(const std::string& crd, Outcome outcome, const std::string& error,
                      bool begins_anew) {
  const std::string begin = terminal::Printable(crd) + ": ";
  if (outcome == Outcome::kInterrupted) {
    return begin + (error.empty() ? "interrupted" : terminal::PrintableLines(error)) +
           "; the same command " + (begins_anew ? "starts from the beginning\n" : "resumes\n");
  }
  return error.empty() ? "" : "error: " + begin + terminal::PrintableLines(error) + "\n";
}

std::string StoredVersionsText(const CrdMigration& crd) {
  const std::string before = kube::base::Join(crd.stored_before, ",");
  if (crd.stored_after == crd.stored_before) return before;
  return before + " -> " + kube::base::Join(crd.stored_after, ",");
}

std::string MigratedObjectsText(const CrdMigration& crd) {
  if (migrate::report::EndedBeforePruning(crd))
    return "before pruning: " + CountsText(*crd.before_pruning);
  if (crd.dry_run != DryRun::kClient) return CountsText(crd.counts);
  return kube::base::Count(crd.counts.Total(), "object") + " to rewrite";
}

report::Output PrintMigration(const MigrationReport& report, const MigrateOptions& options) {
  const report::ReportForms forms = {
      .json = [&](kube::json::Arena& arena) { return report::ToJson(report, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return NamesOfDone(report); },
      .table = [&] { return PrintLines(report); }};
  return report::PrintDone(forms, options.output, options.output_template,
                           PrintMigrationErrors(report, options), ExitCodeOf(report));
}

namespace {

using migrate::report::FleetMigrationReport;
using migrate::report::MigratedCluster;
using Cells = std::vector<std::string>;

Cells RowOf(const std::string& cluster, const CrdMigration& crd) {
  return {cluster, crd.name,
          std::string(report::OutcomeName(crd.outcome)).append(terminal::DryRunSuffix(crd.dry_run)),
          StoredVersionsText(crd), MigratedObjectsText(crd)};
}

Cells RowWithoutCrd(const MigratedCluster& cluster) {
  std::string name = "<none>", outcome = "done";
  if (!cluster.error.empty()) {
    name = "<unknown>";
    outcome = cluster.is_interrupted ? "interrupted" : "error";
  } else if (!cluster.same_as.empty()) {
    outcome = "same as " + cluster.same_as;
  }
  return {cluster.name, name, outcome, "<none>", "<none>"};
}

std::string PrintTable(const FleetMigrationReport& report) {
  report::TextTable table({"CLUSTER", "NAME", "OUTCOME", "STORED-VERSIONS", "OBJECTS"});
  for (const MigratedCluster& cluster : report.clusters) {
    for (const CrdMigration& crd : cluster.migration.crds) table.AddRow(RowOf(cluster.name, crd));
    if (cluster.migration.crds.empty()) table.AddRow(RowWithoutCrd(cluster));
  }
  std::string out;
  table.AppendTo(out);
  return out;
}

// What is handed on: a CRD that is migrated wherever it was tried, once.
std::string PrintMigratedNames(const FleetMigrationReport& report) {
  std::map<std::string, bool> are_done;
  for (const MigratedCluster& cluster : report.clusters) {
    for (const CrdMigration& crd : cluster.migration.crds) {
      bool& is_done = are_done.emplace(crd.name, true).first->second;
      is_done = is_done && crd.outcome == Outcome::kDone;
    }
  }
  std::string out;
  for (const auto& [name, is_done] : are_done) {
    if (is_done) out += report::TypedName(name) + "\n";
  }
  return out;
}

std::string ErrorsOf(const MigratedCluster& cluster, const MigrateOptions& options) {
  if (!cluster.error.empty()) {
    return "error: the cluster could not be migrated: " + terminal::PrintableLines(cluster.error);
  }
  if (!cluster.same_as.empty()) return "";
  if (cluster.migration.crds.empty()) return "Nothing to migrate";
  return PrintMigrationErrors(cluster.migration, OptionsOfCluster(options, cluster.name));
}

std::string PrintFleetErrors(const FleetMigrationReport& report, const MigrateOptions& options) {
  std::string err;
  Cells interrupted;
  for (const MigratedCluster& cluster : report.clusters) {
    if (cluster.is_interrupted) {
      interrupted.push_back(cluster.name);
      continue;
    }
    for (const std::string& line : terminal::LinesOf(ErrorsOf(cluster, options))) {
      err += terminal::Printable(cluster.name) + ": " + line + "\n";
    }
  }
  if (interrupted.empty()) return err;
  return err + "interrupted before they were migrated: " +
         report::ClusterNames(interrupted, /*all=*/true) + "\n";
}

}  // namespace

report::Output PrintFleetMigration(const FleetMigrationReport& report,
                                   const MigrateOptions& options) {
  const report::ReportForms forms = {
      .json = [&](kube::json::Arena& arena) { return report::ToJson(report, arena); },
      .page = [&] { return report::PageOf(report); },
      .names = [&] { return PrintMigratedNames(report); },
      .table = [&] { return PrintTable(report); }};
  return report::PrintDone(forms, options.output, options.output_template,
                           PrintFleetErrors(report, options), WorstExitCode(report.clusters));
}

}  // namespace plugin::command
