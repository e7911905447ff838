#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kube::schema {

/// Where a name may stand in a list of names: a hash table of numbers, since a look-up for every
/// key of every object is what pruning spends its time on.
class PropertyIndex {
 public:
  PropertyIndex() = default;
  /// `names` are looked at now only. Stays empty for too many of them, and for too many alike.
  explicit PropertyIndex(const std::vector<std::string_view>& names);

  bool empty() const { return slots_.empty(); }

  /// Calls `is_it(number)` for the numbers of names that may be `name`, until it returns true.
  /// Returns that number; absent where there is none. Only if not empty().
  template <typename IsIt>
  std::optional<std::size_t> Find(std::string_view name, IsIt is_it) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = Hash(name) & mask; slots_[at] != 0; at = (at + 1) & mask) {
      const std::size_t number = slots_[at] - 1U;
      if (is_it(number)) return number;
    }
    return std::nullopt;
  }

  /// As Find, but asks first whether it is number `likely`, and leaves there the number after the
  /// one that was found: the keys of an object stand mostly in the order of the names.
  template <typename IsIt>
  std::optional<std::size_t> Find(std::string_view name, std::size_t& likely, IsIt is_it) const {
    if (likely < count_ && is_it(likely)) return likely++;
    const auto number = Find(name, is_it);
    if (number) likely = *number + 1;
    return number;
  }

 private:
  // Cheap rather than good: keys of a schema differ in length, ends or middle.
  static std::size_t Hash(std::string_view name) {
    if (name.empty()) return 0;
    const auto byte = [name](std::size_t i) { return static_cast<unsigned char>(name[i]); };
    return name.size() * 131 + byte(0) * 31U + byte(name.size() - 1) * 7U + byte(name.size() / 2);
  }

  std::size_t count_ = 0;             // of the names
  std::vector<std::uint16_t> slots_;  // 0: free; else a number + 1; a power of two of them
};

}  // namespace kube::schema
