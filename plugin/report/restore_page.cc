#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/json/json.h"
#include "kube/meta/object_path.h"
#include "plugin/report/field_table.h"
#include "plugin/report/page.h"
#include "plugin/report/pages.h"

namespace plugin::report {

using migrate::report::CrdRestore;
using migrate::report::DryRun;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreCounts;
using migrate::report::RestoredField;
using migrate::report::RestoredObject;
using migrate::report::RestoreFailure;
using migrate::report::RestoreReport;

Table RestoredFieldsTable(std::string title, const std::vector<RestoredField>& fields) {
  Table table{std::move(title),
              {{"Field", CellKind::kCode, "FIELD"},
               {"Objects", CellKind::kNumber, "OBJECTS"},
               {"Example", CellKind::kText, "EXAMPLE"}}};
  for (const RestoredField& field : fields) {
    table.rows.push_back(
        {kube::meta::WithLeadingDot(field.path), std::to_string(field.objects), field.example});
  }
  return table;
}

Table RestoredObjectsTable(const CrdRestore& crd) {
  Table table{"Objects",
              {{"Namespace", CellKind::kCode, "NAMESPACE"},
               {"Name", CellKind::kCode, "NAME"},
               {"Class", CellKind::kCode, "CLASS"},
               {"Fields put back", CellKind::kCode, "FIELDS"},
               {"Fields kept as they are", CellKind::kCode, "KEPT"}}};
  for (const RestoredObject& object : crd.objects) {
    table.rows.push_back({object.namespace_, object.name,
                          std::string(migrate::report::ClassName(object.restore_class)),
                          migrate::report::JoinPaths(object.restored, object.restored_count),
                          migrate::report::JoinPaths(object.kept, object.kept_count)});
  }
  return table;
}

namespace {

Tone ToneOfRestored(RestoreClass c) {
  if (c == RestoreClass::kNotTried) return Tone::kWarning;
  if (migrate::report::IsFailure(c)) return Tone::kBad;
  return c == RestoreClass::kNotChosen ? Tone::kPlain : Tone::kGood;
}

std::string VerdictOf(const CrdRestore& crd) {
  switch (crd.outcome) {
    case Outcome::kDone:
      return crd.dry_run == DryRun::kNone ? "restored" : "dry run";
    case Outcome::kFailures:
      return crd.dry_run == DryRun::kNone ? "not wholly restored" : "dry run: not all of it";
    case Outcome::kError:
      return crd.refused.empty() ? "error" : "refused";
    case Outcome::kInterrupted:
      break;
  }
  return "interrupted";
}

std::string ProofOf(const CrdRestore& crd) {
  const std::string text = migrate::report::ReadBackText(crd.verification);
  if (!text.empty()) return text;
  return crd.dry_run == DryRun::kNone ? "none" : "none, as it was a dry run";
}

std::vector<Fact> FactsOf(const CrdRestore& crd, const std::string& backup) {
  return {{"Backup", backup},
          {"Pruned by", crd.pruned_by.empty() ? "not known: what an object had then and lacks now "
                                                "was taken for what pruning took"
                                              : crd.pruned_by},
          {"Proof", ProofOf(crd)}};
}

std::vector<Remark> RemarksOf(const CrdRestore& crd) {
  std::vector<Remark> remarks;
  if (!crd.error.empty()) remarks.push_back({ToneOfOutcome(crd.outcome), crd.error});
  if (crd.outcome == Outcome::kInterrupted)
    remarks.push_back({Tone::kPlain, "Run the same command again to resume"});
  for (const std::string& advice : migrate::report::AdviceOf(crd))
    remarks.push_back({Tone::kPlain, "Next: " + advice});
  return remarks;
}

Table RestoreFailuresTable(const CrdRestore& crd) {
  Table table{crd.dry_run == DryRun::kNone ? "Objects that were not restored"
                                           : "Objects that would not be restored",
              {{"Namespace", CellKind::kCode},
               {"Name", CellKind::kCode},
               {"Class", CellKind::kCode},
               {"Code", CellKind::kNumber},
               {"Reason"},
               {"Message"},
               {"Lists", CellKind::kCode}}};
  for (const RestoreFailure& failure : crd.failures) {
    table.rows.push_back({failure.namespace_, failure.name,
                          std::string(migrate::report::ClassName(failure.restore_class)),
                          failure.code == 0 ? "" : std::to_string(failure.code), failure.reason,
                          failure.message, migrate::report::JoinPaths(failure.paths)});
  }
  return table;
}

Section SectionOf(const CrdRestore& crd, const std::string& backup) {
  Section section{.name = crd.name,
                  .verdict = VerdictOf(crd),
                  .tone = ToneOfOutcome(crd.outcome),
                  .result = ResultOfOutcome(crd.outcome),
                  .answer = migrate::report::CountsText(crd.counts),
                  .bar = BarOf(crd.counts, ToneOfRestored),
                  .facts = FactsOf(crd, backup),
                  .remarks = RemarksOf(crd)};
  const bool is_dry_run = crd.dry_run != DryRun::kNone;
  AddTable(section, RestoredFieldsTable("Fields that the schema would prune again", crd.refused));
  AddTable(section, RestoreFailuresTable(crd));
  AddTable(section,
           RestoredFieldsTable(is_dry_run ? "Fields to put back" : "Fields that were put back",
                               crd.restored));
  AddTable(section,
           RestoredFieldsTable("Fields that others have set or removed since, and that stay so",
                               crd.kept));
  AddTable(section, RestoredObjectsTable(crd));
  return section;
}

std::uint64_t CountBack(const RestoreCounts& counts) {
  return counts[RestoreClass::kRestored] + counts[RestoreClass::kRecreated] +
         counts[RestoreClass::kAccepted];
}

// "3 objects have back what pruning took"
std::string DoneAnswerOf(std::uint64_t back, bool is_dry_run) {
  if (back == 0) return "Nothing was missing";
  return kube::base::Count(back, "object") +
         (is_dry_run  ? " would get"
          : back == 1 ? " has"
                      : " have") +
         " back what pruning took";
}

std::string AnswerOf(const RestoreReport& report, const RestoreCounts& sum) {
  if (report.crds.empty()) return "Nothing to restore";
  const bool is_dry_run = report.crds.front().dry_run != DryRun::kNone;
  const std::string suffix = is_dry_run ? " (dry run)" : "";
  const std::uint64_t chosen = sum.Total() - sum[RestoreClass::kNotChosen];
  if (chosen == 0) return "No object of the backup was chosen" + suffix;
  const auto is_done = [](const CrdRestore& crd) { return crd.outcome == Outcome::kDone; };
  if (std::ranges::all_of(report.crds, is_done))
    return DoneAnswerOf(CountBack(sum), is_dry_run) + suffix;
  return kube::base::Count(CountBack(sum), "object") +
         (is_dry_run ? " would be restored, " : " restored, ") +
         kube::base::Count(sum.Failures(), "object") + " not, of " + std::to_string(chosen) +
         suffix;
}

}  // namespace

Page PageOf(const RestoreReport& report) {
  RestoreCounts sum;
  Page page{.command = "restore", .run = report.run, .seconds = report.seconds};
  for (const CrdRestore& crd : report.crds) {
    sum += crd.counts;
    page.sections.push_back(SectionOf(crd, report.backup));
  }
  page.answer = AnswerOf(report, sum);
  page.tone = WorstOf(page.sections);
  page.tallies = TalliesOf(report.crds.size(), sum, ToneOfRestored);
  return page;
}

}  // namespace plugin::report
