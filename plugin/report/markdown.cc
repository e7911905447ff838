#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "migrate/report/program_name.h"
#include "plugin/report/renderers.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

constexpr std::size_t kLongestText = 400;
constexpr std::string_view kZeroWidthSpace = "&#8203;";

std::string Prepared(std::string_view text) {
  return kube::base::utf8::Shortened(terminal::Printable(text), kLongestText);
}

bool IsPunctuation(char c) {
  return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
         !(c >= 'A' && c <= 'Z');
}

void AppendEntity(std::string& out, char c) {
  out.append("&#").append(std::to_string(static_cast<int>(c))).append(";");
}

// www.example.com is a link without more ado.
bool EndsInWww(std::string_view before) {
  return before.size() >= 3 &&
         kube::base::ToLower(std::string(before.substr(before.size() - 3))) == "www";
}

// GH-12 is one to an issue.
bool EndsInGh(std::string_view before) {
  return before.size() >= 2 &&
         kube::base::ToLower(std::string(before.substr(before.size() - 2))) == "gh";
}

// A character reference is never structure (CommonMark 2.5), also the pipe of a table; and what is
// no structure where it stands is left as it is, for those who read the source.
bool MayStay(std::string_view text, std::size_t at) {
  const char c = text[at];
  const std::string_view before = text.substr(0, at);
  if (!IsPunctuation(c)) return true;
  // Neither a link nor the name of an emoji.
  if (c == ':') return at + 1 == text.size() || text[at + 1] == ' ';
  if (c == '.') return !EndsInWww(before) && !before.empty();
  if (c == '-') return !before.empty() && !EndsInGh(before);
  return std::string_view(",;/?%()\"'").find(c) != std::string_view::npos;
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  const std::string prepared = Prepared(text);
  std::string out;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    const char c = prepared[i];
    if (MayStay(prepared, i)) {
      out += c;
      continue;
    }
    AppendEntity(out, c);
    // Mentions and references are looked for in the text that was made of it.
    if (c == '@' || c == '#' || c == '-') out += kZeroWidthSpace;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  const std::string prepared = Prepared(text);
  if (prepared.empty()) return "";
  const bool is_plain = prepared.find_first_of("`|\\") == std::string::npos &&
                        prepared.front() != ' ' && prepared.back() != ' ';
  if (is_plain) return "`" + prepared + "`";
  // In backquotes there are no character references.
  std::string out = "<code>";
  for (const char c : prepared) {
    if (IsPunctuation(c) && c != '-' && c != '/' && c != ',') {
      AppendEntity(out, c);
    } else {
      out += c;
    }
  }
  return out + "</code>";
}

namespace {

using kube::base::Count;

// For the line that says what was left out.
constexpr std::size_t kLastLineBytes = 400;
constexpr std::size_t kAllRows = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kFewerRows[] = {200, 100, 50, 20, 10, 5, 2, 1};

/// One try, with so many rows a table.
class MarkdownPrinter {
 public:
  MarkdownPrinter(const Page& page, std::size_t rows) : page_(page), rows_(rows) {}

  /// Absent where it does not fit; with `must_fit` it is cut then.
  std::optional<std::string> Print(bool must_fit) {
    AppendAnswer();
    AppendSteps();
    AppendOverview();
    for (const Section& section : page_.sections) {
      // The next try has fewer rows.
      if (is_full_ && !must_fit) return std::nullopt;
      AppendSection(section);
    }
    if (is_full_ && !must_fit) return std::nullopt;
    AppendLeftOut();
    return std::move(out_);
  }

 private:
  // Whole or not at all; behind what did not fit nothing else comes.
  bool Add(const std::string& text) {
    if (is_full_ || out_.size() + text.size() > kMarkdownBytes - kLastLineBytes) {
      is_full_ = true;
      return false;
    }
    out_ += text;
    return true;
  }

  std::string Command() const { return migrate::report::OwnCommand(page_.command); }

  void AppendAnswer() {
    Add("## " + MarkdownText(Command() + ": " + page_.answer) + "\n\n");
    std::vector<std::string> facts;
    for (const Fact& fact : RunFactsOf(page_)) {
      facts.push_back(fact.name + " " + MarkdownCode(fact.value));
    }
    if (!facts.empty()) Add(kube::base::Join(facts, ", ") + "\n\n");
    AppendTallies();
    AppendRemarks(page_.remarks);
  }

  void AppendTallies() {
    std::string titles = "|", lines = "|", counts = "|";
    for (const Tally& tally : page_.tallies) {
      titles += " " + MarkdownText(tally.name) + " |";
      lines += "---:|";
      counts += " " + std::to_string(tally.count) + " |";
    }
    if (!page_.tallies.empty()) Add(titles + "\n" + lines + "\n" + counts + "\n\n");
  }

  void AppendRemarks(const std::vector<Remark>& remarks) {
    const std::size_t shown = std::min(remarks.size(), rows_);
    for (std::size_t i = 0; i < shown; ++i) {
      if (Add("> " + MarkdownText(remarks[i].text) + "\n\n")) continue;
      rows_left_out_ += remarks.size() - i;
      return;
    }
    rows_left_out_ += remarks.size() - shown;
  }

  // A command is copied from here: it is whole, or not there.
  void AppendSteps() {
    if (page_.steps.empty()) return;
    Add("### Plan\n\n");
    for (std::size_t i = 0; i < page_.steps.size(); ++i) {
      if (is_full_) {
        ++rows_left_out_;
        continue;
      }
      const Step& step = page_.steps[i];
      const std::string number = std::to_string(i + 1);
      std::string text = number + ". " + MarkdownText(step.title);
      if (!step.reason.empty()) text += " (" + MarkdownText(step.reason) + ")";
      if (!step.needs.empty()) text += "; before: " + MarkdownText(step.needs);
      if (!step.effect.empty()) text += "; " + MarkdownText(step.effect);
      text += "\n\n";
      if (!step.command.empty()) text += Indented(number, step.command) + "\n";
      if (!Add(text)) ++rows_left_out_;
    }
  }

  // Behind "10. " code is what stands four columns further in than the text; it is one line.
  static std::string Indented(const std::string& number, const std::string& command) {
    return std::string(number.size() + 6, ' ') + terminal::Printable(command) + "\n";
  }

  void AppendOverview() {
    if (page_.sections.empty()) return;
    Table table{
        "CRDs",
        {{"CRD", CellKind::kCode}, {"Verdict"}, {"Objects", CellKind::kNumber}, {"In words"}}};
    for (const Section& section : page_.sections) {
      table.rows.push_back({section.name, section.verdict,
                            section.bar.total == 0 ? "" : std::to_string(section.bar.total),
                            section.answer});
    }
    AppendTable(table, kAllRows);
  }

  void AppendSection(const Section& section) {
    // The overview says it all.
    if (section.tables.empty() && section.remarks.empty()) return;
    if (is_full_ || !Add(HeadOf(section))) {
      ++sections_left_out_;
      for (const Table& table : section.tables) rows_left_out_ += table.rows.size();
      return;
    }
    AppendRemarks(section.remarks);
    for (const Table& table : section.tables) AppendTable(table, rows_);
  }

  static std::string HeadOf(const Section& section) {
    std::string text = "### " + MarkdownCode(section.name) + " " + MarkdownText(section.verdict) +
                       "\n\n" + MarkdownText(section.answer) + "\n\n";
    for (const Fact& fact : section.facts) {
      text += "- " + MarkdownText(fact.name) + ": " + MarkdownCode(fact.value) + "\n";
    }
    return text + "\n";
  }

  void AppendTable(const Table& table, std::size_t most) {
    const std::size_t count = table.rows.size();
    const std::size_t wanted = std::min(count, most);
    std::size_t shown = 0;
    // A title alone says nothing.
    if (wanted > 0 && !is_full_ && Add(HeadOf(table) + RowOf(table, 0))) {
      shown = 1;
      while (shown < wanted && Add(RowOf(table, shown))) ++shown;
    }
    rows_left_out_ += count - shown;
    if (shown == 0) return;
    out_ += shown < count ? "\n... and " + std::to_string(count - shown) + " more\n\n" : "\n";
  }

  static std::string HeadOf(const Table& table) {
    std::string titles = "|", lines = "|";
    for (const Column& column : table.columns) {
      titles += " " + MarkdownText(column.title) + " |";
      lines += column.kind == CellKind::kNumber ? "---:|" : "---|";
    }
    return "**" + MarkdownText(table.title) + "**\n\n" + titles + "\n" + lines + "\n";
  }

  static std::string RowOf(const Table& table, std::size_t number) {
    std::string row = "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& cell = table.rows[number][i];
      const CellKind kind = table.columns[i].kind;
      const bool is_code = kind == CellKind::kCode || kind == CellKind::kTime;
      row += " " + (is_code ? MarkdownCode(cell) : MarkdownText(cell)) + " |";
    }
    return row + "\n";
  }

  void AppendLeftOut() {
    if (rows_left_out_ + sections_left_out_ == 0) return;
    std::string what = Count(rows_left_out_, "row");
    if (sections_left_out_ > 0)
      what += " and all that is said of " + Count(sections_left_out_, "CRD");
    out_ += "_Left out, as a comment holds no more: " + what + ". " + WhereAllIs() + "_\n";
  }

  // A command that writes is not run again to see what it did.
  std::string WhereAllIs() const {
    if (page_.command == "check")
      return "All of it: " + MarkdownCode(Command() + " -o html") + " or `-o json`.";
    return "A run with `-o html` or `-o json` in the place of `-o markdown` reports all of it, but "
           "a "
           "new run only what it does itself.";
  }

  const Page& page_;
  const std::size_t rows_;
  std::string out_;
  bool is_full_ = false;
  std::uint64_t rows_left_out_ = 0, sections_left_out_ = 0;
};

}  // namespace

std::string PrintMarkdown(const Page& page) {
  if (auto whole = MarkdownPrinter(page, kAllRows).Print(false)) return *std::move(whole);
  for (const std::size_t rows : kFewerRows) {
    if (auto shorter = MarkdownPrinter(page, rows).Print(false)) return *std::move(shorter);
  }
  return *MarkdownPrinter(page, 1).Print(true);
}

}  // namespace plugin::report
