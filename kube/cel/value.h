#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kube/cel/type.h"
#include "kube/json/json.h"
#include "kube/json/member_index.h"

namespace kube::cel {

struct SchemaType;
struct ListData;
struct MapData;
struct Opaque;
class Memory;

/// What an expression evaluates to: 24 bytes that may point into an arena, a constant of the
/// program, or the object that is looked at.
struct Value {
  enum class Kind : std::uint8_t {
    kUnset,  ///< no value yet; never the result of an expression
    kError,
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kTimestamp,
    kList,      ///< built by an expression
    kJsonList,  ///< an array, read in place
    kMap,       ///< built by an expression
    kJsonMap,   ///< an object, read in place: the keys are those that it has
    kObject,    ///< an object, read in place: the fields are those of its schema
    kOptional,
    kType,
    kOpaque,     ///< of a library: a quantity, an address ...
    kPreserved,  ///< JSON that no schema describes, read in place: can be compared
  };

  Kind kind = Kind::kUnset;
  bool is_mutable = false;  ///< a list or map that only its fold knows yet
  std::uint32_t size = 0;   ///< of texts, in bytes; nanoseconds of a timestamp
  union {
    bool boolean;
    std::int64_t integer;  ///< also nanoseconds of a duration, seconds of a timestamp
    std::uint64_t natural;
    double real;
    const char* characters = nullptr;  ///< of strings, bytes and errors
    ListData* list;
    MapData* map;
    const json::Value* json;
    const Value* inner;  ///< of an optional; null: it has none
    TypeRef type;
    const Opaque* opaque;
  };
  union {
    /// Of what is read in place, and of lists made of such a list; null: dyn.
    const SchemaType* schema = nullptr;
    std::int64_t zone;  ///< of a timestamp, in seconds east of UTC
  };

  static Value Null() { return Of(Kind::kNull); }
  static Value Bool(bool value) {
    Value v = Of(Kind::kBool);
    v.boolean = value;
    return v;
  }
  static Value Int(std::int64_t value) {
    Value v = Of(Kind::kInt);
    v.integer = value;
    return v;
  }
  static Value Uint(std::uint64_t value) {
    Value v = Of(Kind::kUint);
    v.natural = value;
    return v;
  }
  static Value Double(double value) {
    Value v = Of(Kind::kDouble);
    v.real = value;
    return v;
  }
  /// Borrows the text, as the next ones do.
  static Value String(std::string_view text) { return Text(Kind::kString, text); }
  static Value Bytes(std::string_view bytes) { return Text(Kind::kBytes, bytes); }
  static Value Error(std::string_view message) { return Text(Kind::kError, message); }
  static Value Duration(std::int64_t nanoseconds) {
    Value v = Of(Kind::kDuration);
    v.integer = nanoseconds;
    return v;
  }
  static Value Timestamp(std::int64_t seconds, std::uint32_t nanoseconds, std::int64_t zone = 0) {
    Value v = Of(Kind::kTimestamp);
    v.integer = seconds;
    v.size = nanoseconds;
    v.zone = zone;
    return v;
  }
  static Value OfType(TypeRef type) {
    Value v = Of(Kind::kType);
    v.type = type;
    return v;
  }
  static Value Optional(const Value* inner) {
    Value v = Of(Kind::kOptional);
    v.inner = inner;
    return v;
  }

  bool is_error() const { return kind == Kind::kError; }
  bool is_bool() const { return kind == Kind::kBool; }
  bool is_true() const { return kind == Kind::kBool && boolean; }
  bool is_false() const { return kind == Kind::kBool && !boolean; }
  bool is_int() const { return kind == Kind::kInt; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_list() const { return kind == Kind::kList || kind == Kind::kJsonList; }
  bool is_map() const {
    return kind == Kind::kMap || kind == Kind::kJsonMap || kind == Kind::kObject;
  }
  bool is_number() const {
    return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble;
  }
  std::string_view text() const { return {characters, size}; }

 private:
  static Value Of(Kind kind) {
    Value v;
    v.kind = kind;
    return v;
  }
  static Value Text(Kind kind, std::string_view text) {
    Value v = Of(kind);
    v.characters = text.data();
    v.size = static_cast<std::uint32_t>(text.size());
    return v;
  }
};

static_assert(sizeof(Value) == 24);

/// The elements of a list that an expression built.
struct ListData {
  Value* items = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
};

struct MapEntry {
  Value key;
  Value value;
};

/// The entries of a map that an expression built, in the order in which they came.
struct MapData {
  MapEntry* entries = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  std::uint32_t* slots = nullptr;  ///< by the hash of keys: 1 + the index of an entry; 0: free
  std::uint32_t slot_count = 0;    ///< a power of two; 0: the map is searched from end to end
};

/// The arguments of a function, none of which is an error. The receiver is the first of them.
using Args = std::span<const Value>;

/// The type of a value at run time, without parameters.
TypeRef RuntimeType(const Value& value);
/// Its name: "int", "google.protobuf.Duration", "net.IP".
std::string_view RuntimeTypeName(const Value& value);

/// ==, as the first value has it: a set and a list of x-kubernetes-list-type map are equal to what
/// has the same elements in another order. Numbers are equal across their types; values of
/// different types are not equal. What of `a` cannot be read is equal to nothing, nor is a list or
/// map of an object equal to what is none: both are noted in `memory` (TakeUnreadable). Throws
/// GivenUp.
bool Equal(Memory& memory, const Value& a, const Value& b);
/// -1, 0 or 1; absent where the two cannot be ordered, as NaN with anything.
std::optional<int> Compare(const Value& a, const Value& b);
/// What the size of a value counts for in costs: characters, bytes, elements, entries; 1 for the
/// rest.
std::uint64_t CostSize(const Value& value);
/// As CostSize; absent where size() is no function of the value.
std::optional<std::int64_t> SizeOf(const Value& value);

/// The Go type of a value in cel-go, as %T prints it: "types.Int".
std::string GoTypeOf(const Value& value);
/// How Go prints a value in errors. A text that nobody could read is cut.
std::string Describe(const Value& value);

// ---- Lists and maps, however they are held.

std::uint32_t ListSize(const Value& list);
Value ListItem(Memory& memory, const Value& list, std::uint32_t index);
/// The entry of `key`; kUnset where there is none, an error where the field cannot be read. Throws
/// GivenUp.
Value MapFind(Memory& memory, const Value& map, const Value& key);
std::uint32_t MapSize(const Value& map);

/// A + B of two lists, which are values of this file. What a set has already is not added; an
/// element of a list of type map replaces the one with its keys.
Value AddLists(Memory& memory, const Value& a, const Value& b);

/// True for a map or object of the object at hand, which is read in place by its schema.
bool HasSchema(const Value& map);
/// Whether that schema says how the value of `key` is read.
bool IsKnownKey(const Value& map, std::string_view key);

/// The keys of a map and their values, one after the other. What an object of the object at hand
/// has beyond its schema comes last, and without its name: the iterator of apiserver's
/// unstructuredMap leaves these keys nil, which expressions see as null. Nobody finds a value by
/// such a key, so its value is the error kNoOverload.
class MapCursor {
 public:
  MapCursor(Memory& memory, const Value& map) : memory_(memory), map_(map) { Skip(); }
  bool AtEnd() const { return IsPastNamed() && unnamed_ == 0; }
  MapEntry Entry() const;
  /// Whether what stands here has no name.
  bool IsUnnamed() const { return IsPastNamed(); }
  void Next();

 private:
  bool IsPastNamed() const;
  void Skip();

  Memory& memory_;
  const Value map_;
  std::uint32_t index_ = 0;
  std::uint32_t unnamed_ = 0;  ///< that were met so far, and are still to come
};

/// The error of a call whose cost goes beyond its limit.
inline constexpr std::string_view kCostLimitExceeded =
    "operation cancelled: actual cost limit exceeded";

/// The error of a call that has no overload for the values that it meets.
inline constexpr std::string_view kNoOverload = "no such overload";

/// What an evaluation ends with where the server's library uses what is nil.
inline constexpr std::string_view kNilPointer =
    "internal error: runtime error: invalid memory address or nil pointer dereference";

/// Thrown where an evaluation is ended before it has a value: by what it costs, by the memory that
/// it takes, by the values that it looks at, or where the server's library panics.
struct GivenUp {
  std::string_view error = kCostLimitExceeded;  ///< what the evaluation ends with
};

/// Memory for what expressions build, and the end of it. Values are shared: a few of them may stand
/// for a tree that is too large to be walked. So whoever walks into values, or through texts,
/// counts here what it looks at. All that count throw GivenUp once it is too much for one
/// evaluation. Not for several threads at once.
class Memory {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{48} << 20;
  static constexpr std::uint64_t kMostVisits = 10000000;
  static constexpr int kMostLevels = 500;

  explicit Memory(json::Arena& arena) : arena_(arena) {}

  /// Uninitialised memory for `count` objects of the trivially destructible type T.
  template <typename T>
  T* Take(std::size_t count = 1) {
    TakeBytes(count * sizeof(T));
    return arena_.Allocate<T>(count);
  }
  std::string_view Copy(std::string_view text) {
    TakeBytes(text.size());
    return arena_.Copy(text);
  }

  /// Counts values that are looked at.
  void Visit(std::uint64_t count = 1) {
    if (count > visits_left_) throw GivenUp();
    visits_left_ -= count;
  }
  std::uint64_t visits() const { return kMostVisits - visits_left_; }
  /// Counts a text that is looked at from end to end.
  void VisitText(std::string_view text) { Visit(text.size() / kTextOfVisit); }
  /// The same for the text of a value, if it has one.
  void VisitText(const Value& value);

  /// A step from a value into what it holds, for as long as this lives.
  class Level {
   public:
    explicit Level(Memory& memory) : memory_(memory) {
      if (memory.level_ >= kMostLevels) throw GivenUp();
      ++memory.level_;
    }
    ~Level() { --memory_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Memory& memory_;
  };

  /// What could not be read in comparisons, which is then what they come to; kUnset: nothing.
  /// Forgets it.
  Value TakeUnreadable() { return std::exchange(unreadable_, Value()); }
  void SetUnreadable(const Value& error) { unreadable_ = error; }

  /// json::Value::Find, also for large objects that are asked often.
  const json::Value* Find(const json::Value& object, std::string_view key) {
    return members_.Find(object, key);
  }

  Value String(std::string_view text) { return Value::String(Copy(text)); }
  Value Bytes(std::string_view bytes) { return Value::Bytes(Copy(bytes)); }
  Value Error(std::string_view message) { return Value::Error(Copy(message)); }
  Value Optional(const Value& inner);
  Value NoOptional() { return Value::Optional(nullptr); }
  Value OfOpaque(const Opaque* opaque);

  Value NewList(std::uint32_t capacity = 0);
  void Append(const Value& list, const Value& item);
  Value NewMap(std::uint32_t capacity = 0);
  /// Sets the value of a key; true if the map had it.
  bool Set(const Value& map, const Value& key, const Value& value);

 private:
  // To look at so many bytes of a text takes about as long as to look at a value.
  static constexpr std::size_t kTextOfVisit = 16;

  void TakeBytes(std::size_t bytes) {
    if (bytes > bytes_left_) throw GivenUp();
    bytes_left_ -= bytes;
  }

  json::Arena& arena_;
  json::MemberIndex members_;
  Value unreadable_;
  std::size_t bytes_left_ = kMostBytes;
  std::uint64_t visits_left_ = kMostVisits;
  int level_ = 0;
};

}  // namespace kube::cel
