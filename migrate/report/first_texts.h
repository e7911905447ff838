#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "migrate/report/field_tally.h"

namespace migrate::report {

/// Counts texts about objects, and keeps the first ones: as many as a person reads.
///
/// One may be filled by each thread and all be merged: the result is the same in any order.
class FirstTexts {
 public:
  void Add(const Place& place, std::string text);
  void Merge(FirstTexts&& other);

  /// Of all that were added.
  std::uint64_t count() const { return count_; }
  /// The first twenty by place.
  std::vector<std::string> Texts() const;

 private:
  void DropLast();

  std::uint64_t count_ = 0;
  std::vector<std::pair<Place, std::string>> kept_;
};

}  // namespace migrate::report
