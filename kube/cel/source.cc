#include "kube/cel/source.h"

#include <algorithm>

#include "kube/base/utf8.h"

namespace kube::cel {
namespace {

constexpr std::size_t kLongestSnippet = 16384;

void AppendIssue(std::string& out, const Issue& issue, std::string_view line, bool has_line) {
  out += "ERROR: <input>:" + std::to_string(issue.line) + ":" + std::to_string(issue.column + 1) +
         ": " + issue.message;
  if (!has_line || line.size() > kLongestSnippet) return;
  out += "\n | ";
  for (const char c : line) out += c == '\t' ? ' ' : c;
  out += "\n | ";
  // Full-width marks stand below whatever takes more than a byte.
  for (int i = 0; i < issue.column && !line.empty(); ++i) {
    const base::Rune rune = base::DecodeRune(line);
    out += rune.size > 1 ? "\xEF\xBC\x8E" : ".";
    line.remove_prefix(rune.size);
  }
  out += base::DecodeRune(line).size > 1 ? "\xEF\xBC\xBE" : "^";
}

}  // namespace

Source::Source(std::string_view text) : text_(text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++size_;
    if (text[i] == '\n') {
      line_positions_.push_back(size_);
      line_offsets_.push_back(i + 1);
    }
  }
}

Issue Source::At(std::int32_t position, std::string message) const {
  if (position < 0) return {1, -1, std::move(message)};
  const auto next = std::upper_bound(line_positions_.begin(), line_positions_.end(), position);
  const auto line = static_cast<int>(next - line_positions_.begin());
  const std::int32_t start = line == 0 ? 0 : *(next - 1);
  return {line + 1, position - start, std::move(message)};
}

std::string_view Source::Line(int line) const {
  const auto index = static_cast<std::size_t>(line);
  const std::size_t start = index == 1 ? 0 : line_offsets_[index - 2];
  const std::size_t end =
      index <= line_offsets_.size() ? line_offsets_[index - 1] - 1 : text_.size();
  return text_.substr(start, end - start);
}

std::string Source::Describe(std::vector<Issue> issues) const {
  const std::size_t count = issues.size();
  if (count > kMostIssues) issues.resize(kMostIssues);
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  std::string out;
  for (const Issue& issue : issues) {
    if (!out.empty()) out += '\n';
    const bool has_line = issue.line >= 1 && !text_.empty() &&
                          static_cast<std::size_t>(issue.line) <= line_offsets_.size() + 1;
    AppendIssue(out, issue, has_line ? Line(issue.line) : std::string_view(), has_line);
  }
  if (count > kMostIssues) {
    out += "\n" + std::to_string(count - kMostIssues) + " more errors were truncated";
  }
  return out;
}

}  // namespace kube::cel
