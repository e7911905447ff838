#include "plugin/report/check_summary.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"
#include "plugin/report/upgrade_plan.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using migrate::report::CheckReport;
using migrate::report::CrdReport;
using migrate::report::Verdict;

constexpr std::size_t kNamesInACommand = 5;
constexpr std::size_t kShownKinds = 10;

std::string SummaryWords(Verdict verdict, const Totals& totals) {
  const std::uint64_t losing = totals.losing_by_verdict.at(verdict);
  switch (verdict) {
    case Verdict::kUnknown:
      return " could not be checked";
    case Verdict::kBlocked:
      return losing == 0
                 ? " blocked"
                 : " blocked (" + kube::base::Count(losing, "object") + " would lose fields)";
    case Verdict::kLosesFields:
      return " would lose fields (" + std::to_string(losing) + " of " +
             kube::base::Count(totals.objects, "object") + ")";
    case Verdict::kInvalid:
      return " invalid";
    case Verdict::kReady:
      return " ready";
    case Verdict::kPruning:
      return " already pruning";
  }
  return "";
}

std::string Describe(const Totals& totals) {
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : totals.crds) {
    parts.push_back(std::to_string(count) + SummaryWords(verdict, totals));
  }
  std::string line = kube::base::Count(totals.all, "CRD");
  if (!parts.empty()) line += ": " + kube::base::Join(parts, ", ");
  if (totals.migrations > 0) {
    line += "; " + std::to_string(totals.migrations);
    line += totals.migrations == 1 ? " needs a storage migration" : " need a storage migration";
  }
  return line + "\n";
}

// Printable, each name once; a placeholder where they would fill the screen.
std::string CommandNames(const std::vector<const CrdReport*>& crds) {
  std::vector<std::string> names;
  for (const CrdReport* crd : crds) names.push_back(terminal::Printable(crd->name));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names.size() > kNamesInACommand ? "NAME..." : kube::base::Join(names, " ");
}

// `one` or `many` follows the name, or the count.
std::string Subject(const std::vector<const CrdReport*>& crds, std::string_view one,
                    std::string_view many) {
  if (crds.size() == 1) return terminal::Printable(crds[0]->name).append(" ").append(one);
  return kube::base::Count(crds.size(), "CRD").append(" ").append(many);
}

// What was checked in files has to be in the cluster before it is migrated.
std::string ApplyStepLine(const std::vector<const CrdReport*>& crds) {
  std::set<std::string> files;
  for (const CrdReport* crd : crds) files.insert(crd->source);
  files.erase("");
  if (files.empty()) return "";
  return "kubectl apply -f " +
         (files.size() == 1 ? terminal::FileArgument(*files.begin()) : "FILE...") + " && ";
}

std::vector<const CrdReport*> ReadyCrds(const CheckReport& report, bool with_objects) {
  std::vector<const CrdReport*> crds;
  for (const CrdReport& crd : report.crds) {
    const bool prunes_already = crd.replaced && !crd.replaced->preserve_unknown_fields;
    if (crd.verdict == Verdict::kReady && !prunes_already &&
        WasCheckedWithObjects(report, crd) == with_objects) {
      crds.push_back(&crd);
    }
  }
  return crds;
}

std::string CrdNotes(const CheckReport& report) {
  std::string notes;
  for (const CrdReport& crd : report.crds) {
    if (crd.note.empty()) continue;
    notes += "note: " + terminal::Printable(crd.name) + ": " + terminal::Printable(crd.note) + "\n";
  }
  return notes;
}

std::string ObjectFilterNote(const CheckReport& report) {
  if (report.object_filter.empty()) return "";
  return "note: not all objects were read, only those of " +
         terminal::Printable(report.object_filter) + "\n";
}

// As a rule the same of all.
std::string NotAskedNote(const CheckReport& report) {
  std::map<std::string_view, std::uint64_t> reasons;
  for (const CrdReport& crd : report.crds) {
    if (crd.apply && !crd.apply->not_asked_because.empty()) ++reasons[crd.apply->not_asked_because];
  }
  std::string notes;
  for (const auto& [reason, count] : reasons) {
    notes += "note: of " + kube::base::Count(count, "CRD") +
             " the API server did not tell what it would answer to kubectl apply; what is said of "
             "that is by our own rules: " +
             terminal::Printable(reason) + "\n";
  }
  return notes;
}

std::string FileObjectsNote(const CheckReport& report) {
  if (report.file_objects == 0) return "";
  return "note: " + kube::base::Count(report.file_objects, "object") +
         " in files not looked at, as the files have no CRD for them\n";
}

std::string BesideNote(const CheckReport& report, bool all) {
  const std::vector<std::string>& names = report.crds_beside;
  if (names.empty()) return "";
  const std::size_t shown = all ? names.size() : std::min(names.size(), kShownKinds);
  std::string note = "note: the files lack " + kube::base::Count(names.size(), "CRD") +
                     " that the cluster has in the same groups: ";
  for (std::size_t i = 0; i < shown; ++i) {
    note += (i == 0 ? "" : ", ") + terminal::Printable(names[i]);
  }
  if (shown < names.size()) note += " and " + std::to_string(names.size() - shown) + " more";
  return note + ". Applying the files changes nothing of " + (names.size() == 1 ? "it" : "them") +
         "; where the release has dropped " + (names.size() == 1 ? "it, its" : "them, their") +
         " objects are left\n";
}

std::string UnknownKindsNote(const CheckReport& report, bool all) {
  if (report.unknown_kinds.empty()) return "";
  std::uint64_t objects = 0;
  std::vector<std::string> kinds;
  for (const migrate::report::UnknownKind& kind : report.unknown_kinds) {
    objects += kind.objects;
    if (!all && kinds.size() == kShownKinds) continue;
    kinds.push_back(terminal::Printable(kind.kind + " in " + kind.api_version) + " (" +
                    std::to_string(kind.objects) + ")");
  }
  const std::size_t left_out = report.unknown_kinds.size() - kinds.size();
  std::string note = "note: no CRD is known for " + kube::base::Count(objects, "object") + ": " +
                     kube::base::Join(kinds, ", ");
  if (left_out > 0) note += " and " + kube::base::Count(left_out, "more kind");
  return note + "\n";
}

}  // namespace

// A CRD from a file without any objects has only been looked at itself.
bool WasCheckedWithObjects(const CheckReport& report, const CrdReport& crd) {
  return !crd.objects_skipped && report.object_filter.empty() &&
         (crd.object_count > 0 || crd.source.empty());
}

bool IsBlocked(const CrdReport& crd, const FailOn& fail_on) {
  const bool is_refused = crd.apply && !crd.apply->accepted;
  return fail_on.blocked && (crd.verdict == Verdict::kBlocked || is_refused);
}

bool IsFinding(const CrdReport& crd, const FailOn& fail_on) {
  const bool loses = crd.objects_losing_fields > 0 || crd.MakesInvalid() || crd.DropsConversion() ||
                     (crd.file_objects && crd.file_objects->objects_losing_fields > 0);
  const bool is_invalid =
      crd.HasInvalid() || (crd.file_objects && crd.file_objects->validity.objects > 0);
  return IsBlocked(crd, fail_on) || (fail_on.loses_fields && loses) ||
         (fail_on.invalid && is_invalid) || (fail_on.migration_needed && crd.migration_needed);
}

std::vector<migrate::report::Problem> AdmissionFindings(const CrdReport& crd) {
  auto problems = crd.admission_problems;
  std::erase_if(problems, [](const auto& p) { return p.field == "spec.preserveUnknownFields"; });
  return problems;
}

bool IsDryRunComplete(const CrdReport& crd) {
  return std::ranges::all_of(crd.versions,
                             [](const auto& v) { return v.objects.has_value() || v.is_left_out; });
}

std::uint64_t ObjectsInvalid(const CrdReport& crd) {
  std::uint64_t most = 0;
  for (const migrate::report::VersionReport& version : crd.versions) {
    if (version.validity) most = std::max(most, version.validity->objects);
    most = std::max(most, version.objects_invalid_once_pruned.value_or(0));
  }
  return most;
}

void Totals::Add(const CheckReport& report) {
  for (const CrdReport& crd : report.crds) {
    ++crds[crd.verdict];
    losing_by_verdict[crd.verdict] += crd.objects_losing_fields;
    migrations += crd.migration_needed ? 1 : 0;
    objects += crd.object_count;
    losing += crd.objects_losing_fields;
    invalid += ObjectsInvalid(crd);
    ++all;
  }
}

std::uint64_t Totals::CountOf(Verdict verdict) const {
  const auto found = crds.find(verdict);
  return found == crds.end() ? 0 : found->second;
}

Totals TotalsOf(const CheckReport& report) {
  Totals totals;
  totals.Add(report);
  return totals;
}

Totals TotalsOf(const migrate::report::FleetReport& report) {
  Totals totals;
  for (const migrate::report::FleetCluster& cluster : report.clusters) totals.Add(cluster.check);
  return totals;
}

std::string Summary(const CheckReport& report) { return Describe(TotalsOf(report)); }

std::string Summary(const migrate::report::FleetReport& report) {
  const auto failed = std::ranges::count_if(
      report.clusters, [](const auto& cluster) { return !cluster.is_checked(); });
  std::string line = kube::base::Count(report.clusters.size(), "cluster");
  if (failed > 0) line += ", " + std::to_string(failed) + " of which could not be checked";
  return line + "; " + Describe(TotalsOf(report));
}

std::string Steps(const CheckReport& report) {
  if (report.steps.empty() && IsApplied(report)) {
    return "Nothing is left to do: the cluster has the CRDs as they are in the files.\n";
  }
  if (report.steps.empty()) return "";
  std::string text = "Plan:\n";
  std::size_t number = 0;
  for (const migrate::report::DoneStep& step : report.steps_done) {
    text += "  " + std::to_string(++number) + ". " + terminal::Printable(step.title) + ": done (" +
            terminal::Printable(step.proof) + ")\n";
  }
  for (const migrate::report::UpgradeStep& step : report.steps) {
    text += "  " + std::to_string(++number) + ". " + terminal::Printable(step.title);
    if (!step.reason.empty()) text += " (" + terminal::Printable(step.reason) + ")";
    text += "\n";
    if (!step.needs.empty()) text += "       before: " + terminal::Printable(step.needs) + "\n";
    text += "       " + terminal::Printable(step.command) + "\n";
    const std::string effect = step.EffectWords();
    if (!effect.empty()) text += "       " + effect + "\n";
  }
  return text;
}

std::string ReadyNote(const CheckReport& report) {
  const auto checked = ReadyCrds(report, /*with_objects=*/true);
  const auto unchecked = ReadyCrds(report, /*with_objects=*/false);
  std::string note;
  if (!checked.empty()) {
    note += Subject(checked, "loses nothing when pruning is turned on\n",
                    "lose nothing when pruning is turned on\n");
    if (report.steps.empty()) {
      note += "Next: " + ApplyStepLine(checked) +
              migrate::report::OwnClusterCommand("migrate " + CommandNames(checked) +
                                                 " --enable-pruning") +
              "\n";
    }
  }
  if (!unchecked.empty()) {
    const std::string how = report.object_filter.empty()
                                ? "checked without objects, which may lose fields\n"
                                : "checked by a part of the objects; others may lose fields\n";
    note += Subject(unchecked, "was " + how, "were " + how);
    note += "Next: check all objects before pruning is turned on\n";
  }
  return note;
}

std::string IncompleteErrors(const CheckReport& report) {
  std::string errors;
  for (const CrdReport& crd : report.crds) {
    const std::string begin =
        "error: " + terminal::Printable(crd.name.empty() ? "<none>" : crd.name);
    if (!crd.error.empty() && !crd.is_interrupted && !crd.is_file_error) {
      errors += begin + " could not be checked: " + terminal::PrintableLines(crd.error) + "\n";
    }
    for (const std::string& error : crd.object_errors) {
      errors += begin + ": an object could not be checked: " + terminal::Printable(error) + "\n";
    }
  }
  return errors + InterruptedNote(report);
}

std::string InterruptedNote(const CheckReport& report) {
  const auto count =
      static_cast<std::uint64_t>(std::ranges::count(report.crds, true, &CrdReport::is_interrupted));
  if (count == 0) return "";
  return "interrupted: the objects of " + kube::base::Count(count, "CRD") + " were not read\n";
}

std::string RunNotes(const CheckReport& report, bool all) {
  return NotAskedNote(report) + ObjectFilterNote(report) + BesideNote(report, all) +
         UnknownKindsNote(report, all) + FileObjectsNote(report);
}

std::string Notes(const CheckReport& report, bool all) {
  return CrdNotes(report) + RunNotes(report, all);
}

}  // namespace plugin::report
