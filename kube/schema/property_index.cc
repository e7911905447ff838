#include "kube/schema/property_index.h"

#include <bit>
#include <limits>

namespace kube::schema {
namespace {

// Names that are alike, by chance or by intent, stand in a row, and each look-up would go along it.
constexpr std::size_t kLongestRow = 512;

// Twice around: a row may go over the end.
bool HasLongRow(const std::vector<std::uint16_t>& slots) {
  std::size_t row = 0;
  for (std::size_t i = 0; i < 2 * slots.size(); ++i) {
    row = slots[i % slots.size()] == 0 ? 0 : row + 1;
    if (row > kLongestRow) return true;
  }
  return false;
}

}  // namespace

PropertyIndex::PropertyIndex(const std::vector<std::string_view>& names) {
  if (names.empty() || names.size() >= std::numeric_limits<std::uint16_t>::max()) return;
  count_ = names.size();
  // At most half full, so that a chain ends soon.
  slots_.resize(std::bit_ceil(names.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < names.size(); ++number) {
    std::size_t at = Hash(names[number]) & mask, steps = 0;
    for (; slots_[at] != 0 && steps <= kLongestRow; ++steps) at = (at + 1) & mask;
    if (steps > kLongestRow) {
      slots_.clear();  // half an index would hide names
      return;
    }
    slots_[at] = static_cast<std::uint16_t>(number + 1);
  }
  if (HasLongRow(slots_)) slots_.clear();
}

}  // namespace kube::schema
