#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"

/// JSON as the API server reads and stores it, with numbers kept as they were written.
namespace kube::json {

/// The deepest nesting that is read: encoding/json refuses more with "exceeded max depth".
inline constexpr std::size_t kMaxDepth = 10000;

/// Memory that is given out in small pieces and given back all at once.
///
/// What it hands out lives until Reset() or the end of the arena. Not for several threads at once.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  /// Uninitialised memory for `count` objects of the trivially destructible type T.
  template <typename T>
  T* Allocate(std::size_t count) {
    return static_cast<T*>(AllocateBytes(count * sizeof(T)));
  }
  /// Copies `text` into the arena.
  std::string_view Copy(std::string_view text);
  /// Takes all memory back; keeps one block of it for the next use.
  void Reset();

 private:
  void* AllocateBytes(std::size_t bytes) {
    const std::size_t rounded = (bytes + 7) & ~std::size_t{7};
    if (rounded > left_) return AllocateInNewBlock(rounded);
    void* result = next_;
    next_ += rounded;
    left_ -= rounded;
    return result;
  }
  void* AllocateInNewBlock(std::size_t bytes);

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

enum class Type : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

struct Member;

/// One JSON value: 16 bytes that point into an arena (or into text that somebody else owns).
///
/// Copying a Value copies the handle: both see the same elements until one of them grows. Use
/// DeepCopy for a value of its own. Objects keep the order of the text and hold a key once.
class Value {
 public:
  Value() = default;  ///< null
  static Value Bool(bool value) {
    Value result;
    result.type_ = Type::kBool;
    result.bool_ = value;
    return result;
  }
  /// A string that borrows `text`, which must be UTF-8 and outlive the value.
  static Value String(std::string_view text) { return Text(Type::kString, text); }
  /// A number that borrows `text`, which must be a JSON number and outlive the value.
  static Value Number(std::string_view text) { return Text(Type::kNumber, text); }
  static Value Number(std::int64_t number, Arena& arena);
  static Value Array();
  static Value Object();
  /// Take over `count` elements in memory that outlives the value.
  static Value Array(Value* elements, std::size_t count);
  static Value Object(Member* members, std::size_t count);

  Type type() const { return type_; }
  bool is_null() const { return type_ == Type::kNull; }
  bool is_bool() const { return type_ == Type::kBool; }
  bool is_number() const { return type_ == Type::kNumber; }
  bool is_string() const { return type_ == Type::kString; }
  bool is_array() const { return type_ == Type::kArray; }
  bool is_object() const { return type_ == Type::kObject; }
  /// True for the boolean true alone.
  bool is_true() const { return is_bool() && bool_; }

  /// The boolean; only where is_bool().
  bool AsBool() const { return bool_; }
  /// The characters of a string, or a number as it was written; empty for any other type.
  std::string_view text() const {
    return is_string() || is_number() ? std::string_view(text_, size_) : std::string_view();
  }
  /// The number of elements or members; 0 for a scalar.
  std::size_t size() const { return is_array() || is_object() ? size_ : 0; }
  bool empty() const { return size() == 0; }

  /// The elements of an array, in order; empty for any other type.
  std::span<Value> elements() {
    return is_array() ? std::span<Value>(elements_, size_) : std::span<Value>();
  }
  std::span<const Value> elements() const {
    return is_array() ? std::span<const Value>(elements_, size_) : std::span<const Value>();
  }
  /// The members of an object, in the order of the text; empty for any other type.
  std::span<Member> members();
  std::span<const Member> members() const;

  /// The value at `key`; null pointer where there is none or this is no object.
  Value* Find(std::string_view key);
  const Value* Find(std::string_view key) const;
  /// As Find, but the null pointer also where the value is not of `type`.
  const Value* Find(std::string_view key, Type type) const;
  /// The text of the string at `key`; empty where there is none.
  std::string_view FindText(std::string_view key) const;
  /// The value at `key`; null where there is none or this is no object. A path of several may so
  /// be asked for at once: `object.At("metadata").At("managedFields").elements()`.
  const Value& At(std::string_view key) const;

  /// Adds an element at the end of an array.
  void Append(Value element, Arena& arena);
  /// Replaces the value at `key` of an object, or adds it at the end. Borrows `key`.
  /// Returns the place of the value, which holds until the object changes.
  Value* Set(std::string_view key, Value value, Arena& arena);
  /// The same for a `key` that is not there, without a search for it.
  Value* SetNew(std::string_view key, Value value, Arena& arena);
  /// Removes `key` from an object; false where it was not there.
  bool Erase(std::string_view key);
  /// Keeps the first `count` elements or members only.
  void Truncate(std::size_t count) { size_ = static_cast<std::uint32_t>(count); }

 private:
  static Value Text(Type type, std::string_view text) {
    Value result;
    result.type_ = type;
    result.text_ = text.data();
    result.size_ = static_cast<std::uint32_t>(text.size());
    return result;
  }

  union {
    bool bool_;
    const char* text_ = nullptr;
    Value* elements_;
    Member* members_;
  };
  std::uint32_t size_ = 0;
  Type type_ = Type::kNull;
  /// Elements or members fit 1 << capacity_log2_ where Append or Set made the memory; 0: full.
  std::uint8_t capacity_log2_ = 0;
  /// Without it a copy leaves out the last bytes, which takes several times as long.
  [[maybe_unused]] std::uint16_t filler_ = 0;
};

struct Member {
  Value key;  ///< always a string
  Value value;
};

static_assert(sizeof(Value) == 16);

inline std::span<Member> Value::members() {
  return is_object() ? std::span<Member>(members_, size_) : std::span<Member>();
}

inline std::span<const Member> Value::members() const {
  return is_object() ? std::span<const Member>(members_, size_) : std::span<const Member>();
}

/// The members of an object by key, bytewise. Borrows from it.
std::vector<const Member*> SortedMembers(const Value& object);

/// Where and why a text is no JSON.
struct ParseError {
  std::size_t offset;   ///< in bytes from the start; only near it where bytes are not UTF-8
  std::string message;  ///< e.g. "missing a comma or } after an object member"
};

/// Says whether so many bytes of memory may be taken.
using MemoryQuestion = std::function<bool(std::size_t bytes)>;

/// A parsed text: the value and the memory that it lives in. Can be used again for the next text.
class Document {
 public:
  /// Parses one JSON text as Go's encoding/json does: the last of equal keys wins; bytes that are
  /// not UTF-8 and lone surrogates become U+FFFD; nesting beyond kMaxDepth is an error. Numbers
  /// keep their text. White space may surround the value, nothing else.
  ///
  /// Values of an earlier Parse are gone. On an error the root is null.
  ///
  /// It takes the bytes of the text once, and 48 bytes for each of MostValues(text), of which 16
  /// are kept. A text that no program writes (bytes that are not UTF-8, lone surrogates, numbers of
  /// hundreds of digits) takes more, for which `may_take` is asked before; empty: it is taken.
  [[nodiscard]] std::optional<ParseError> Parse(std::string_view text,
                                                const MemoryQuestion& may_take = {});

  /// As new: values of before are gone, the root is null, and may become anything.
  void Reset() {
    root_ = Value();
    may_hold_nulls_ = true;
    arena_.Reset();
  }

  Value& root() { return root_; }
  const Value& root() const { return root_; }
  /// The bytes of the text that was parsed last.
  std::size_t text_size() const { return text_size_; }
  /// False: there was no null in what was parsed last.
  bool may_hold_nulls() const { return may_hold_nulls_; }
  Arena& arena() { return arena_; }

 private:
  struct Attempt;
  std::optional<ParseError> ParseRare(std::string_view text, const MemoryQuestion& may_take);
  void FillBuffer(std::string_view text);
  bool ParsePlain(std::string_view text);
  Attempt ParseBuffer(std::string_view text, bool iterative);
  static ParseError DescribeError(const Attempt& attempt, std::string_view text);

  Arena arena_;
  std::vector<char> text_;    // strings of the root point into it
  std::vector<Value> stack_;  // of the parser, kept for the next text
  Value root_;
  std::size_t text_size_ = 0;
  bool may_hold_nulls_ = true;
};

/// A copy that shares nothing with `value`: all of it lives in `arena`.
Value DeepCopy(const Value& value, Arena& arena);
/// A copy to be changed while `value` stays as it is: it shares nothing with it but texts, and so
/// must not outlive it.
Value CopyForChange(const Value& value, Arena& arena);

/// True if `value` is null, or null is anywhere in it.
bool HasNull(const Value& value);

/// True if both are the same JSON value; order of keys does not count, numbers compare by value
/// (1 == 1.0 == 1e0), as exactly as they are written.
bool Equal(const Value& a, const Value& b);

/// What encoding/json's errors call a type: "null", "bool", "number", "string", "array", "object".
std::string_view TypeName(Type type);
/// The Go type that the value becomes in an interface{}, as %T prints it: "<nil>", "bool", "int64",
/// "float64", "string", "[]interface {}", "map[string]interface {}".
std::string_view GoTypeName(const Value& value);

enum class KeyOrder { kSorted, kAsWritten };

/// Prints in Go's way: <, >, & and U+2028/9 escaped, control characters as \u00XX but \n, \r and
/// \t, no white space. Numbers as they are held.
std::string Print(const Value& value, KeyOrder order = KeyOrder::kSorted);
/// The bytes that Print prints.
std::size_t PrintedSize(const Value& value);
void PrintTo(std::string& out, const Value& value, KeyOrder order = KeyOrder::kSorted);
/// The same on several lines, indented by four blanks a level as kubectl -o json does.
/// Ends without a line break.
std::string PrintIndented(const Value& value, KeyOrder order = KeyOrder::kSorted);

/// A float64 as encoding/json prints it: "0.000001", "1e-7", "100000000000000000000", "1e+21".
std::string FormatFloat(double value);
/// A float64 as strconv.FormatFloat(value, 'f', -1, 64) prints it: "1000000", "0.25"; no NaN or
/// infinity.
std::string FormatFloatF(double value);
/// A float64 as fmt's %v prints it: "1e+06", "0.25", "+Inf".
std::string FormatFloatG(double value);

/// The text that the server stores for a number as written: an int64 where it fits, else a float64
/// as Go's encoding/json prints it. The error is Go's text for a number that no float64 can hold.
base::Result<std::string, std::string> StoredNumber(std::string_view text);
/// Replaces every number in `value` by its stored text. Returns Go's error for the first that
/// cannot be stored.
[[nodiscard]] std::optional<std::string> StoreNumbers(Value& value, Arena& arena);
/// The number if it was written as a whole number that fits (no point, no exponent).
std::optional<std::int64_t> AsInt64(const Value& value);
/// The number as a float64; absent for any other type and where it does not fit.
std::optional<double> AsDouble(const Value& value);

}  // namespace kube::json
