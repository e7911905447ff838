#include "plugin/report/page/restore_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/json/json.h"
#include "kube/meta/object_path.h"
#include "plugin/report/page/field_tables.h"

namespace plugin::report::page {
namespace {

using migrate::report::CrdRestore;
using migrate::report::DryRun;
using migrate::report::Outcome;
using migrate::report::RestoreClass;
using migrate::report::RestoreCounts;
using migrate::report::RestoredField;
using migrate::report::RestoredObject;
using migrate::report::RestoreFailure;
using migrate::report::RestoreReport;

Tone ToneOf(RestoreClass c) {
  if (migrate::report::IsFailure(c)) return Tone::kBad;
  if (c == RestoreClass::kNotTried) return Tone::kWarning;
  return c == RestoreClass::kNotChosen ? Tone::kPlain : Tone::kGood;
}

Tone ToneOf(const CrdRestore& crd) {
  if (crd.outcome == Outcome::kDone) return Tone::kGood;
  return crd.outcome == Outcome::kInterrupted ? Tone::kWarning : Tone::kBad;
}

Result ResultOf(const CrdRestore& crd) {
  if (crd.outcome == Outcome::kDone) return Result::kPassed;
  return crd.outcome == Outcome::kFailures ? Result::kFailed : Result::kError;
}

std::string VerdictOf(const CrdRestore& crd) {
  switch (crd.outcome) {
    case Outcome::kDone:
      return crd.dry_run == DryRun::kNone ? "restored" : "dry run";
    case Outcome::kFailures:
      return "not wholly restored";
    case Outcome::kError:
      return crd.refused.empty() ? "error" : "refused";
    case Outcome::kInterrupted:
      break;
  }
  return "interrupted";
}

template <typename Take>
void ForEachClass(const RestoreCounts& counts, Take take) {
  for (std::size_t i = 0; i < migrate::report::kRestoreClasses; ++i) {
    const auto c = static_cast<RestoreClass>(i);
    if (counts[c] > 0) take(c, std::string(migrate::report::ClassName(c)), counts[c]);
  }
}

// "2000 objects: 1874 restored, 126 unchanged"
std::string AnswerOf(const RestoreCounts& counts) {
  std::vector<std::string> parts;
  ForEachClass(counts, [&](RestoreClass, const std::string& name, std::uint64_t count) {
    parts.push_back(std::to_string(count) + " " + name);
  });
  const std::string objects = kube::base::Count(counts.Total(), "object");
  return parts.empty() ? objects : objects + ": " + kube::base::Join(parts, ", ");
}

Bar BarOf(const RestoreCounts& counts) {
  Bar bar{counts.Total()};
  std::uint64_t from = 0;
  ForEachClass(counts, [&](RestoreClass c, const std::string& name, std::uint64_t count) {
    bar.segments.push_back({name, from, count, ToneOf(c)});
    from += count;
  });
  return bar;
}

std::string ProofOf(const CrdRestore& crd) {
  const auto& [read, as_restored, changed] = crd.verification;
  if (read == 0) return crd.dry_run == DryRun::kNone ? "none" : "none, as it was a dry run";
  std::string text = kube::base::Count(read, "object") + " read back, " +
                     (as_restored == read ? "all" : std::to_string(as_restored)) + " as restored";
  if (changed > 0) text += ", " + std::to_string(changed) + " changed by others since";
  return text;
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
  if (!crd.error.empty()) remarks.push_back({ToneOf(crd), crd.error});
  if (crd.outcome == Outcome::kInterrupted)
    remarks.push_back({Tone::kPlain, "The same command goes on where it was"});
  return remarks;
}

Table RestoredFieldsTable(std::string title, const std::vector<RestoredField>& fields) {
  Table table{std::move(title),
              {{"Field", CellKind::kCode}, {"Objects", CellKind::kNumber}, {"Example"}}};
  for (const RestoredField& field : fields) {
    table.rows.push_back(
        {kube::meta::WithLeadingDot(field.path), std::to_string(field.objects), field.example});
  }
  return table;
}

std::string JoinedPaths(const std::vector<std::string>& paths) {
  std::vector<std::string> shown;
  for (const std::string& path : paths) shown.push_back(kube::meta::WithLeadingDot(path));
  return kube::base::Join(shown, ", ");
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
                          failure.message, JoinedPaths(failure.paths)});
  }
  return table;
}

Table RestoredObjectsTable(const CrdRestore& crd) {
  Table table{"Objects",
              {{"Namespace", CellKind::kCode},
               {"Name", CellKind::kCode},
               {"Class", CellKind::kCode},
               {"Fields put back", CellKind::kCode},
               {"Fields kept as they are", CellKind::kCode}}};
  for (const RestoredObject& object : crd.objects) {
    table.rows.push_back({object.namespace_, object.name,
                          std::string(migrate::report::ClassName(object.restore_class)),
                          JoinedPaths(object.restored), JoinedPaths(object.kept)});
  }
  return table;
}

Section SectionOf(const CrdRestore& crd, const std::string& backup) {
  Section section{.name = crd.name,
                  .verdict = VerdictOf(crd),
                  .tone = ToneOf(crd),
                  .result = ResultOf(crd),
                  .answer = AnswerOf(crd.counts),
                  .bar = BarOf(crd.counts),
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

std::string AnswerOf(const RestoreReport& report, const RestoreCounts& sum) {
  if (report.crds.empty()) return "Nothing to restore";
  const bool is_dry_run = report.crds.front().dry_run != DryRun::kNone;
  const auto is_done = [](const CrdRestore& crd) { return crd.outcome == Outcome::kDone; };
  const std::uint64_t back =
      sum[RestoreClass::kRestored] + sum[RestoreClass::kRecreated] + sum[RestoreClass::kAccepted];
  const std::string objects = kube::base::Count(back, "object");
  const std::string suffix = is_dry_run ? " (dry run)" : "";
  if (std::ranges::all_of(report.crds, is_done)) {
    return objects +
           (is_dry_run  ? " would get"
            : back == 1 ? " has"
                        : " have") +
           " back what pruning took" + suffix;
  }
  return objects + " restored, " + kube::base::Count(sum.Failures(), "object") + " not, of " +
         std::to_string(sum.Total()) + suffix;
}

}  // namespace

Page PageOf(const RestoreReport& report) {
  RestoreCounts sum;
  Page page{.command = "restore", .run = report.run, .seconds = report.seconds};
  for (const CrdRestore& crd : report.crds) {
    sum += crd.counts;
    page.sections.push_back(SectionOf(crd, report.backup));
    page.tone = std::max(page.tone, page.sections.back().tone);
  }
  page.answer = AnswerOf(report, sum);
  page.tallies = {{"CRDs", report.crds.size(), Tone::kPlain},
                  {"objects", sum.Total(), Tone::kPlain}};
  ForEachClass(sum, [&](RestoreClass c, const std::string& name, std::uint64_t count) {
    page.tallies.push_back({name, count, ToneOf(c)});
  });
  return page;
}

}  // namespace plugin::report::page
