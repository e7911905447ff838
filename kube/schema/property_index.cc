#include "kube/schema/property_index.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace kube::schema {
namespace {

// Names that are alike, by chance or by intent, stand in a row, and each look-up would go along it.
constexpr std::size_t kLongestRow = 512;

bool HasLongRow(const std::vector<std::uint16_t>& slots) {
  std::size_t row = 0;
  return std::ranges::any_of(slots, [&row](std::uint16_t slot) {
    row = slot == 0 ? 0 : row + 1;
    return row > kLongestRow;
  });
}

}  // namespace

PropertyIndex::PropertyIndex(const std::vector<std::string_view>& names) {
  if (names.empty() || names.size() >= std::numeric_limits<std::uint16_t>::max()) return;
  // At most half full, so that a chain ends soon.
  slots_.resize(std::bit_ceil(names.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < names.size(); ++number) {
    std::size_t at = Hash(names[number]) & mask, steps = 0;
    for (; slots_[at] != 0 && steps <= kLongestRow; ++steps) at = (at + 1) & mask;
    if (steps > kLongestRow) break;
    slots_[at] = static_cast<std::uint16_t>(number + 1);
  }
  if (HasLongRow(slots_)) slots_.clear();
}

}  // namespace kube::schema
