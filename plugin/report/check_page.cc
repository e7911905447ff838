#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/names.h"
#include "kube/meta/object_path.h"
#include "migrate/report/program_name.h"
#include "plugin/report/change_table.h"
#include "plugin/report/check_sections.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/field_table.h"
#include "plugin/report/first_screen.h"
#include "plugin/report/pages.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {

using kube::base::Join;
using kube::meta::WithLeadingDot;
using migrate::report::CrdReport;
using migrate::report::FieldUse;
using migrate::report::InvalidUse;
using migrate::report::ObjectPaths;
using migrate::report::Problem;
using migrate::report::ValidityReport;
using migrate::report::VersionReport;

Table MaybeInEtcdTable(const CrdReport& crd) {
  Table table{"Fields that etcd may still hold and reads in the storage version no longer show",
              {{"Path", CellKind::kCode, "PATH"},
               {"Objects", CellKind::kNumber, "OBJECTS"},
               {"Written by", CellKind::kCode, "WRITTEN-BY"},
               {"Shown in", CellKind::kCode, crd.VersionsThatShow().empty() ? "" : "SHOWN-IN"}}};
  for (const FieldUse& use : crd.maybe_in_etcd) {
    table.rows.push_back({WithLeadingDot(use.path), std::to_string(use.objects),
                          Join(use.managers, ", "), Join(use.shown_in, ", ")});
  }
  return table;
}

Table EntriesTable(std::string title, const std::vector<migrate::report::StaleEntry>& entries) {
  Table table{std::move(title),
              {{"Version", CellKind::kCode, "VERSION"},
               {"Manager", CellKind::kCode, "MANAGER"},
               {"Operation", CellKind::kText, "OPERATION"},
               {"Objects", CellKind::kNumber, "OBJECTS"},
               {"Examples", CellKind::kCode, "EXAMPLES"}}};
  for (const migrate::report::StaleEntry& entry : entries) {
    const std::string subresource = entry.subresource.empty() ? "" : " of " + entry.subresource;
    table.rows.push_back({entry.api_version, entry.manager, entry.operation + subresource,
                          std::to_string(entry.objects), Join(entry.examples, ", ")});
  }
  return table;
}

Table GuardWritersTable(const CrdReport& crd) {
  Table table{"What a guard has seen written that would be lost by the schema of then",
              {{"Path", CellKind::kCode, "FIELD"},
               {"User", CellKind::kCode, "USER"},
               {"Manager", CellKind::kCode, "MANAGER"},
               {"Requests", CellKind::kNumber, "REQUESTS"},
               {"Added", CellKind::kNumber, "ADDED"},
               {"Denied", CellKind::kNumber, "DENIED"},
               {"Moved", CellKind::kNumber, "MOVED"},
               {"Last seen", CellKind::kTime, "LAST-SEEN"},
               {"Example", CellKind::kCode}}};
  for (const migrate::report::WriterUse& use : crd.guard_writers) {
    table.rows.push_back({WithLeadingDot(use.path), use.user, use.manager,
                          std::to_string(use.requests), std::to_string(use.added),
                          std::to_string(use.denied), std::to_string(use.moved), use.last_seen,
                          use.example_object});
  }
  return table;
}

Table RefusedObjectsTable(const CrdReport& crd) {
  Table table{"Objects whose next write would be refused",
              {{"Object", CellKind::kCode, "OBJECT"}, {"Message", CellKind::kText, "MESSAGE"}}};
  for (const ObjectPaths& object : crd.objects) {
    for (const std::string& message : object.invalid) {
      table.rows.push_back({kube::meta::NamespacedName(object.namespace_, object.name), message});
    }
  }
  return table;
}

namespace {

std::string PathOrRoot(const std::string& path) {
  return path.empty() ? "." : WithLeadingDot(path);
}

// The message has the path in it.
Table StructuralProblems(const CrdReport& crd) {
  Table table{"Structural problems", {{"Version", CellKind::kCode}, {"Message"}, {"Hint"}}};
  for (const Problem& problem : crd.problems) {
    table.rows.push_back({problem.version, problem.message, problem.hint});
  }
  return table;
}

Table AdmissionProblems(const CrdReport& crd) {
  Table table{"What the API server would refuse with pruning on", {{"Message"}, {"Hint"}}};
  for (const Problem& problem : AdmissionFindings(crd)) {
    table.rows.push_back({problem.message, problem.hint});
  }
  return table;
}

void AddInvalid(Table& table, const std::string& version, const ValidityReport& validity) {
  for (const InvalidUse& use : validity.fields) {
    std::string note = use.since_proposal ? "new with this CRD" : "";
    const std::string let_be =
        use.from_release.empty() ? "tolerated" : "from Kubernetes " + use.from_release + " on";
    if (!validity.Refuses(use)) note += note.empty() ? let_be : ", " + let_be;
    table.rows.push_back({PathOrRoot(use.path), std::to_string(use.objects), use.message,
                          Join(use.managers, ", "), Join(use.examples, ", "), note, version});
  }
}

Table InvalidTable(std::string title) {
  return {std::move(title),
          {{"Path", CellKind::kCode},
           {"Objects", CellKind::kNumber},
           {"Message"},
           {"Written by", CellKind::kCode},
           {"Examples", CellKind::kCode},
           {"Note"},
           {"Version", CellKind::kCode}}};
}

Table InvalidFields(const CrdReport& crd) {
  Table table = InvalidTable("What the API server would say of objects at their next write");
  for (const VersionReport& version : crd.versions) {
    if (version.validity) AddInvalid(table, version.name, *version.validity);
  }
  return table;
}

Table InvalidOncePruned(const CrdReport& crd) {
  Table table{"Objects that would be invalid once they are pruned",
              {{"Version", CellKind::kCode}, {"Object"}}};
  for (const VersionReport& version : crd.versions) {
    for (const std::string& object : version.invalid_once_pruned) {
      table.rows.push_back({version.name, object});
    }
  }
  return table;
}

Table ChangesTable(const CrdReport& crd) {
  Table table{"What the file changes",
              {{"Version", CellKind::kCode},
               {"Path", CellKind::kCode},
               {"Change"},
               {"Breaking"},
               {"Objects touched", CellKind::kNumber}}};
  if (!crd.changes) return table;
  for (const migrate::report::ChangeUse& change : crd.changes->changes) {
    table.rows.push_back({change.version, change.path.empty() ? "" : WithLeadingDot(change.path),
                          ChangeWords(change), change.breaking ? "yes" : "no",
                          change.objects ? std::to_string(*change.objects) : ""});
  }
  return table;
}

void AddRewritten(Table& table, const std::vector<VersionReport>& versions,
                  std::vector<FieldUse> VersionReport::*fields, const char* change) {
  for (const FieldRow& row : FoldVersions(versions, fields)) {
    table.rows.push_back(
        {WithLeadingDot(row.use->path), std::to_string(row.use->objects), change, row.versions});
  }
}

Table OtherRewrites(const CrdReport& crd) {
  Table table{"What a rewrite changes beside that",
              {{"Path", CellKind::kCode},
               {"Objects", CellKind::kNumber},
               {"Change"},
               {"Versions", CellKind::kCode}}};
  AddRewritten(table, crd.versions, &VersionReport::dropped_nulls, "null is dropped");
  AddRewritten(table, crd.versions, &VersionReport::added_defaults, "default is added");
  return table;
}

Table ObjectsTable(const CrdReport& crd) {
  Table table{"Objects",
              {{"Object", CellKind::kCode},
               {"Version", CellKind::kCode},
               {"Would lose", CellKind::kCode},
               {"Left out", CellKind::kNumber}}};
  for (const ObjectPaths& object : crd.objects) {
    for (const auto& [version, paths] : object.pruned_paths) {
      const auto left_out = object.paths_left_out.find(version);
      if (paths.empty() && left_out == object.paths_left_out.end()) continue;
      table.rows.push_back(
          {kube::meta::NamespacedName(object.namespace_, object.name), version, Join(paths, ", "),
           left_out == object.paths_left_out.end() ? "" : std::to_string(left_out->second)});
    }
  }
  return table;
}

Table Texts(std::string title, const std::vector<std::string>& texts) {
  Table table{std::move(title), {{"Object"}}};
  for (const std::string& text : texts) table.rows.push_back({text});
  return table;
}

void AddFileObjects(Section& section, const CrdReport& crd) {
  if (!crd.file_objects) return;
  const migrate::report::FileObjectsReport& files = *crd.file_objects;
  AddTable(section,
           FieldsTable("Fields that objects in the files would lose", RowsOf(files.pruned_fields)));
  Table invalid = InvalidTable("What the API server would say of objects in the files");
  AddInvalid(invalid, crd.storage_version, files.validity);
  AddTable(section, std::move(invalid));
  AddTable(section, Texts("Objects in the files that could not be checked", files.errors));
}

// Of a single version it need not be said.
std::vector<FieldRow> LostFields(const CrdReport& crd) {
  auto rows = FoldVersions(crd.versions, &VersionReport::pruned_fields);
  if (crd.versions.size() > 1) return rows;
  for (FieldRow& row : rows) row.versions.clear();
  return rows;
}

void AddCheckTables(Section& section, const CrdReport& crd) {
  AddTable(section, StructuralProblems(crd));
  AddTable(section, AdmissionProblems(crd));
  const auto lost = LostFields(crd);
  AddTable(section, FieldsTable("Fields that pruning would remove", lost));
  AddTable(section, WritersTable(lost));
  AddTable(section, GuardWritersTable(crd));
  AddTable(section, InvalidFields(crd));
  AddTable(section, InvalidOncePruned(crd));
  AddTable(section, ChangesTable(crd));
  AddTable(section, FieldsTable("What a storage migration in one pass could lose beside that",
                                MoreLostByMigration(crd)));
  AddFileObjects(section, crd);
  AddTable(section, ObjectsTable(crd));
  AddTable(section, RefusedObjectsTable(crd));
  AddTable(section, Texts("Objects that could not be checked", crd.object_errors));
  AddTable(section, OtherRewrites(crd));
  AddTable(section, MaybeInEtcdTable(crd));
  AddTable(section,
           EntriesTable("Entries of managedFields that name versions which the CRD does not have",
                        crd.stale_managed_fields));
  AddTable(section, EntriesTable("managedFields that a write in the storage version empties: "
                                 "entries of versions that lack fields of their objects",
                                 crd.unfit_managed_fields));
}

using kube::base::Count;
using migrate::report::CheckReport;
using migrate::report::Verdict;

bool IsApplyRefused(const CrdReport& crd) { return crd.apply && !crd.apply->accepted; }

// What makes the exit code 1 without --fail-on.
bool IsFound(const CrdReport& crd) { return IsFinding(crd, {}); }

Result ResultOf(const CrdReport& crd) {
  if (crd.verdict == Verdict::kUnknown) return Result::kError;
  if (IsFound(crd)) return Result::kFailed;
  if (!crd.object_errors.empty()) return Result::kError;
  return crd.objects_skipped ? Result::kSkipped : Result::kPassed;
}

Tone ToneOf(const CrdReport& crd) {
  switch (ResultOf(crd)) {
    case Result::kPassed:
      return Tone::kGood;
    case Result::kSkipped:
      return crd.verdict == Verdict::kReady ? Tone::kWarning : Tone::kPlain;
    case Result::kError:
      return Tone::kWarning;
    case Result::kFailed:
      break;
  }
  return Tone::kBad;
}

std::string LossAnswer(const CrdReport& crd) {
  return std::to_string(crd.objects_losing_fields) + " of " + Count(crd.object_count, "object") +
         " would lose fields";
}

std::string ReadyAnswer(const CrdReport& crd) {
  if (crd.objects_skipped) return "Its objects were not looked at, and may lose fields";
  return "Nothing is lost in " + Count(crd.object_count, "object") + " when pruning is turned on";
}

std::string VerdictAnswer(const CrdReport& crd) {
  switch (crd.verdict) {
    case Verdict::kUnknown:
      return "It could not be checked";
    case Verdict::kBlocked:
      return (IsApplyRefused(crd) ? std::string("kubectl apply is refused")
                                  : "The API server would refuse to turn pruning on") +
             (crd.objects_losing_fields == 0 ? "" : "; " + LossAnswer(crd));
    case Verdict::kLosesFields:
      if (crd.objects_losing_fields > 0) return LossAnswer(crd);
      return crd.MakesInvalid() ? "Some objects would be invalid once they are pruned"
                                : "Objects may be stored in a version that nothing converts any "
                                  "more";
    case Verdict::kInvalid:
      return "The API server would refuse the next write of " +
             Count(ObjectsInvalid(crd), "object");
    case Verdict::kReady:
      return ReadyAnswer(crd);
    case Verdict::kPruning:
      return crd.migration_needed ? "It prunes already; objects may be stored in an older version"
                                  : "It prunes already";
  }
  return "";
}

// It is not counted how many objects are both: what loses lies left, what is invalid right, and
// between them is clean at least.
Bar BarOf(const CrdReport& crd) {
  if (crd.objects_skipped || crd.object_count == 0) return {};
  const std::uint64_t total = crd.object_count;
  const std::uint64_t losing = std::min(crd.objects_losing_fields, total);
  const std::uint64_t invalid = std::min(ObjectsInvalid(crd), total);
  const std::uint64_t clean = total - std::min(total, losing + invalid);
  const bool is_complete = IsDryRunComplete(crd);
  const char* rest = losing > 0 && invalid > 0 ? "clean at least" : "clean";
  Bar bar{total};
  bar.segments = {
      {is_complete ? rest : "not known", losing, clean, is_complete ? Tone::kGood : Tone::kPlain},
      {"losing fields", 0, losing, Tone::kBad},
      {"invalid", total - invalid, invalid, Tone::kWarning}};
  std::erase_if(bar.segments, [](const Segment& segment) { return segment.count == 0; });
  return bar;
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

std::vector<Fact> FactsOf(const CrdReport& crd) {
  std::vector<Fact> facts;
  const auto add = [&facts](const char* name, std::string value) {
    if (!value.empty()) facts.push_back({name, std::move(value)});
  };
  add("File", crd.source);
  if (crd.versions.empty()) return facts;
  add("Kind", crd.kind);
  add("Scope", crd.scope);
  add("Preserves unknown fields", YesNo(crd.preserve_unknown_fields));
  add("Structural", YesNo(std::ranges::all_of(crd.versions, &VersionReport::structural)));
  add("Storage version", crd.storage_version);
  add("Served versions", Join(crd.served_versions, ", "));
  add("Stored versions", Join(crd.stored_versions, ", "));
  add("Needs a storage migration", YesNo(crd.migration_needed));
  if (crd.verified) add("Proof", crd.verified->Words());
  if (crd.condition) {
    add("NonStructuralSchema", crd.condition->status + ", " + crd.condition->reason);
  }
  return facts;
}

std::vector<Remark> RemarksOf(const CrdReport& crd) {
  std::vector<Remark> remarks;
  const auto add = [&remarks](Tone tone, std::string text) {
    if (!text.empty()) remarks.push_back({tone, std::move(text)});
  };
  add(Tone::kBad, crd.error);
  if (IsApplyRefused(crd)) add(Tone::kBad, "kubectl apply is refused: " + crd.apply->message);
  if (crd.apply && !crd.apply->not_asked_because.empty()) {
    add(Tone::kPlain,
        "What kubectl apply is answered is by our own rules, as the API server was "
        "not asked: " +
            crd.apply->not_asked_because);
  }
  add(Tone::kWarning, crd.note);
  const std::string next = NextStep(crd);
  if (!next.empty()) add(Tone::kPlain, "Next: " + next);
  return remarks;
}

Section SectionOf(const CrdReport& crd) {
  Section section{.name = crd.name.empty() ? "<none>" : crd.name,
                  .verdict = std::string(terminal::VerdictName(crd.verdict)),
                  .tone = ToneOf(crd),
                  .result = ResultOf(crd),
                  .answer = VerdictAnswer(crd),
                  .bar = BarOf(crd),
                  .facts = FactsOf(crd),
                  .remarks = RemarksOf(crd)};
  section.last_writes = LastWritesOf(FoldVersions(crd.versions, &VersionReport::pruned_fields));
  AddCheckTables(section, crd);
  return section;
}

void AddLines(std::vector<Remark>& remarks, Tone tone, const std::string& lines) {
  for (const std::string& line : terminal::LinesOf(lines)) {
    if (!line.empty()) remarks.push_back({tone, line});
  }
}

std::vector<Remark> RemarksOf(const CheckReport& report) {
  std::vector<Remark> remarks;
  if (report.not_all_crds_read) {
    remarks.push_back({Tone::kBad, "It was interrupted: not all CRDs were read"});
  }
  for (const std::string& error : report.file_errors) remarks.push_back({Tone::kBad, error});
  for (const std::string& hint : report.file_hints) remarks.push_back({Tone::kWarning, hint});
  AddLines(remarks, Tone::kWarning, InterruptedNote(report) + RunNotes(report, true));
  return remarks;
}

std::vector<Tally> TalliesOf(const Totals& totals) {
  const auto objects_text = [](std::uint64_t count) {
    return std::string(count == 1 ? "object" : "objects");
  };
  std::vector<Tally> tallies = {
      {totals.all == 1 ? "CRD" : "CRDs", totals.all},
      {"blocked", totals.CountOf(Verdict::kBlocked), Tone::kBad},
      {"lose fields", totals.CountOf(Verdict::kLosesFields), Tone::kBad},
      {"invalid", totals.CountOf(Verdict::kInvalid), Tone::kBad},
      {"unknown", totals.CountOf(Verdict::kUnknown), Tone::kWarning},
      {"ready", totals.CountOf(Verdict::kReady), Tone::kGood},
      {"pruning", totals.CountOf(Verdict::kPruning), Tone::kGood},
      {objects_text(totals.objects), totals.objects, Tone::kPlain},
      {objects_text(totals.losing) + " losing fields", totals.losing, Tone::kBad},
      {objects_text(totals.invalid) + " invalid", totals.invalid, Tone::kBad}};
  for (Tally& tally : tallies) {
    if (tally.count == 0) tally.tone = Tone::kPlain;
  }
  return tallies;
}

Tone WorstToneOf(const Page& page) {
  Tone worst = Tone::kGood;
  const auto take = [&worst](Tone tone) {
    if (tone != Tone::kPlain) worst = std::max(worst, tone);
  };
  for (const Section& section : page.sections) take(section.tone);
  for (const Remark& remark : page.remarks) take(remark.tone);
  return page.sections.empty() ? std::max(worst, Tone::kWarning) : worst;
}

}  // namespace

Page PageOf(const CheckReport& report) {
  Page page{.command = "check", .answer = AnswerOf(report), .run = report.run};
  page.tallies = TalliesOf(TotalsOf(report));
  page.remarks = RemarksOf(report);
  for (const auto& step : report.steps_done) {
    page.steps.push_back({step.title + ": done", "", step.proof});
  }
  for (const migrate::report::UpgradeStep& step : report.steps) {
    page.steps.push_back({step.title, step.command, step.reason, step.needs, step.EffectWords()});
  }
  for (const CrdReport& crd : report.crds) page.sections.push_back(SectionOf(crd));
  page.tone = WorstToneOf(page);
  return page;
}

namespace {

using migrate::report::CrdDifference;
using migrate::report::CrdVariant;
using migrate::report::FleetCluster;
using migrate::report::FleetReport;

Section FailedSection(const FleetCluster& cluster) {
  return {.name = cluster.name,
          .verdict = "unknown",
          .tone = Tone::kWarning,
          .result = Result::kError,
          .answer = "The cluster could not be checked",
          .remarks = {{Tone::kBad, cluster.error}}};
}

// Where its parts stand among those of others each says whose it is.
void Append(Page& page, Page cluster, const std::string& name) {
  for (Section& section : cluster.sections) section.name = name + " / " + section.name;
  for (Remark& remark : cluster.remarks) remark.text = name + ": " + remark.text;
  for (Step& step : cluster.steps) step.title = name + ": " + step.title;
  std::ranges::move(cluster.sections, std::back_inserter(page.sections));
  std::ranges::move(cluster.remarks, std::back_inserter(page.remarks));
  std::ranges::move(cluster.steps, std::back_inserter(page.steps));
}

std::string DescribeVariant(const CrdVariant& variant) {
  const std::string clusters = Join(variant.clusters, ", ");
  if (!variant.is_found) return "not found in " + clusters;
  return clusters + " (" + (variant.preserve_unknown_fields ? "preserves unknown fields, " : "") +
         "storage version " + variant.storage_version + ", stored " +
         Join(variant.stored_versions, " ") + ", served " + Join(variant.served_versions, " ") +
         ")";
}

Remark RemarkOf(const CrdDifference& difference) {
  std::vector<std::string> variants;
  for (const CrdVariant& variant : difference.variants)
    variants.push_back(DescribeVariant(variant));
  return {Tone::kPlain, difference.name + " is not the same in all clusters (" +
                            Join(migrate::report::DifferingParts(difference), ", ") +
                            "): " + Join(variants, "; ")};
}

}  // namespace

Page PageOf(const FleetReport& report) {
  Page page{.command = "check", .run = report.run};
  std::uint64_t failed = 0;
  for (const FleetCluster& cluster : report.clusters) {
    if (cluster.is_checked()) {
      const migrate::report::ClusterFlagsOfThread flags(
          migrate::report::ClusterFlags() + " --context=" + terminal::ShellWord(cluster.name));
      Append(page, PageOf(cluster.check), cluster.name);
    } else {
      ++failed;
      page.sections.push_back(FailedSection(cluster));
    }
  }
  for (const CrdDifference& difference : report.differences) {
    page.remarks.push_back(RemarkOf(difference));
  }
  page.answer = AnswerOf(report);
  page.tallies = TalliesOf(TotalsOf(report));
  page.tallies.insert(
      page.tallies.begin(),
      {{report.clusters.size() == 1 ? "cluster" : "clusters", report.clusters.size(), Tone::kPlain},
       {"not checked", failed, failed == 0 ? Tone::kPlain : Tone::kWarning}});
  page.tone = WorstToneOf(page);
  return page;
}

}  // namespace plugin::report
