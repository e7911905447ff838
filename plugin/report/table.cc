#include "plugin/report/table.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

constexpr std::size_t kGap = 3;
// Padding every row to one huge cell (a hostile path, say) would cost rows times its width.
constexpr std::size_t kWidestPadding = 120;

using Lines = std::vector<std::vector<std::string>>;

// Cells of more than `most` count for nothing.
std::vector<std::size_t> ColumnWidths(const Lines& lines, std::size_t most) {
  std::vector<std::size_t> widths;
  for (const auto& cells : lines) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t width = terminal::CharacterCount(cells[i]);
      if (width <= most) widths[i] = std::max(widths[i], width);
    }
  }
  return widths;
}

// As people read traffic lights; empty for any other word.
std::string_view ColourOf(std::string_view verdict) {
  constexpr std::string_view kRed = "31", kYellow = "33", kGreen = "32";
  if (verdict == "blocked" || verdict == "loses-fields" || verdict == "invalid") return kRed;
  if (verdict == "unknown") return kYellow;
  return verdict == "ready" || verdict == "pruning" ? kGreen : "";
}

void AppendCell(std::string& out, const std::string& cell, bool is_verdict) {
  const std::string_view colour = is_verdict ? ColourOf(cell) : "";
  if (colour.empty()) {
    out += cell;
  } else {
    out.append("\x1b[").append(colour).append("m").append(cell).append("\x1b[0m");
  }
}

// `verdicts` is the number of the column that is coloured.
void AppendLine(std::string& out, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths, std::optional<std::size_t> verdicts) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    AppendCell(out, cells[i], i == verdicts);
    if (i + 1 == cells.size()) break;
    const std::size_t width = terminal::CharacterCount(cells[i]);
    out.append(kGap + (width < widths[i] ? widths[i] - width : 0), ' ');
  }
  out += '\n';
}

std::size_t WidthOf(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), widths.size() * kGap) - kGap;
}

// What tells least of an object, a field or a CRD: the first ones go first.
constexpr std::string_view kLightest[] = {"LAST-WRITTEN", "PRESERVES", "TYPES",  "STRUCTURAL",
                                          "EXAMPLE",      "NEXT",      "VERSION"};
// The same where nothing else helps.
constexpr std::string_view kLastToGo = "OBJECTS";
// No cell is shorter.
constexpr std::size_t kLeastCell = 6;
// Of these there is always one, whatever a row is about.
constexpr std::size_t kLeastColumns = 3;

// What a row is about: cut last, and so that names of one group still differ.
bool IsName(std::string_view title) { return title == "NAME"; }

// Cells are cut down to this before columns go.
std::size_t ShortCell(std::string_view title) { return IsName(title) || title == "PATH" ? 36 : 24; }

void RemoveColumn(Lines& lines, std::size_t column) {
  for (auto& cells : lines) {
    if (column < cells.size()) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

std::optional<std::size_t> LightestColumn(const std::vector<std::string>& titles) {
  if (titles.size() <= kLeastColumns) return std::nullopt;
  for (const std::string_view title : kLightest) {
    const auto found = std::ranges::find(titles, title);
    if (found != titles.end()) return static_cast<std::size_t>(found - titles.begin());
  }
  return std::nullopt;
}

std::size_t LeastWidthOf(std::vector<std::size_t> widths, const std::vector<std::string>& titles) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string_view title = i < titles.size() ? std::string_view(titles[i]) : "";
    widths[i] = std::min(widths[i], ShortCell(title));
  }
  return WidthOf(widths);
}

std::vector<std::size_t> WholeWidths(const Lines& lines) {
  return ColumnWidths(lines, std::numeric_limits<std::size_t>::max());
}

// Takes from the widest columns what is too much; to less than a short cell where it has to be.
void Narrow(std::vector<std::size_t>& widths, std::size_t width) {
  std::size_t all = WidthOf(widths);
  while (all > width) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= kLeastCell) return;
    std::size_t second = kLeastCell;
    for (auto it = widths.begin(); it != widths.end(); ++it) {
      if (it != widest) second = std::max(second, std::min(*it, *widest - 1));
    }
    const std::size_t taken = std::min(all - width, *widest - second);
    *widest -= taken;
    all -= taken;
  }
}

void FitTo(Lines& lines, std::size_t width) {
  if (lines.front().empty()) return;
  while (LeastWidthOf(WholeWidths(lines), lines.front()) > width) {
    const auto lightest = LightestColumn(lines.front());
    if (!lightest) break;
    RemoveColumn(lines, *lightest);
  }
  const auto last = std::ranges::find(lines.front(), kLastToGo);
  if (last != lines.front().end() &&
      WidthOf(std::vector(lines.front().size(), kLeastCell)) > width) {
    RemoveColumn(lines, static_cast<std::size_t>(last - lines.front().begin()));
  }
  std::vector<std::size_t> widths = WholeWidths(lines);
  if (WidthOf(widths) <= width) return;
  Narrow(widths, width);
  const std::vector<std::string> titles = lines.front();
  for (auto& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool is_name = i < titles.size() && IsName(titles[i]);
      cells[i] =
          terminal::CutMiddle(cells[i], widths[i],
                              is_name ? terminal::CutAt::kThreeQuarters : terminal::CutAt::kMiddle);
    }
  }
}

}  // namespace

TextTable::TextTable(std::vector<std::string> titles) {
  if (!titles.empty()) lines_.push_back(std::move(titles));
}

void TextTable::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = cell.empty() ? "<none>" : terminal::Printable(cell);
  lines_.push_back(std::move(cells));
}

void TextTable::AppendTo(std::string& out, std::string_view indent) const {
  AppendTo(out, indent, {});
}

void TextTable::AppendTo(std::string& out, std::string_view indent, const Screen& screen) const {
  if (lines_.empty()) return;
  Lines lines = lines_;
  if (screen.width) FitTo(lines, *screen.width - std::min(indent.size(), *screen.width));
  const std::vector<std::size_t> widths = ColumnWidths(lines, kWidestPadding);
  std::optional<std::size_t> verdicts;
  const auto title = std::ranges::find(lines.front(), "VERDICT");
  if (screen.has_colours && title != lines.front().end()) {
    verdicts = static_cast<std::size_t>(title - lines.front().begin());
  }
  for (const auto& cells : lines) {
    out += indent;
    AppendLine(out, cells, widths, verdicts);
  }
}

void AppendTable(std::string& out, const Table& table, std::size_t most, std::string_view indent,
                 const Screen& screen) {
  const auto shown_of = [&table](const auto& text_of) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].heading.empty()) cells.push_back(text_of(i));
    }
    return cells;
  };
  TextTable text(shown_of([&](std::size_t i) { return table.columns[i].heading; }));
  const std::size_t shown = std::min(table.rows.size(), most);
  for (std::size_t row = 0; row < shown; ++row) {
    text.AddRow(shown_of([&](std::size_t i) { return table.rows[row][i]; }));
  }
  text.AppendTo(out, indent, screen);
  if (shown == table.rows.size()) return;
  out.append(indent).append("... and ");
  out.append(std::to_string(table.rows.size() - shown)).append(" more\n");
}

}  // namespace plugin::report
