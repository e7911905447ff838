#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kube::base {

/// one == other, without a call where they are as short as names of fields, of which an object has
/// a hundred.
inline bool SameText(std::string_view one, std::string_view other) {
  const std::size_t size = one.size();
  if (size != other.size()) return false;
  const char* a = one.data();
  const char* b = other.data();
  const auto same = [a, b]<typename Word>(Word, std::size_t at) {
    Word x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    return x == y;
  };
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) return same(std::uint64_t{}, 0) && same(std::uint64_t{}, size - 8);
  if (size >= 4) return same(std::uint32_t{}, 0) && same(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace kube::base
