#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kube::cel {

/// Something wrong with an expression, and where.
struct Issue {
  int line = -1;    ///< from 1; -1: nowhere
  int column = -1;  ///< in code points, from 0
  std::string message;
};

/// The text of an expression with its lines. Borrows the text, which must be UTF-8.
class Source {
 public:
  /// So many issues are described; of more, their number.
  static constexpr std::size_t kMostIssues = 100;

  explicit Source(std::string_view text);

  std::string_view text() const { return text_; }
  std::int32_t size() const { return size_; }  ///< in code points
  /// An issue at a place in code points. What has no place (below 0) is before the first column, as
  /// cel-go tells it.
  Issue At(std::int32_t position, std::string message) const;

  /// The issues as cel-go prints them (common.Errors.ToDisplayString): sorted by place, each with
  /// its line and a caret below it; no more than 100.
  std::string Describe(std::vector<Issue> issues) const;

 private:
  std::string_view Line(int line) const;

  std::string_view text_;
  std::int32_t size_ = 0;
  std::vector<std::int32_t> line_positions_;  // of lines from the second on, in code points
  std::vector<std::size_t> line_offsets_;     // the same in bytes
};

}  // namespace kube::cel
