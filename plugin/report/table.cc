#include "plugin/report/table.h"

#include <algorithm>

#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

constexpr std::size_t kGap = 3;
// Padding every row to one huge cell (a hostile path, say) would cost rows times its width.
constexpr std::size_t kWidestPadding = 120;

using Lines = std::vector<std::vector<std::string>>;

std::vector<std::size_t> ColumnWidths(const Lines& lines) {
  std::vector<std::size_t> widths;
  for (const auto& cells : lines) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t width = terminal::CharacterCount(cells[i]);
      if (width <= kWidestPadding) widths[i] = std::max(widths[i], width);
    }
  }
  return widths;
}

void AppendLine(std::string& out, const std::vector<std::string>& cells,
                const std::vector<std::size_t>& widths) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += cells[i];
    if (i + 1 == cells.size()) break;
    const std::size_t width = terminal::CharacterCount(cells[i]);
    out.append(kGap + (width < widths[i] ? widths[i] - width : 0), ' ');
  }
  out += '\n';
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
  const std::vector<std::size_t> widths = ColumnWidths(lines_);
  for (const auto& cells : lines_) {
    out += indent;
    AppendLine(out, cells, widths);
  }
}

void AppendTable(std::string& out, const Table& table, std::size_t most, std::string_view indent) {
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
  text.AppendTo(out, indent);
  if (shown == table.rows.size()) return;
  out.append(indent).append("... and ");
  out.append(std::to_string(table.rows.size() - shown)).append(" more\n");
}

}  // namespace plugin::report
