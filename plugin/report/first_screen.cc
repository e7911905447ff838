#include "plugin/report/first_screen.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"
#include "plugin/report/check_summary.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using migrate::report::CheckReport;
using migrate::report::CrdReport;
using migrate::report::FleetReport;
using migrate::report::Verdict;

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostNotes = 3;
// Of these as many as leave room for the table.
constexpr std::size_t kLinesOfSteps = 18;

/// Why somebody has to look at a CRD. What can be lost comes first, then what blocks most.
enum class Need {
  kLosesFields,
  kLosesConversion,
  kInvalidOncePruned,
  kBlocked,
  kUnread,
  kInvalid,
  kFileObjects,
  kChanges,
  kWriters,
  kMigration,
  kManagedFields,
  kUnchecked,
  kReady,
  kFinding,  ///< anything else that counts for the exit code
  kNothing
};
constexpr std::size_t kNeeds = static_cast<std::size_t>(Need::kNothing);

std::uint64_t BrokenByChanges(const CrdReport& crd) {
  std::uint64_t most = 0;
  if (!crd.changes) return most;
  for (const auto& change : crd.changes->changes) {
    if (change.breaking) most = std::max(most, change.objects.value_or(0));
  }
  return most;
}

std::size_t CountLostFields(const CrdReport& crd) {
  std::vector<std::string_view> paths;
  for (const auto& version : crd.versions) {
    for (const auto& use : version.pruned_fields) paths.push_back(use.path);
  }
  std::ranges::sort(paths);
  return static_cast<std::size_t>(std::unique(paths.begin(), paths.end()) - paths.begin());
}

std::string WhatBlocks(const CrdReport& crd) {
  if (!crd.problems.empty()) return Count(crd.problems.size(), "schema problem");
  const std::size_t refused = AdmissionFindings(crd).size();
  if (refused > 0) return Count(refused, "admission problem");
  return crd.IsRefusedUntilPruning() ? "apply needs pruning" : "apply is refused";
}

std::string WhereStored(const CrdReport& crd) {
  constexpr std::size_t kFew = 2;
  if (crd.stored_versions.size() > kFew) {
    return "stored in " + Count(crd.stored_versions.size(), "version");
  }
  return "stored as " + kube::base::Join(crd.stored_versions, ", ");
}

// What is said of one CRD and of several, by need.
struct CountWords {
  std::string_view one, many;
};
constexpr CountWords kCountWords[] = {
    {"would lose fields", "would lose fields"},
    {"drops its conversion", "drop their conversion"},
    {"has objects that pruning makes invalid", "have objects that pruning makes invalid"},
    {"is blocked", "are blocked"},
    {"could not be read", "could not be read"},
    {"has objects that the server would refuse", "have objects that the server would refuse"},
    {"has objects in files that would not be taken as they are",
     "have objects in files that would not be taken as they are"},
    {"changes what objects have", "change what objects have"},
    {"had lost fields written", "had lost fields written"},
    {"needs a storage migration", "need a storage migration"},
    {"has old managedFields", "have old managedFields"},
    {"was checked without all its objects", "were checked without all their objects"},
    {"can have pruning turned on", "can have pruning turned on"},
    {"has findings", "have findings"}};
static_assert(std::size(kCountWords) == kNeeds);

/// The first that fits. What IsFinding counts, by any --fail-on, never needs nothing.
Need NeedOf(const CheckReport& report, const CrdReport& crd) {
  constexpr FailOn kAll = {.migration_needed = true};
  if (crd.objects_losing_fields > 0) return Need::kLosesFields;
  if (crd.DropsConversion()) return Need::kLosesConversion;
  if (crd.MakesInvalid()) return Need::kInvalidOncePruned;
  if (IsBlocked(crd, {})) return Need::kBlocked;
  if (crd.verdict == Verdict::kUnknown || !crd.object_errors.empty()) return Need::kUnread;
  if (crd.HasInvalid()) return Need::kInvalid;
  if (crd.file_objects && IsFinding(crd, {})) return Need::kFileObjects;
  if (BrokenByChanges(crd) > 0) return Need::kChanges;
  if (!crd.guard_writers.empty()) return Need::kWriters;
  if (crd.migration_needed) return Need::kMigration;
  if (!crd.stale_managed_fields.empty() || !crd.unfit_managed_fields.empty()) {
    return Need::kManagedFields;
  }
  const bool prunes_already = crd.replaced && !crd.replaced->preserve_unknown_fields;
  if (crd.verdict == Verdict::kReady && !prunes_already) {
    return WasCheckedWithObjects(report, crd) ? Need::kReady : Need::kUnchecked;
  }
  return IsFinding(crd, kAll) ? Need::kFinding : Need::kNothing;
}

/// How many objects of `crd` the need is about.
std::uint64_t ObjectsOf(const CrdReport& crd, Need need) {
  switch (need) {
    case Need::kLosesFields:
      return crd.objects_losing_fields;
    case Need::kInvalidOncePruned:
    case Need::kInvalid:
      return ObjectsInvalid(crd);
    case Need::kFileObjects:
      return std::max(crd.file_objects->objects_losing_fields, crd.file_objects->validity.objects);
    case Need::kChanges:
      return BrokenByChanges(crd);
    default:
      return crd.object_count;
  }
}

/// What is the matter; `subject` is how these objects are told: "3", "3 of 7 objects". Not
/// printable where versions are not.
std::string WhatOf(const CrdReport& crd, Need need, const std::string& subject) {
  switch (need) {
    case Need::kLosesFields:
      return subject + (crd.objects_losing_fields == 1 ? " loses " : " lose ") +
             Count(CountLostFields(crd), "field");
    case Need::kLosesConversion:
      return "loses its conversion";
    case Need::kInvalidOncePruned:
      return subject + " invalid if pruned";
    case Need::kBlocked:
      return WhatBlocks(crd);
    case Need::kUnread:
      return crd.verdict == Verdict::kUnknown ? "could not be read" : "objects not read";
    case Need::kInvalid:
      return subject + " would be refused";
    case Need::kFileObjects:
      return subject + " in files not taken";
    case Need::kChanges:
      return subject + " have what changes";
    case Need::kWriters:
      return "lost fields are written";
    case Need::kMigration:
      return WhereStored(crd);
    case Need::kManagedFields:
      return "old managedFields";
    case Need::kUnchecked:
      return "objects not checked";
    case Need::kReady:
      return "loses nothing";
    case Need::kFinding:
    case Need::kNothing:
      break;
  }
  return "see its details";
}

/// The command of this program that comes next: "suggest".
std::string_view NextOf(const CrdReport& crd, Need need) {
  const bool is_live = crd.source.empty();
  switch (need) {
    case Need::kLosesFields:
      return "suggest";
    case Need::kBlocked:
      return crd.problems.empty() ? "check" : "suggest";
    case Need::kMigration:
    case Need::kManagedFields:
    case Need::kReady:
      return is_live ? "migrate" : "check";
    default:
      return "check";
  }
}

/// Of so many CRDs, as a part of a sentence: "3 are blocked".
std::string CountOf(Need need, std::uint64_t crds) {
  const CountWords& words = kCountWords[static_cast<std::size_t>(need)];
  return std::to_string(crds).append(" ").append(crds == 1 ? words.one : words.many);
}

/// A CRD that needs something.
struct Row {
  std::string cluster;  // empty: there is one
  const CrdReport* crd = nullptr;
  Need need = Need::kNothing;
  std::uint64_t objects = 0;  // that it is about
};

void AddRows(std::vector<Row>& rows, const std::string& cluster, const CheckReport& report) {
  for (const CrdReport& crd : report.crds) {
    const Need need = NeedOf(report, crd);
    if (need != Need::kNothing) rows.push_back({cluster, &crd, need, ObjectsOf(crd, need)});
  }
}

void SortByNeed(std::vector<Row>& rows) {
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.need, b.objects) < std::tie(b.need, a.objects);
  });
}

std::string CellOf(const Row& row) {
  return WhatOf(*row.crd, row.need, std::to_string(row.objects));
}

std::string SentenceOf(const Row& row) {
  return WhatOf(*row.crd, row.need,
                std::to_string(row.objects) + " of " +
                    Count(std::max(row.crd->object_count, row.objects), "object"));
}

std::string WordsOfCount(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + std::string(count == 1 ? one : many);
}

// What a screen is about, beside its rows.
struct Outline {
  Totals totals;
  std::string where;        // " in 3 clusters"
  std::string incomplete;   // a sentence: what could not be read; empty: all was
  bool is_partial = false;  // flags leave objects out
};

std::string LossOf(const std::vector<Row>& rows, const Totals& totals) {
  const auto blocked = std::ranges::count_if(rows, [](const Row& row) {
    return row.need == Need::kLosesFields && IsBlocked(*row.crd, {});
  });
  std::string words =
      " (" + std::to_string(totals.losing) + " of " + Count(totals.objects, "object");
  if (blocked > 0) {
    words += "; " + std::to_string(blocked) +
             (blocked == 1 ? " of these CRDs is blocked, too" : " of these CRDs are blocked, too");
  }
  return words + ")";
}

std::string SentenceOf(const std::vector<Row>& rows, const Outline& outline) {
  if (outline.totals.all == 0) return "No CRD was checked.";
  const std::string all = Count(outline.totals.all, "CRD") + outline.where;
  if (rows.empty()) {
    const std::string seen =
        outline.is_partial ? ", as far as objects were looked at." : std::string(".");
    if (outline.totals.all == 1) return "The one CRD" + outline.where + " needs nothing" + seen;
    return outline.incomplete.empty()
               ? "None of " + all + " needs anything" + seen
               : "None of the " + all + " that could be read needs anything" + seen;
  }
  std::array<std::uint64_t, kNeeds> counts{};
  for (const Row& row : rows) ++counts[static_cast<std::size_t>(row.need)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kNeeds; ++i) {
    if (counts[i] == 0) continue;
    parts.push_back(CountOf(static_cast<Need>(i), counts[i]));
    if (static_cast<Need>(i) == Need::kLosesFields) parts.back() += LossOf(rows, outline.totals);
  }
  return std::to_string(rows.size()) + " of " + all +
         (rows.size() == 1 ? " needs something: " : " need something: ") +
         kube::base::Join(parts, ", ") + ".";
}

/// One screen, from top to bottom.
class FirstScreen {
 public:
  FirstScreen(std::vector<Row> rows, Outline outline, const CheckTableOptions& options)
      : rows_(std::move(rows)),
        outline_(std::move(outline)),
        options_(options),
        width_(options.screen.width.value_or(80)) {
    SortByNeed(rows_);
    for (const Row& row : rows_) ++names_[{row.cluster, row.crd->name}];
  }

  // `report` may have a plan; the null pointer where there are several.
  std::string Print(const CheckReport* report, const std::vector<std::string>& notes) {
    AddText(outline_.incomplete);
    AddText(SentenceOf(rows_, outline_));
    const bool has_plan = report != nullptr && !report->steps.empty();
    if (report != nullptr && !has_plan) AddText(Steps(*report));  // that nothing is left of it
    if (!rows_.empty()) AddFirst(rows_.front(), /*with_commands=*/!has_plan);
    if (has_plan) AddSteps(*report);
    const std::string tail = TailOf(notes);
    const std::size_t tail_lines = std::min(kFirstScreenLines, LinesOn(tail, width_));
    AddTable(!has_plan, kFirstScreenLines - tail_lines);
    return out_ + tail;
  }

 private:
  void AddText(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    if (!text.empty()) out_ += terminal::Wrapped(text, width_, "  ") + "\n";
  }

  std::size_t used() const { return LinesOn(out_, width_); }

  // A command is copied from here: it is whole, or not there.
  void AddCommand(const std::string& command, std::string_view indent) {
    constexpr std::size_t kMostLines = 4;
    const std::string line = std::string(indent) + terminal::Printable(command) + "\n";
    if (LinesOn(line, width_) <= kMostLines) out_ += line;
  }

  void AddFirst(const Row& row, bool with_commands) {
    const std::string name = terminal::Printable(row.crd->name.empty() ? "<none>" : row.crd->name);
    std::string in = row.cluster.empty() ? "" : " in " + terminal::Printable(row.cluster);
    if (IsNamesake(row)) in += " of " + terminal::FileArgument(row.crd->source);
    out_ += "\n";
    AddText("Begin with " + terminal::CutMiddle(name + in, width_) + ": " +
            terminal::Printable(SentenceOf(row)) + ".");
    if (!with_commands || row.crd->name.empty()) return;
    AddCommand(CommandOf(row, "check"), "  ");
    const std::string_view next = NextOf(*row.crd, row.need);
    if (next != "check") AddCommand(CommandOf(row, next), "  ");
  }

  std::string CommandOf(const Row& row, std::string_view verb) const {
    std::string command = std::string(verb) + " " + terminal::ShellWord(row.crd->name);
    if (row.need == Need::kReady && verb == "migrate") command += " --enable-pruning";
    if (!row.cluster.empty()) command += " --context " + terminal::ShellWord(row.cluster);
    return migrate::report::OwnCommand(command + options_.scope);
  }

  void AddSteps(const CheckReport& report) {
    out_ += "\nPlan (" + Count(report.steps.size(), "step") + " left, ";
    out_ += std::to_string(report.steps_done.size()) + " done):\n";
    std::size_t number = report.steps_done.size(), left = report.steps.size();
    for (const auto& step : report.steps) {
      std::string title = terminal::CutMiddle(terminal::Printable(step.title), 2 * width_);
      if (step.seconds) title += ", about " + migrate::report::DurationText(*step.seconds);
      const std::string before = out_;
      out_ += "  " +
              terminal::Wrapped(std::to_string(++number) + ". " + title, width_ - 2, "     ") +
              "\n";
      if (!step.needs.empty()) {
        const std::string needs =
            terminal::CutMiddle("before: " + terminal::Printable(step.needs), 3 * width_);
        out_ += "       " + terminal::Wrapped(needs, width_ - 7, "       ") + "\n";
      }
      AddCommand(step.command, "       ");
      if (left < report.steps.size() && used() > kLinesOfSteps) {
        out_ = before;
        break;
      }
      --left;
    }
    out_ += left == 0 ? "  (--details has the reasons)\n"
                      : "  ... and " + Count(left, "more step") + " (--details, with reasons)\n";
  }

  // Of `most` lines in all, `out_` included.
  void AddTable(bool with_next, std::size_t most) {
    constexpr std::size_t kLinesAround = 3;  // a blank one, the titles, how many more there are
    if (rows_.empty()) return;
    const std::size_t taken = used() + kLinesAround;
    const std::size_t room = std::min(kMostRows, most > taken ? most - taken : 1);
    const std::size_t shown = std::min(rows_.size(), room);
    const bool has_clusters = !rows_.front().cluster.empty();
    std::vector<std::string> titles = {"NAME", "VERDICT", "OBJECTS", "WHAT"};
    if (has_clusters) titles.insert(titles.begin(), "CLUSTER");
    if (with_next) titles.emplace_back("NEXT");
    TextTable table(std::move(titles));
    for (std::size_t i = 0; i < shown; ++i) table.AddRow(CellsOf(rows_[i], with_next));
    out_ += "\n";
    table.AppendTo(out_, "", options_.screen);
    if (shown < rows_.size()) {
      out_ += "... and " + std::to_string(rows_.size() - shown) + " more (-o wide)\n";
    }
  }

  // Whether its name alone does not tell which CRD is meant.
  bool IsNamesake(const Row& row) const {
    return !row.crd->source.empty() && names_.at({row.cluster, row.crd->name}) > 1;
  }

  std::vector<std::string> CellsOf(const Row& row, bool with_next) const {
    const CrdReport& crd = *row.crd;
    const bool is_known = !crd.objects_skipped && crd.verdict != Verdict::kUnknown;
    std::vector<std::string> cells = {
        IsNamesake(row) ? crd.name + " (" + crd.source + ")" : crd.name,
        std::string(terminal::VerdictName(crd.verdict)),
        is_known ? std::to_string(crd.object_count) : "", CellOf(row)};
    if (!row.cluster.empty()) cells.insert(cells.begin(), row.cluster);
    if (with_next) cells.emplace_back(NextOf(*row.crd, row.need));
    return cells;
  }

  std::string TailOf(const std::vector<std::string>& notes) const {
    std::string tail = "\n";
    const std::uint64_t fine = outline_.totals.all - rows_.size();
    if (fine > 0 && !rows_.empty()) {
      tail += WordsOfCount(fine, " other CRD needs nothing.\n", " other CRDs need nothing.\n");
    }
    const std::size_t shown = std::min(notes.size(), kMostNotes);
    for (std::size_t i = 0; i < shown; ++i) {
      tail += terminal::CutMiddle(notes[i], 2 * width_) + "\n";
    }
    if (shown < notes.size())
      tail += "... and " + Count(notes.size() - shown, "more line") + " (--details)\n";
    tail += terminal::Wrapped(
        "Details: name a CRD, or add --details (-o wide, html or json have all of it, too).",
        width_, "  ");
    return tail + "\n";
  }

  std::vector<Row> rows_;
  const Outline outline_;
  const CheckTableOptions& options_;
  const std::size_t width_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> names_;  // rows of each
  std::string out_;
};

// Without the escapes that turn colours on and off, which are the only ones in what we print.
std::size_t ShownLength(std::string_view line) {
  std::size_t length = terminal::CharacterCount(line);
  for (std::size_t at = line.find('\x1b'); at != line.npos; at = line.find('\x1b', at + 1)) {
    length -= std::min(line.find('m', at), line.size() - 1) - at + 1;
  }
  return length;
}

// How many CRDs a note is about each, and what etcd may hold.
std::vector<std::string> NotesOfCrds(const CheckReport& report) {
  const auto with_note = static_cast<std::uint64_t>(
      std::ranges::count_if(report.crds, [](const CrdReport& crd) { return !crd.note.empty(); }));
  const auto in_etcd = static_cast<std::uint64_t>(std::ranges::count_if(
      report.crds, [](const CrdReport& crd) { return !crd.maybe_in_etcd.empty(); }));
  std::vector<std::string> notes;
  if (with_note > 0) {
    notes.push_back("note: --details says of " + Count(with_note, "CRD") +
                    " what the check cannot vouch for");
  }
  if (in_etcd > 0) {
    notes.push_back("note: of " + Count(in_etcd, "CRD") +
                    " etcd may still hold fields that reads do not show (--details)");
  }
  return notes;
}

std::string IncompleteSentence(const CheckReport& report) {
  const bool is_stopped = report.not_all_crds_read && !report.crds.empty();
  return report.file_errors.empty() && !is_stopped ? "" : kIncompleteNote;
}

std::vector<Row> RowsInNeed(const CheckReport& report) {
  std::vector<Row> rows;
  AddRows(rows, "", report);
  return rows;
}

std::vector<Row> RowsInNeed(const FleetReport& report) {
  std::vector<Row> rows;
  for (const auto& cluster : report.clusters) AddRows(rows, cluster.name, cluster.check);
  return rows;
}

Outline OutlineOf(const CheckReport& report) {
  return {TotalsOf(report), "", IncompleteSentence(report), !report.object_filter.empty()};
}

Outline OutlineOf(const FleetReport& report) {
  std::uint64_t checked = 0;
  std::string incomplete;
  for (const auto& cluster : report.clusters) {
    checked += cluster.is_checked() ? 1 : 0;
    if (incomplete.empty()) incomplete = IncompleteSentence(cluster.check);
  }
  const std::uint64_t failed = report.clusters.size() - checked;
  if (failed > 0) {
    incomplete = std::to_string(failed) + " of " + Count(report.clusters.size(), "cluster") +
                 " could not be checked. " + incomplete;
  }
  const bool is_partial = std::ranges::any_of(
      report.clusters, [](const auto& cluster) { return !cluster.check.object_filter.empty(); });
  return {TotalsOf(report), " in " + Count(checked, "cluster"), incomplete, is_partial};
}

std::string WholeAnswer(const std::vector<Row>& rows, const Outline& outline) {
  std::string_view incomplete = outline.incomplete;
  while (incomplete.ends_with('\n') || incomplete.ends_with(' ')) incomplete.remove_suffix(1);
  std::string sentence = SentenceOf(rows, outline);
  sentence.pop_back();
  return incomplete.empty() ? sentence : std::string(incomplete) + " " + sentence;
}

}  // namespace

std::size_t LinesOn(std::string_view text, std::size_t width) {
  std::size_t lines = 0;
  for (const std::string& line : terminal::LinesOf(text)) {
    lines += std::max<std::size_t>(1, (ShownLength(line) + width - 1) / width);
  }
  return lines;
}

std::string PrintFirstScreen(const CheckReport& report, const CheckTableOptions& options) {
  std::vector<std::string> notes =
      terminal::LinesOf(InterruptedNote(report) + RunNotes(report, /*all=*/false));
  std::ranges::move(NotesOfCrds(report), std::back_inserter(notes));
  return FirstScreen(RowsInNeed(report), OutlineOf(report), options).Print(&report, notes);
}

std::string PrintFirstScreen(const FleetReport& report, const CheckTableOptions& options) {
  const std::size_t differing = report.differences.size();
  std::vector<std::string> notes = terminal::LinesOf(FleetErrors(report));
  if (differing > 0) {
    notes.push_back("note: " + WordsOfCount(differing, " CRD is", " CRDs are") +
                    " not the same in all clusters (--details)");
  }
  return FirstScreen(RowsInNeed(report), OutlineOf(report), options).Print(nullptr, notes);
}

std::string AnswerOf(const CheckReport& report) {
  return WholeAnswer(RowsInNeed(report), OutlineOf(report));
}

std::string AnswerOf(const FleetReport& report) {
  return WholeAnswer(RowsInNeed(report), OutlineOf(report));
}

}  // namespace plugin::report
