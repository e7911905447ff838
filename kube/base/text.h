#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Words of messages.
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

}  // namespace kube::base
