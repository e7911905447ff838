#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// Text looked at as a block of 64 bytes, with a bit for each of them.
namespace kube::json {

inline constexpr std::size_t kBlock = 64;

/// The bytes of a block, to be asked which of them are something.
class Block {
 public:
#ifdef __SSE2__
  explicit Block(const char* text) {
    for (unsigned i = 0; i < 4; ++i) {
      bytes_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + i);
    }
  }
  /// Those that are `byte`.
  std::uint64_t Equal(char byte) const {
    return Mask([byte](__m128i in) { return _mm_cmpeq_epi8(in, _mm_set1_epi8(byte)); });
  }
  /// Those that are `byte` with or without the bit 0x20.
  std::uint64_t EqualFolded(char byte) const {
    return Mask([byte](__m128i in) {
      return _mm_cmpeq_epi8(_mm_or_si128(in, _mm_set1_epi8(0x20)), _mm_set1_epi8(byte));
    });
  }
  /// Those below 0x20.
  std::uint64_t Controls() const {
    return Mask(
        [](__m128i in) { return _mm_cmpeq_epi8(_mm_min_epu8(in, _mm_set1_epi8(0x1F)), in); });
  }
  /// Whether all are ASCII.
  bool AreAscii() const {
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(bytes_[0], bytes_[1]),
                                          _mm_or_si128(bytes_[2], bytes_[3]))) == 0;
  }

 private:
  template <typename Is>
  std::uint64_t Mask(Is is) const {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) {
      mask |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(is(bytes_[i])))} << 16 * i;
    }
    return mask;
  }

  __m128i bytes_[4];
#else
  explicit Block(const char* text) : text_(text) {}
  std::uint64_t Equal(char byte) const {
    return Mask([byte](char c) { return c == byte; });
  }
  std::uint64_t EqualFolded(char byte) const {
    return Mask([byte](char c) { return (c | 0x20) == byte; });
  }
  std::uint64_t Controls() const {
    return Mask([](char c) { return static_cast<unsigned char>(c) < 0x20; });
  }
  bool AreAscii() const {
    return Mask([](char c) { return static_cast<unsigned char>(c) >= 0x80; }) == 0;
  }

 private:
  template <typename Is>
  std::uint64_t Mask(Is is) const {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < kBlock; ++i) mask |= std::uint64_t{is(text_[i])} << i;
    return mask;
  }

  const char* text_;
#endif
};

/// The bytes that follow a backslash which is not itself escaped. `carry` says so of the first byte
/// on entry and of the one after the last of `size` on return.
inline std::uint64_t FindEscaped(std::uint64_t backslashes, bool& carry, std::size_t size) {
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

/// Bit i is the parity of bits 0 to i: set from each opening quote to before its closing one.
inline std::uint64_t PrefixXor(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// How many bits are set; std::popcount is a call where the processor may lack the instruction.
inline unsigned CountBits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<unsigned>(bits * 0x0101010101010101 >> 56);
}

}  // namespace kube::json
