#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plugin::report {

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

 private:
  std::vector<std::vector<std::string>> lines_;  // printable
};

}  // namespace plugin::report
