#include "kube/json/json.h"

#include <algorithm>
#include <cctype>
#include <cstring>

// The library's assertions would take the program down on hostile bytes.
#define RAPIDJSON_ASSERT(x) static_cast<void>(0)
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "kube/base/utf8.h"
#include "kube/json/equal_keys.h"
#include "kube/json/plain_reader.h"

namespace kube::json {
namespace {

// Below this depth the reader may use the program's stack; deeper texts, which nobody writes but an
// attacker, go through its slower iterative form.
constexpr std::size_t kRecursionLimit = 500;

// Copies of a text that nobody writes but an attacker: bytes that become three (U+FFFD), numbers
// that become four times as long, and room for both to grow.
constexpr std::size_t kRareCopies = 20;
// A larger stack is given back, so that one huge object does not hold memory for ever.
constexpr std::size_t kMostKept = 64 * 1024;

constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag |
                            rapidjson::kParseStopWhenDoneFlag;

// Builds values bottom-up: finished ones wait on a stack until their array or object ends.
class Builder {
 public:
  Builder(Arena& arena, std::vector<Value>& stack, std::size_t depth_limit)
      : arena_(arena), stack_(stack), depth_limit_(depth_limit) {
    stack_.clear();
  }

  bool too_deep() const { return depth_ > depth_limit_; }
  Value TakeRoot() const { return stack_.back(); }

  bool Null() { return Push(Value()); }
  bool Bool(bool value) { return Push(Value::Bool(value)); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return Push(Value::Number({text, size}));
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return Push(Value::String({text, size}));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    return Push(Value::String({text, size}));
  }
  bool StartObject() { return ++depth_ <= depth_limit_; }
  bool StartArray() { return ++depth_ <= depth_limit_; }
  bool EndObject(rapidjson::SizeType count) {
    static_assert(sizeof(Member) == 2 * sizeof(Value));
    Member* members = arena_.Allocate<Member>(count);
    Pop(members, count * 2);
    return Push(Value::Object(members, RemoveEqualKeys(members, count)));
  }
  bool EndArray(rapidjson::SizeType count) {
    Value* elements = arena_.Allocate<Value>(count);
    Pop(elements, count);
    return Push(Value::Array(elements, count));
  }

  // Never called: all numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool Push(Value value) {
    stack_.push_back(value);
    return true;
  }

  // Moves the last `count` values of the stack to `to` and ends their level.
  void Pop(void* to, std::size_t count) {
    if (count != 0) std::memcpy(to, stack_.data() + stack_.size() - count, count * sizeof(Value));
    stack_.resize(stack_.size() - count);
    --depth_;
  }

  Arena& arena_;
  std::vector<Value>& stack_;
  std::size_t depth_limit_;
  std::size_t depth_ = 0;
};

bool IsHighSurrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// The code unit of an escape \uXXXX at the start of `text`; 0 where there is none.
unsigned EscapedUnit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return 0;
  unsigned unit = 0;
  for (const char c : text.substr(2, 4)) {
    if (!std::isxdigit(static_cast<unsigned char>(c))) return 0;
    unit = unit * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return unit;
}

void MovePrefix(std::string& out, std::string_view& text, std::size_t count) {
  out.append(text.substr(0, count));
  text.remove_prefix(std::min(count, text.size()));
}

// Moves the string at the start of `text` to `out`, with \ufffd for each lone surrogate.
void MoveFixedString(std::string& out, std::string_view& text) {
  MovePrefix(out, text, 1);
  while (!text.empty() && text[0] != '"') {
    const unsigned unit = EscapedUnit(text);
    if (IsHighSurrogate(unit) && IsLowSurrogate(EscapedUnit(text.substr(6)))) {
      MovePrefix(out, text, 12);
    } else if (IsHighSurrogate(unit) || IsLowSurrogate(unit)) {
      out.append("\\ufffd");
      text.remove_prefix(6);
    } else {
      MovePrefix(out, text, text[0] == '\\' ? 2 : 1);
    }
  }
  MovePrefix(out, text, 1);
}

std::string_view NumberAt(std::string_view text) {
  return text.substr(0, text.find_first_not_of("0123456789+-.eE"));
}

// The reader refuses some numbers that a float64 can hold, such as 0e400: they become what the
// server stores for them. Others stay, as 1e20 would become four times as long.
void AppendFixedNumber(std::string& out, std::string_view number) {
  constexpr std::size_t kMostOfNumber = 100, kMostOfExponent = 2;
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != number.npos) {
    const std::size_t digits = number.find_first_not_of("+-", exponent + 1);
    const std::size_t of_exponent = number.size() - std::min(digits, number.size());
    if (number.size() > kMostOfNumber || of_exponent > kMostOfExponent) {
      if (const auto stored = StoredNumber(number)) {
        out.append(*stored);
        return;
      }
    }
  }
  out.append(number);
}

// A copy of `text` without what Go takes and the reader does not.
std::string Fix(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (text[0] == '"') {
      MoveFixedString(out, text);
    } else if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') {
      const std::string_view number = NumberAt(text);
      AppendFixedNumber(out, number);
      text.remove_prefix(number.size());
    } else {
      MovePrefix(out, text, 1);
    }
  }
  return out;
}

std::string Message(rapidjson::ParseErrorCode code) {
  std::string message = rapidjson::GetParseError_En(code);
  if (message.ends_with('.')) message.pop_back();
  if (!message.empty()) {
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  }
  return message;
}

// True if some escape stands for half of a surrogate pair. The reader takes a lone second half.
bool HasSurrogateEscape(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos;
       at = text.find('\\', at + 2)) {
    const unsigned unit = EscapedUnit(text.substr(at));
    if (IsHighSurrogate(unit) || IsLowSurrogate(unit)) return true;
  }
  return false;
}

// White space is all that may follow a value.
std::optional<ParseError> TrailingError(std::string_view text, std::size_t end) {
  const std::size_t stray = text.find_first_not_of(" \t\r\n", end);
  if (stray == std::string_view::npos) return std::nullopt;
  return ParseError{stray, "invalid character after top-level value"};
}

}  // namespace

struct Document::Attempt {
  rapidjson::ParseResult result;
  bool too_deep = false;
  std::size_t end = 0;  // where the value ended

  bool NeedsFixing() const {
    return result.IsError() && result.Code() == rapidjson::kParseErrorNumberTooBig;
  }
};

// A copy of `text` that may be changed, with zeros behind it.
void Document::FillBuffer(std::string_view text) {
  arena_.Reset();
  text_.reserve(text.size() + PlainReader::kPadding);
  text_.assign(text.begin(), text.end());
  text_.insert(text_.end(), PlainReader::kPadding, '\0');
  text_size_ = text.size();
}

bool Document::ParsePlain(std::string_view text) {
  FillBuffer(text);
  PlainReader reader(arena_, stack_);
  const std::optional<Value> root = reader.Read(text_.data(), text.size());
  const bool is_read = root && (reader.saw_ascii_alone() || base::utf8::IsValid(text));
  root_ = is_read ? *root : Value();
  may_hold_nulls_ = !is_read || reader.saw_null();
  return is_read;
}

Document::Attempt Document::ParseBuffer(std::string_view text, bool iterative) {
  FillBuffer(text);
  rapidjson::InsituStringStream stream(text_.data());
  rapidjson::Reader reader;
  Builder builder(arena_, stack_, iterative ? kMaxDepth : kRecursionLimit);
  Attempt attempt;
  attempt.result = iterative
                       ? reader.Parse<kFlags | rapidjson::kParseIterativeFlag>(stream, builder)
                       : reader.Parse<kFlags>(stream, builder);
  attempt.too_deep = builder.too_deep();
  attempt.end = stream.Tell();
  if (!attempt.result.IsError()) root_ = builder.TakeRoot();
  return attempt;
}

std::optional<ParseError> Document::Parse(std::string_view text, const MemoryQuestion& may_take) {
  root_ = Value();
  std::optional<ParseError> error;
  if (!ParsePlain(text)) error = ParseRare(text, may_take);
  // It is as large as the text had values at once.
  if (stack_.capacity() > kMostKept) std::vector<Value>().swap(stack_);
  if (error) root_ = Value();
  return error;
}

std::optional<ParseError> Document::ParseRare(std::string_view text,
                                              const MemoryQuestion& may_take) {
  const std::size_t size = text.size();
  if (may_take && !may_take(kRareCopies * size)) {
    return ParseError{0, "it takes more memory than there is"};
  }
  std::string sanitized, fixed;
  if (!base::utf8::IsValid(text)) {
    sanitized = base::utf8::Sanitize(text);
    text = sanitized;
  }
  if (HasSurrogateEscape(text)) {
    fixed = Fix(text);
    text = fixed;
  }
  Attempt attempt = ParseBuffer(text, false);
  if (attempt.too_deep) attempt = ParseBuffer(text, true);
  if (attempt.NeedsFixing() && fixed.empty()) {
    fixed = Fix(text);
    text = fixed;
    attempt = ParseBuffer(text, true);
  }
  std::optional<ParseError> error =
      attempt.result.IsError() ? DescribeError(attempt, text) : TrailingError(text, attempt.end);
  // U+FFFD may have made the text longer.
  if (error) error->offset = std::min(error->offset, size);
  return error;
}

ParseError Document::DescribeError(const Attempt& attempt, std::string_view text) {
  const std::size_t offset = std::min(attempt.result.Offset(), text.size());
  if (attempt.too_deep) return {offset, "exceeded max depth"};
  if (attempt.result.Code() == rapidjson::kParseErrorNumberTooBig) {
    const auto stored = StoredNumber(NumberAt(text.substr(offset)));
    if (!stored) return {offset, stored.error()};
  }
  return {offset, Message(attempt.result.Code())};
}

std::vector<const Member*> SortedMembers(const Value& object) {
  std::vector<const Member*> members;
  members.reserve(object.size());
  for (const Member& member : object.members()) members.push_back(&member);
  std::ranges::sort(members, {}, [](const Member* member) { return member->key.text(); });
  return members;
}

}  // namespace kube::json
