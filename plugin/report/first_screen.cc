#include "plugin/report/first_screen.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
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
constexpr std::size_t kLinesOfSteps = 16;

/// Why somebody has to look at a CRD. What can be lost comes first, then what blocks most.
enum class Need {
  kLoses,
  kBlocked,
  kUnread,
  kInvalid,
  kChanges,
  kMigration,
  kManagedFields,
  kReady,
  kNothing
};
constexpr std::size_t kNeeds = static_cast<std::size_t>(Need::kNothing);

/// A CRD that needs something.
struct Row {
  std::string cluster;  // empty: there is one
  const CrdReport* crd = nullptr;
  Need need = Need::kNothing;
  std::uint64_t objects = 0;  // that it is about
};

std::uint64_t BrokenByChanges(const CrdReport& crd) {
  std::uint64_t most = 0;
  if (!crd.changes) return most;
  for (const auto& change : crd.changes->changes) {
    if (change.breaking) most = std::max(most, change.objects.value_or(0));
  }
  return most;
}

Need NeedOf(const CrdReport& crd) {
  if (crd.verdict == Verdict::kUnknown) return Need::kUnread;
  if (crd.objects_losing_fields > 0 || crd.MakesInvalid() || crd.DropsConversion()) {
    return Need::kLoses;
  }
  if (crd.verdict == Verdict::kBlocked || (crd.apply && !crd.apply->accepted)) {
    return Need::kBlocked;
  }
  if (!crd.object_errors.empty()) return Need::kUnread;
  if (crd.HasInvalid()) return Need::kInvalid;
  if (BrokenByChanges(crd) > 0) return Need::kChanges;
  if (crd.migration_needed) return Need::kMigration;
  if (!crd.stale_managed_fields.empty()) return Need::kManagedFields;
  return crd.verdict == Verdict::kReady ? Need::kReady : Need::kNothing;
}

std::uint64_t ObjectsOf(const CrdReport& crd, Need need) {
  if (need == Need::kLoses) return std::max(crd.objects_losing_fields, ObjectsInvalid(crd));
  if (need == Need::kInvalid) return ObjectsInvalid(crd);
  return need == Need::kChanges ? BrokenByChanges(crd) : crd.object_count;
}

void AddRows(std::vector<Row>& rows, const std::string& cluster, const CheckReport& report) {
  for (const CrdReport& crd : report.crds) {
    const Need need = NeedOf(crd);
    if (need != Need::kNothing) rows.push_back({cluster, &crd, need, ObjectsOf(crd, need)});
  }
}

void SortByNeed(std::vector<Row>& rows) {
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.need, b.objects) < std::tie(b.need, a.objects);
  });
}

std::size_t CountLostFields(const CrdReport& crd) {
  std::vector<std::string_view> paths;
  for (const auto& version : crd.versions) {
    for (const auto& use : version.pruned_fields) paths.push_back(use.path);
  }
  std::ranges::sort(paths);
  return static_cast<std::size_t>(std::unique(paths.begin(), paths.end()) - paths.begin());
}

std::string WhatIsLost(const CrdReport& crd) {
  if (crd.objects_losing_fields > 0) {
    const bool is_one = crd.objects_losing_fields == 1;
    return std::to_string(crd.objects_losing_fields) + (is_one ? " loses " : " lose ") +
           Count(CountLostFields(crd), "field");
  }
  if (crd.MakesInvalid()) return std::to_string(ObjectsInvalid(crd)) + " invalid once pruned";
  return "loses its conversion";
}

std::string WhatBlocks(const CrdReport& crd) {
  if (!crd.problems.empty()) return Count(crd.problems.size(), "schema problem");
  const std::size_t refused = AdmissionFindings(crd).size();
  if (refused > 0) return Count(refused, "admission problem");
  return crd.IsRefusedUntilPruning() ? "apply needs pruning first" : "apply is refused";
}

// What is the matter, in few words.
std::string WhatOf(const Row& row) {
  const CrdReport& crd = *row.crd;
  switch (row.need) {
    case Need::kLoses:
      return WhatIsLost(crd);
    case Need::kBlocked:
      return WhatBlocks(crd);
    case Need::kUnread:
      return crd.verdict == Verdict::kUnknown ? "could not be read" : "objects not read";
    case Need::kInvalid:
      return std::to_string(row.objects) + " would be refused";
    case Need::kChanges:
      return "changes what " + std::to_string(row.objects) + " have";
    case Need::kMigration:
      return "stored as " + kube::base::Join(crd.stored_versions, ", ");
    case Need::kManagedFields:
      return "old managedFields";
    case Need::kReady:
      return "loses nothing";
    case Need::kNothing:
      break;
  }
  return "";
}

// What follows "kubectl prune" and comes before the name.
std::string NextOf(const Row& row) {
  switch (row.need) {
    case Need::kLoses:
      return row.crd->objects_losing_fields > 0 ? "suggest" : "check";
    case Need::kBlocked:
      return row.crd->problems.empty() ? "check" : "suggest";
    case Need::kMigration:
    case Need::kManagedFields:
      return "migrate";
    case Need::kReady:
      return "migrate --enable-pruning";
    case Need::kUnread:
    case Need::kInvalid:
    case Need::kChanges:
    case Need::kNothing:
      break;
  }
  return "check";
}

// "3 are blocked", as a part of the answer.
std::string PartOf(Need need, std::uint64_t count, const Totals& totals) {
  const std::string number = std::to_string(count);
  const bool is_one = count == 1;
  switch (need) {
    case Need::kLoses:
      return number + " would lose fields (" + std::to_string(totals.losing) + " of " +
             Count(totals.objects, "object") + ")";
    case Need::kBlocked:
      return number + (is_one ? " is blocked" : " are blocked");
    case Need::kUnread:
      return number + " could not be read";
    case Need::kInvalid:
      return number + (is_one ? " has" : " have") + " objects that the server would refuse";
    case Need::kChanges:
      return number + (is_one ? " changes" : " change") + " what objects have";
    case Need::kMigration:
      return number + (is_one ? " needs" : " need") + " a storage migration";
    case Need::kManagedFields:
      return number + (is_one ? " has" : " have") + " old managedFields";
    case Need::kReady:
      return number + (is_one ? " is" : " are") + " ready for pruning";
    case Need::kNothing:
      break;
  }
  return "";
}

std::string AnswerOf(const std::vector<Row>& rows, const Totals& totals, const std::string& where) {
  const std::string all = Count(totals.all, "CRD") + where;
  if (rows.empty()) {
    return totals.all == 1 ? "The one CRD" + where + " needs nothing."
                           : "None of " + all + " needs anything.";
  }
  std::array<std::uint64_t, kNeeds> counts{};
  for (const Row& row : rows) ++counts[static_cast<std::size_t>(row.need)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kNeeds; ++i) {
    if (counts[i] > 0) parts.push_back(PartOf(static_cast<Need>(i), counts[i], totals));
  }
  return std::to_string(rows.size()) + " of " + all +
         (rows.size() == 1 ? " needs something: " : " need something: ") +
         kube::base::Join(parts, ", ") + ".";
}

std::string ContextFlag(const Row& row) {
  return row.cluster.empty() ? "" : " --context " + terminal::ShellWord(row.cluster);
}

/// One screen, from top to bottom.
class FirstScreen {
 public:
  FirstScreen(std::vector<Row> rows, const Totals& totals, std::string where,
              const CheckTableOptions& options)
      : rows_(std::move(rows)),
        totals_(totals),
        where_(std::move(where)),
        screen_(options.screen),
        width_(options.screen.width.value_or(80)) {
    SortByNeed(rows_);
  }

  // `report` may have a plan; the null pointer where there are several.
  std::string Print(const CheckReport* report, const std::vector<std::string>& notes) {
    AddText(AnswerOf(rows_, totals_, where_));
    const bool has_plan = report != nullptr && !report->steps.empty();
    if (has_plan) {
      AddSteps(*report);
    } else {
      if (report != nullptr) AddText(Steps(*report));  // that nothing is left of it
      if (!rows_.empty()) AddFirst(rows_.front());
    }
    const std::string tail = TailOf(notes);
    AddTable(!has_plan, kFirstScreenLines - std::min(kFirstScreenLines, LinesOn(tail, width_)));
    return out_ + tail;
  }

 private:
  void AddText(std::string_view text) {
    if (text.empty()) return;
    while (text.ends_with('\n')) text.remove_suffix(1);
    out_ += terminal::Wrapped(text, width_, "  ") + "\n";
  }

  std::size_t used() const { return LinesOn(out_, width_); }

  void AddSteps(const CheckReport& report) {
    out_ += "\nPlan (" + Count(report.steps.size(), "step") + " left, ";
    out_ += std::to_string(report.steps_done.size()) + " done):\n";
    std::size_t number = report.steps_done.size(), left = report.steps.size();
    for (const auto& step : report.steps) {
      const std::string title = terminal::CutMiddle(terminal::Printable(step.title), 2 * width_);
      const std::string begin = std::to_string(++number) + ". ";
      const std::string text =
          "  " + terminal::Wrapped(begin + title, width_ - 2, "     ") + "\n" + CommandOf(step);
      const bool is_first = left == report.steps.size();
      if (!is_first && used() + LinesOn(text, width_) > kLinesOfSteps) break;
      out_ += text;
      --left;
    }
    out_ += left == 0 ? "  (--details has the reasons)\n"
                      : "  ... and " + Count(left, "more step") + " (--details, with reasons)\n";
  }

  // A command is whole, or not there.
  std::string CommandOf(const migrate::report::UpgradeStep& step) const {
    constexpr std::size_t kMostLines = 8;
    const std::string line = "       " + terminal::Printable(step.command) + "\n";
    return LinesOn(line, width_) <= kMostLines ? line : "       (--details has the command)\n";
  }

  void AddFirst(const Row& row) {
    const std::string name = terminal::Printable(row.crd->name.empty() ? "<none>" : row.crd->name);
    out_ += "\n";
    const std::string in = row.cluster.empty() ? "" : " in " + terminal::Printable(row.cluster);
    AddText("Begin with " + terminal::CutMiddle(name, width_) + in + ": " +
            terminal::Printable(WhatOf(row)) + ".");
    if (!row.crd->source.empty()) return;  // --details tells of files
    out_ += "  " + migrate::report::OwnCommand("check " + name) + ContextFlag(row) + "\n";
    const std::string next = NextOf(row);
    if (next != "check") {
      out_ += "  " + migrate::report::OwnCommand(next + " " + name) + ContextFlag(row) + "\n";
    }
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
    for (std::size_t i = 0; i < shown; ++i)
      table.AddRow(CellsOf(rows_[i], has_clusters, with_next));
    out_ += "\n";
    table.AppendTo(out_, "", screen_);
    if (shown < rows_.size()) {
      out_ += "... and " + std::to_string(rows_.size() - shown) + " more (-o wide)\n";
    }
  }

  static std::vector<std::string> CellsOf(const Row& row, bool has_cluster, bool with_next) {
    const CrdReport& crd = *row.crd;
    const bool is_known = !crd.objects_skipped && crd.verdict != Verdict::kUnknown;
    std::vector<std::string> cells = {crd.name, std::string(terminal::VerdictName(crd.verdict)),
                                      is_known ? std::to_string(crd.object_count) : "",
                                      WhatOf(row)};
    if (has_cluster) cells.insert(cells.begin(), row.cluster);
    if (with_next) cells.push_back(NextOf(row));
    return cells;
  }

  std::string TailOf(const std::vector<std::string>& notes) const {
    std::string tail = "\n";
    const std::uint64_t fine = totals_.all - rows_.size();
    if (fine > 0 && !rows_.empty()) {
      tail += fine == 1 ? "1 other CRD needs nothing.\n"
                        : std::to_string(fine) + " other CRDs need nothing.\n";
    }
    const std::size_t shown = std::min(notes.size(), kMostNotes);
    for (std::size_t i = 0; i < shown; ++i) {
      tail += terminal::CutMiddle(notes[i], 2 * width_) + "\n";
    }
    if (shown < notes.size()) {
      tail += "... and " + Count(notes.size() - shown, "more note") + " (--details)\n";
    }
    tail += terminal::Wrapped(
        "Details: name a CRD, or add --details (-o wide, html or json have all of it, too).",
        width_, "  ");
    return tail + "\n";
  }

  std::vector<Row> rows_;
  const Totals& totals_;
  const std::string where_;
  const Screen screen_;
  const std::size_t width_;
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

}  // namespace

std::size_t LinesOn(std::string_view text, std::size_t width) {
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t length = ShownLength(text.substr(0, end));
    lines += std::max<std::size_t>(1, (length + width - 1) / width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string PrintFirstScreen(const CheckReport& report, const CheckTableOptions& options) {
  std::vector<Row> rows;
  AddRows(rows, "", report);
  const Totals totals = TotalsOf(report);
  const std::string notes = InterruptedNote(report) + RunNotes(report, /*all=*/false);
  return FirstScreen(std::move(rows), totals, "", options).Print(&report, terminal::LinesOf(notes));
}

std::string PrintFirstScreen(const FleetReport& report, const CheckTableOptions& options) {
  std::vector<Row> rows;
  for (const auto& cluster : report.clusters) AddRows(rows, cluster.name, cluster.check);
  const Totals totals = TotalsOf(report);
  const std::string where = " in " + Count(report.clusters.size(), "cluster");
  const std::size_t differing = report.differences.size();
  std::vector<std::string> notes = terminal::LinesOf(FleetErrors(report));
  if (differing > 0) {
    notes.push_back("note: " + Count(differing, "CRD") + (differing == 1 ? " is" : " are") +
                    " not the same in all clusters (--details)");
  }
  return FirstScreen(std::move(rows), totals, where, options).Print(nullptr, notes);
}

}  // namespace plugin::report
