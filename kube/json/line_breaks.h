#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kube/json/block_masks.h"

namespace kube::json {

/// Calls `take(offset, mask)` for the line breaks of `text` in their order, those of a block at
/// once: bit i of `mask` stands for the one at offset + i. Ends where `take` returns false.
///
/// Quick for long lines and for short ones.
template <typename Take>
void ScanLineBreaks(std::string_view text, Take take) {
  const char* const data = text.data();
  std::size_t at = 0;
  while (at < text.size()) {
    const bool is_block = text.size() - at >= kBlock;
    if (const std::uint64_t mask = is_block ? Block(data + at).Equal('\n') : 0) {
      if (!take(at, mask)) return;
      at += kBlock;
      continue;
    }
    const void* const found = std::memchr(data + at, '\n', text.size() - at);
    if (found == nullptr) return;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - data);
    if (text.size() - at >= kBlock) continue;
    if (!take(at, 1)) return;
    ++at;
  }
}

}  // namespace kube::json
