#include "kube/json/plain_reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kube/base/text.h"
#include "kube/json/block_masks.h"
#include "kube/json/equal_keys.h"

namespace kube::json {
namespace {

// Beyond it nothing may use the program's stack.
constexpr std::size_t kMostLevels = 500;
// A number of that many characters with an exponent of two digits is a float64.
constexpr std::size_t kMostOfNumber = 100;
constexpr std::size_t kMostOfExponent = 2;

using base::IsDigit;

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The four digits of \uXXXX; beyond U+FFFF where they are none.
char32_t CodeUnit(const char* digits) {
  constexpr char32_t kNone = 0x110000;
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = base::HexDigitValue(digits[i]);
    if (digit < 0) return kNone;
    unit = unit << 4 | static_cast<char32_t>(digit);
  }
  return unit;
}

char* Put(char* to, char32_t unit) {
  const auto put = [&to](char32_t byte) { *to++ = static_cast<char>(byte); };
  if (unit < 0x80) {
    put(unit);
  } else if (unit < 0x800) {
    put(0xC0 | unit >> 6);
    put(0x80 | (unit & 0x3F));
  } else {
    put(0xE0 | unit >> 12);
    put(0x80 | (unit >> 6 & 0x3F));
    put(0x80 | (unit & 0x3F));
  }
  return to;
}

// What an escape of one character stands for; 0 for none.
char Unescaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

// Writes at `to` what the escape at `from` stands for, and moves both behind it. False for half a
// surrogate pair, and for what is no escape.
bool Unescape(char*& to, char*& from) {
  if (from[1] != 'u') {
    *to = Unescaped(from[1]);
    from += 2;
    return *to++ != 0;
  }
  const char32_t unit = CodeUnit(from + 2);
  if (unit > 0xFFFF || (unit >= 0xD800 && unit <= 0xDFFF)) return false;
  to = Put(to, unit);
  from += 6;
  return true;
}

}  // namespace

// What every step uses comes first, to become a part of it.

inline char* PlainReader::NextMark() {
  if (mark_ == marks_end_) [[unlikely]]
    FindMarks();
  return text_ + *mark_++;
}

inline void PlainReader::Push(Value value) {
  if (top_ == limit_) [[unlikely]]
    Grow();
  *top_++ = value;
}

inline void PlainReader::SkipSpace() {
  while (IsBlank(*at_)) ++at_;
}

inline bool PlainReader::ReadString() {
  char* const start = NextMark() + 1;
  char* const end = NextMark();
  if (*end != '"') return ReadStringWithEscapes(start, end);
  Push(Value::String({start, static_cast<std::size_t>(end - start)}));
  at_ = end + 1;
  return true;
}

std::optional<Value> PlainReader::Read(char* text, std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  at_ = text_ = text;
  size_ = size;
  seen_ = 0;
  mark_ = marks_end_ = marks_;
  escaped_ = in_string_ = has_control_ = saw_null_ = false;
  saw_ascii_alone_ = true;
  top_ = Values(0);
  limit_ = Values(stack_.size());
  SkipSpace();
  if (!ReadValue(0) || has_control_) return std::nullopt;
  SkipSpace();
  return at_ == text + size ? std::optional(*Values(0)) : std::nullopt;
}

bool PlainReader::ReadValue(std::size_t depth) {
  switch (*at_) {
    case '"':
      return ReadString();
    case '{':
      return depth < kMostLevels && ReadObject(depth + 1);
    case '[':
      return depth < kMostLevels && ReadArray(depth + 1);
    case 't':
      return ReadWord("true", Value::Bool(true));
    case 'f':
      return ReadWord("false", Value::Bool(false));
    case 'n':
      saw_null_ = true;
      return ReadWord("null", Value());
    default:
      return ReadNumber();
  }
}

bool PlainReader::ReadObject(std::size_t depth) {
  const std::size_t base = used();
  ++at_;
  SkipSpace();
  while (*at_ != '}' || used() != base) {
    if (*at_ != '"' || !ReadString()) return false;
    SkipSpace();
    if (*at_++ != ':') return false;
    SkipSpace();
    if (!ReadValue(depth)) return false;
    SkipSpace();
    if (*at_ == '}') break;
    if (*at_++ != ',') return false;
    SkipSpace();
  }
  ++at_;
  // Equal keys are looked for where they are: to read what was just copied takes far longer.
  static_assert(sizeof(Member) == 2 * sizeof(Value));
  auto* const read = reinterpret_cast<Member*>(Values(base));
  const std::size_t count = RemoveEqualKeys(read, (used() - base) / 2);
  Member* members = arena_.Allocate<Member>(count);
  std::copy_n(read, count, members);
  top_ = Values(base);
  Push(Value::Object(members, count));
  return true;
}

bool PlainReader::ReadArray(std::size_t depth) {
  const std::size_t base = used();
  ++at_;
  SkipSpace();
  while (*at_ != ']' || used() != base) {
    if (!ReadValue(depth)) return false;
    SkipSpace();
    if (*at_ == ']') break;
    if (*at_++ != ',') return false;
    SkipSpace();
  }
  ++at_;
  const std::size_t count = used() - base;
  Value* elements = arena_.Allocate<Value>(count);
  std::copy_n(Values(base), count, elements);
  top_ = Values(base);
  Push(Value::Array(elements, count));
  return true;
}

// `from` is the first mark in the string.
bool PlainReader::ReadStringWithEscapes(char* start, char* from) {
  char* to = from;
  while (*from != '"') {
    if (*from != '\\' || !Unescape(to, from)) return false;
    char* const mark = NextMark();
    const auto plain = static_cast<std::size_t>(mark - from);
    std::memmove(to, from, plain);
    to += plain;
    from = mark;
  }
  Push(Value::String({start, static_cast<std::size_t>(to - start)}));
  at_ = from + 1;
  return true;
}

bool PlainReader::ReadNumber() {
  const char* const start = at_;
  if (*at_ == '-') ++at_;
  if (*at_ == '0') {
    ++at_;
  } else if (!SkipDigits()) {
    return false;
  }
  if (*at_ == '.') {
    ++at_;
    if (!SkipDigits()) return false;
  }
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    if (*at_ == '+' || *at_ == '-') ++at_;
    const char* const exponent = at_;
    if (!SkipDigits() || static_cast<std::size_t>(at_ - exponent) > kMostOfExponent) return false;
  }
  const auto size = static_cast<std::size_t>(at_ - start);
  Push(Value::Number({start, size}));
  return size <= kMostOfNumber;
}

// False where there is none.
bool PlainReader::SkipDigits() {
  const char* const start = at_;
  while (IsDigit(*at_)) ++at_;
  return at_ != start;
}

bool PlainReader::ReadWord(std::string_view word, Value value) {
  if (std::memcmp(at_, word.data(), word.size()) != 0) return false;
  at_ += word.size();
  Push(value);
  return true;
}

// At the end of the text its end: no string can stand there.
[[gnu::noinline]] void PlainReader::FindMarks() {
  mark_ = marks_end_ = marks_;
  while (seen_ < size_ && marks_end_ == marks_) {
    const std::size_t end = std::min(size_, seen_ + kAhead);
    for (; seen_ < end; seen_ += kBlock) AddMarksOfBlock();
  }
  if (marks_end_ == marks_) *marks_end_++ = static_cast<std::uint32_t>(size_);
}

inline void PlainReader::AddMarksOfBlock() {
  const Block bytes(text_ + seen_);
  saw_ascii_alone_ &= bytes.AreAscii();
  const std::uint64_t backslashes = bytes.Equal('\\');
  const std::uint64_t escaped =
      backslashes == 0 && !escaped_ ? 0 : FindEscaped(backslashes, escaped_, kBlock);
  const std::uint64_t quotes = bytes.Equal('"') & ~escaped;
  if (const std::uint64_t controls = bytes.Controls()) {
    const std::uint64_t strings = PrefixXor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
    has_control_ |= (controls & strings) != 0;
  }
  in_string_ = in_string_ != ((CountBits(quotes) & 1) != 0);
  std::uint64_t marks = quotes | (backslashes & ~escaped);
  std::uint32_t* next = marks_end_;
  marks_end_ += CountBits(marks);
  const auto put = [this, &marks, &next] {
    *next++ = static_cast<std::uint32_t>(seen_ + static_cast<unsigned>(std::countr_zero(marks)));
    marks &= marks - 1;
  };
  // As many as most blocks have, though fewer may be there: their number is hard to guess.
  for (std::size_t i = 0; i < kMarksAtOnce; ++i) put();
  while (marks != 0) put();
}

[[gnu::noinline]] void PlainReader::Grow() {
  constexpr std::size_t kFirstSize = 64;
  const std::size_t size = used();
  stack_.resize(std::max(kFirstSize, 2 * size));
  top_ = Values(size);
  limit_ = Values(stack_.size());
}

}  // namespace kube::json
