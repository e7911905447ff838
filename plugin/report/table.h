#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/report/page.h"

namespace plugin::report {

/// The terminal that prints a table.
struct Screen {
  std::optional<std::size_t> width{};  ///< in characters; absent: none, and nothing is left out
  bool has_colours = false;            ///< verdicts are coloured
};

/// Rows of cells, laid out in columns as kubectl does: three blanks between them, nothing behind
/// the last cell of a row. What is in a cell cannot steer a terminal (terminal.h).
class TextTable {
 public:
  /// `titles` is the first line; without titles there is none.
  explicit TextTable(std::vector<std::string> titles = {});

  /// A cell that is empty shows "<none>".
  void AddRow(std::vector<std::string> cells);

  /// Appends the lines to `out`, each behind `indent`. A cell that is far wider than a screen
  /// pushes only its own row.
  void AppendTo(std::string& out, std::string_view indent = "") const;

  /// The same for `screen`. Where lines would be wider, the columns that matter least go first
  /// (kLightest in table.cc), then long cells are cut in the middle.
  void AppendTo(std::string& out, std::string_view indent, const Screen& screen) const;

 private:
  std::vector<std::vector<std::string>> lines_;  // printable
};

/// Appends the columns of `table` that have a heading, and of its rows `most`; a line counts the
/// others.
void AppendTable(std::string& out, const Table& table, std::size_t most,
                 std::string_view indent = "  ", const Screen& screen = {});

}  // namespace plugin::report
