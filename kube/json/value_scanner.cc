#include "kube/json/value_scanner.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kube::json {
namespace {

// A block is looked at as a whole, with a bit for each of its bytes.
constexpr std::size_t kBlock = 64;

struct Masks {
  std::uint64_t quotes = 0, backslashes = 0, opening = 0, closing = 0;
};

// '[' and '{', like ']' and '}', differ in this bit only.
constexpr char kBracketBit = 0x20;

#ifdef __SSE2__
Masks ReadMasks(const char* block) {
  Masks masks;
  for (unsigned i = 0; i < kBlock; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(kBracketBit));
    const auto bits = [i](__m128i in, char byte) {
      const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_set1_epi8(byte)));
      return std::uint64_t{static_cast<unsigned>(found)} << i;
    };
    masks.quotes |= bits(bytes, '"');
    masks.backslashes |= bits(bytes, '\\');
    masks.opening |= bits(folded, '{');
    masks.closing |= bits(folded, '}');
  }
  return masks;
}
#else
Masks ReadMasks(const char* block) {
  Masks masks;
  for (unsigned i = 0; i < kBlock; ++i) {
    const auto bit = [i](bool is_set) { return std::uint64_t{is_set} << i; };
    masks.quotes |= bit(block[i] == '"');
    masks.backslashes |= bit(block[i] == '\\');
    masks.opening |= bit((block[i] | kBracketBit) == '{');
    masks.closing |= bit((block[i] | kBracketBit) == '}');
  }
  return masks;
}
#endif

// The bytes that follow a backslash which is not itself escaped. `carry` says so of the first byte
// on entry and of the one after the last of `size` on return.
std::uint64_t FindEscaped(std::uint64_t backslashes, bool& carry, std::size_t size) {
  std::uint64_t escaped = carry ? 1 : 0;
  carry = false;
  backslashes &= ~escaped;
  while (backslashes != 0) {
    const int at = std::countr_zero(backslashes);
    backslashes &= backslashes - 1;
    if (static_cast<std::size_t>(at) + 1 == size) {
      carry = true;
      break;
    }
    const std::uint64_t next = std::uint64_t{2} << at;
    escaped |= next;
    backslashes &= ~next;
  }
  return escaped;
}

// Bit i is the parity of bits 0 to i: set from each opening quote to before its closing one.
std::uint64_t PrefixXor(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

bool EndsScalar(char c) {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::size_t ValueScanner::Scan(std::string_view bytes) {
  std::size_t i = 0;
  if (depth_ == 0 && !in_string_) i = ScanOutside(bytes);
  while (i < bytes.size() && !done_) {
    const std::size_t size = std::min(kBlock, bytes.size() - i);
    if (size == kBlock) {
      i += ScanBlock(bytes.data() + i, kBlock);
    } else {
      char padded[kBlock] = {};
      std::memcpy(padded, bytes.data() + i, size);
      i += ScanBlock(padded, size);
    }
  }
  return i;
}

// The start of a value, or all of a scalar that is no string, which ends before what cannot belong
// to it.
std::size_t ValueScanner::ScanOutside(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '{' || c == '[' || c == '"') {
      depth_ = c == '"' ? 0 : 1;
      in_string_ = c == '"';
      return i + 1;
    }
    if (EndsScalar(c)) {
      done_ = true;
      return i;
    }
  }
  return bytes.size();
}

// Takes `size` bytes of the block, or those up to the end of the value.
std::size_t ValueScanner::ScanBlock(const char* block, std::size_t size) {
  const Masks masks = ReadMasks(block);
  const std::uint64_t escaped =
      masks.backslashes == 0 && !escaped_ ? 0 : FindEscaped(masks.backslashes, escaped_, size);
  const std::uint64_t quotes = masks.quotes & ~escaped;
  const std::uint64_t strings = PrefixXor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
  if (depth_ == 0) {  // a string by itself ends at its first quote
    if (quotes == 0) return size;
    done_ = true;
    return static_cast<std::size_t>(std::countr_zero(quotes)) + 1;
  }
  const std::uint64_t opening = masks.opening & ~strings, closing = masks.closing & ~strings;
  if (static_cast<std::size_t>(std::popcount(closing)) < depth_) {
    depth_ += static_cast<std::size_t>(std::popcount(opening));
    depth_ -= static_cast<std::size_t>(std::popcount(closing));
  } else {
    for (std::uint64_t brackets = opening | closing; brackets != 0; brackets &= brackets - 1) {
      const std::uint64_t lowest = brackets & (~brackets + 1);
      if (opening & lowest) {
        ++depth_;
      } else if (--depth_ == 0) {
        done_ = true;
        return static_cast<std::size_t>(std::countr_zero(lowest)) + 1;
      }
    }
  }
  in_string_ = in_string_ != ((std::popcount(quotes) & 1) != 0);
  return size;
}

}  // namespace kube::json
