#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "kube/base/text.h"

namespace migrate::report {

/// How many objects are of each class: `Class` is an enum of `kClasses` values, for which
/// ClassName and IsFailure tell what they are.
template <typename Class, std::size_t kClasses>
class CountsBy {
 public:
  std::uint64_t& operator[](Class c) { return counts_[static_cast<std::size_t>(c)]; }
  std::uint64_t operator[](Class c) const { return counts_[static_cast<std::size_t>(c)]; }

  CountsBy& operator+=(const CountsBy& other) {
    for (std::size_t i = 0; i < kClasses; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

  /// All classes together: the number of objects.
  std::uint64_t Total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

  std::uint64_t Failures() const {
    std::uint64_t failures = 0;
    ForEach([&](Class c, std::uint64_t count) { failures += IsFailure(c) ? count : 0; });
    return failures;
  }

  /// Calls `take(class, count)` for each class that has objects, in their order.
  template <typename Take>
  void ForEach(Take take) const {
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (counts_[i] > 0) take(static_cast<Class>(i), counts_[i]);
    }
  }

 private:
  std::array<std::uint64_t, kClasses> counts_{};
};

/// "2000 objects: 1874 rewritten, 126 unchanged"
template <typename Class, std::size_t kClasses>
std::string CountsText(const CountsBy<Class, kClasses>& counts) {
  std::string text = kube::base::Count(counts.Total(), "object");
  std::string separator = ": ";
  counts.ForEach([&](Class c, std::uint64_t count) {
    text.append(separator).append(std::to_string(count)).append(" ").append(ClassName(c));
    separator = ", ";
  });
  return text;
}

}  // namespace migrate::report
