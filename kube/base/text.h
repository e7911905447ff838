#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// Words of messages, and words in texts.
namespace kube::base {

/// The texts of a range, in its order, with `separator` between each two.
template <typename Texts>
std::string Join(const Texts& texts, std::string_view separator) {
  std::string joined;
  bool is_first = true;
  for (const auto& text : texts) {
    if (!is_first) joined += separator;
    joined += text;
    is_first = false;
  }
  return joined;
}

/// "1 field", "2 fields".
inline std::string Count(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count).append(" ").append(noun);
  if (count != 1) text += 's';
  return text;
}

/// std::string_view::find in a time that grows with the sum of the two sizes, not with their
/// product.
inline std::size_t FindText(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size() || text.size() - from < part.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace kube::base
