#include "kube/yaml/yaml_key_order.h"

#include <algorithm>
#include <cstddef>

#include "kube/base/ascii.h"

namespace kube::yaml {
namespace {

using kube::base::IsDigit;

enum class Class { kOther, kDigit, kLetter };

Class ClassOf(char c) {
  if (IsDigit(c)) return Class::kDigit;
  const auto byte = static_cast<unsigned char>(c);
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
  return letter ? Class::kLetter : Class::kOther;
}

std::string_view DigitsAround(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  std::size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string_view WithoutZeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// Go counts in an int64, which a hostile key overflows; the digits themselves do not.
bool NumberLess(std::string_view a, std::string_view b) {
  const std::string_view x = WithoutZeros(a);
  const std::string_view y = WithoutZeros(b);
  if (x.size() != y.size()) return x.size() < y.size();
  if (x != y) return x < y;
  return a.size() < b.size();
}

using Members = std::vector<const json::Member*>;

std::string_view KeyOf(const json::Member* member) { return member->key.text(); }

// std::sort and its like may leave the range where a comparison contradicts itself; this does not.
void Merge(Members& from, std::size_t begin, std::size_t middle, std::size_t end, Members& to) {
  std::size_t left = begin;
  std::size_t right = middle;
  for (std::size_t i = begin; i < end; ++i) {
    const bool take_right =
        left == middle || (right < end && KeyLess(KeyOf(from[right]), KeyOf(from[left])));
    to[i] = take_right ? from[right++] : from[left++];
  }
}

}  // namespace

bool KeyLess(std::string_view a, std::string_view b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() || y == b.end()) return a.size() < b.size();
  const auto at = static_cast<std::size_t>(x - a.begin());
  const Class class_a = ClassOf(*x);
  const Class class_b = ClassOf(*y);
  if (class_a != class_b) return class_a < class_b;
  if (class_a == Class::kDigit) return NumberLess(DigitsAround(a, at), DigitsAround(b, at));
  return static_cast<unsigned char>(*x) < static_cast<unsigned char>(*y);
}

void SortByKey(Members& members) {
  std::sort(members.begin(), members.end(),
            [](const json::Member* a, const json::Member* b) { return KeyOf(a) < KeyOf(b); });
  Members merged(members.size());
  for (std::size_t width = 1; width < members.size(); width *= 2) {
    for (std::size_t begin = 0; begin < members.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, members.size());
      Merge(members, begin, middle, std::min(middle + width, members.size()), merged);
    }
    members.swap(merged);
  }
}

}  // namespace kube::yaml
