#include "kube/schema/property_index.h"

#include <bit>
#include <limits>

namespace kube::schema {

PropertyIndex::PropertyIndex(const std::vector<std::string_view>& names) {
  if (names.empty() || names.size() >= std::numeric_limits<std::uint16_t>::max()) return;
  // At most half full, so that a chain ends soon.
  slots_.resize(std::bit_ceil(names.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t number = 0; number < names.size(); ++number) {
    std::size_t at = Hash(names[number]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint16_t>(number + 1);
  }
}

}  // namespace kube::schema
