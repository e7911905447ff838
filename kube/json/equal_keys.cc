#include "kube/json/equal_keys.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kube/base/text.h"

namespace kube::json {
namespace {

// Objects with more keys than this look for equal keys by sorting.
constexpr std::size_t kManyKeys = 64;

std::size_t RemoveEqualKeysOfFew(Member* members, std::size_t count) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view key = members[i].key.text();
    Member* same = std::find_if(members, members + kept, [key](const Member& m) {
      return base::SameText(m.key.text(), key);
    });
    if (same == members + kept) {
      members[kept++] = members[i];
    } else {
      same->value = members[i].value;
    }
  }
  return kept;
}

std::size_t RemoveEqualKeysOfMany(Member* members, std::size_t count) {
  std::vector<std::size_t> by_key(count);
  for (std::size_t i = 0; i < count; ++i) by_key[i] = i;
  std::sort(by_key.begin(), by_key.end(), [members](std::size_t a, std::size_t b) {
    const int order = members[a].key.text().compare(members[b].key.text());
    return order != 0 ? order < 0 : a < b;
  });
  std::vector<bool> removed(count);
  for (std::size_t i = 0; i < count;) {
    const std::size_t first = by_key[i];
    for (++i; i < count && members[by_key[i]].key.text() == members[first].key.text(); ++i) {
      members[first].value = members[by_key[i]].value;
      removed[by_key[i]] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!removed[i]) members[kept++] = members[i];
  }
  return kept;
}

// As a server prints them: that each is more than the one before needs a look at one byte, mostly.
bool AreInOrder(const Member* members, std::size_t count) {
  std::string_view before = members[0].key.text();
  for (std::size_t i = 1; i < count; ++i) {
    const std::string_view key = members[i].key.text();
    if (key.empty() || before.empty()) return false;
    const auto first = static_cast<unsigned char>(key.front());
    const auto first_before = static_cast<unsigned char>(before.front());
    if (first < first_before || (first == first_before && key <= before)) return false;
    before = key;
  }
  return true;
}

// Equal keys are rare: a set of one bit a key's length and ends says at once that there are none.
bool MayHaveEqualKeys(const Member* members, std::size_t count) {
  std::uint64_t seen[4] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view key = members[i].key.text();
    unsigned hash = static_cast<unsigned>(key.size());
    if (!key.empty()) {
      hash = hash * 31 + static_cast<unsigned char>(key.front());
      hash = hash * 31 + static_cast<unsigned char>(key.back());
      hash = hash * 31 + static_cast<unsigned char>(key[key.size() / 2]);
    }
    std::uint64_t& word = seen[(hash >> 6) & 3];
    const std::uint64_t bit = std::uint64_t{1} << (hash & 63);
    if (word & bit) return true;
    word |= bit;
  }
  return false;
}

}  // namespace

std::size_t RemoveEqualKeys(Member* members, std::size_t count) {
  if (count < 2 || AreInOrder(members, count) || !MayHaveEqualKeys(members, count)) return count;
  return count > kManyKeys ? RemoveEqualKeysOfMany(members, count)
                           : RemoveEqualKeysOfFew(members, count);
}

}  // namespace kube::json
