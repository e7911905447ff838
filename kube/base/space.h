#pragma once

#include <string>
#include <string_view>

namespace kube::base {

/// Unicode's white space below U+0080.
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// `text` without the ASCII white space at its ends.
inline std::string TrimSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace kube::base
