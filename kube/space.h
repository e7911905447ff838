#pragma once

#include <string>
#include <string_view>

namespace kube {

/// `text` without the ASCII white space at its ends.
inline std::string TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace kube
