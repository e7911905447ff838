#include "kube/json/value_scanner.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "kube/json/block_masks.h"

namespace kube::json {
namespace {

bool EndsScalar(char c) {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The strings of a text, block by block.
class StringMasks {
 public:
  /// The bytes of the next block that are in strings, without the quotes that end these.
  std::uint64_t Next(const Block& bytes) {
    const std::uint64_t backslashes = bytes.Equal('\\');
    const std::uint64_t escaped =
        backslashes == 0 && !escaped_ ? 0 : FindEscaped(backslashes, escaped_, kBlock);
    const std::uint64_t quotes = bytes.Equal('"') & ~escaped;
    const std::uint64_t strings = PrefixXor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
    in_string_ = in_string_ != ((CountBits(quotes) & 1) != 0);
    return strings;
  }

 private:
  bool escaped_ = false, in_string_ = false;
};

// '[' and '{', like ']' and '}', differ in one bit only. Nothing is in what is closed at once.
std::size_t CountBeginnings(const Block& bytes, std::uint64_t strings) {
  const std::uint64_t opening = bytes.EqualFolded('{') & ~(bytes.EqualFolded('}') >> 1);
  return CountBits((bytes.Equal(',') | bytes.Equal(':') | opening) & ~strings);
}

}  // namespace

std::size_t MostValues(std::string_view text) {
  StringMasks masks;
  std::size_t count = 1;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    const Block bytes(text.data());
    count += CountBeginnings(bytes, masks.Next(bytes));
  }
  char padded[kBlock] = {};
  std::memcpy(padded, text.data(), text.size());
  const Block bytes(padded);
  return count + CountBeginnings(bytes, masks.Next(bytes));
}

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
  const Block bytes(block);
  const std::uint64_t backslashes = bytes.Equal('\\');
  const std::uint64_t escaped =
      backslashes == 0 && !escaped_ ? 0 : FindEscaped(backslashes, escaped_, size);
  const std::uint64_t quotes = bytes.Equal('"') & ~escaped;
  const std::uint64_t strings = PrefixXor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
  if (depth_ == 0) {  // a string by itself ends at its first quote
    if (quotes == 0) return size;
    done_ = true;
    return static_cast<std::size_t>(std::countr_zero(quotes)) + 1;
  }
  // '[' and '{', like ']' and '}', differ in one bit only.
  const std::uint64_t opening = bytes.EqualFolded('{') & ~strings;
  const std::uint64_t closing = bytes.EqualFolded('}') & ~strings;
  const std::size_t closed = CountBits(closing);
  if (closed < depth_) {
    depth_ += CountBits(opening) - closed;
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
  in_string_ = in_string_ != ((CountBits(quotes) & 1) != 0);
  return size;
}

}  // namespace kube::json
