#include "kube/base/suggestions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kube/base/text.h"

namespace kube::base {
namespace {

constexpr std::size_t kMostLettersOff = 2, kShort = 4;

// Of letters that are added, left out, replaced or swapped with their neighbour; three rows of the
// table at a time.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, last[j + 1] + 1});
      const bool is_swap = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (is_swap) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

bool IsClose(std::string_view word, std::string_view known) {
  // Far longer words cannot be close; not asking keeps a hostile word cheap.
  if (word.size() > known.size() + kMostLettersOff) return false;
  return known.starts_with(word) ||
         Distance(word, known) <= (word.size() <= kShort ? 1 : kMostLettersOff);
}

}  // namespace

std::vector<std::string_view> Suggest(std::string_view word,
                                      std::span<const std::string_view> known) {
  std::vector<std::string_view> result;
  if (word.empty()) return result;
  std::ranges::copy_if(known, std::back_inserter(result),
                       [word](std::string_view name) { return IsClose(word, name); });
  return result;
}

std::string DidYouMean(std::span<const std::string> meant, std::size_t most) {
  if (meant.empty() || meant.size() > most) return "";
  return "; did you mean " + Join(meant, " or ") + "?";
}

}  // namespace kube::base
