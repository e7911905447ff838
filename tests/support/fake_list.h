#pragma once

#include <cstddef>
#include <string>

#include "kube/json/json.h"
#include "tests/support/fake_place.h"

namespace test_support {

/// A part of a list, as it fills.
struct FakeChunk {
  std::size_t limit = 0;       ///< 0: none
  std::string labels, fields;  ///< selectors of equalities, and of keys alone
  std::string items;           ///< printed, with commas between
  std::string next;            ///< where the next chunk starts
  std::size_t count = 0, left = 0;

  /// Takes the object if the selectors do, or counts it as left behind the limit. Throws
  /// std::logic_error for other selectors.
  void Take(const FakePlace& place, const std::string& key, const kube::json::Value& object);
};

/// The list as of the resource version.
FakeAnswer PrintFakeList(const FakePlace& place, const FakeChunk& chunk, long version);

}  // namespace test_support
