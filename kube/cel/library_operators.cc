// Operators, size(), contains() and their like: what cel-go's standard library has for values of
// all types (common/stdlib/standard.go). One implementation serves all overloads of an operator.
#include <cmath>
#include <vector>

#include "kube/base/text.h"
#include "kube/cel/function.h"
#include "kube/cel/operators.h"
#include "kube/cel/time.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";

/// The error for an operand that the operator has nothing for. Texts, durations and timestamps are
/// asked for a method of that name first, and say less.
Value NoOperator(Memory& memory, const Value& operand, std::string_view function) {
  if (operand.is_string() || operand.kind == Kind::kDuration || operand.kind == Kind::kTimestamp) {
    return Value::Error(kNoOverload);
  }
  return memory.Error("no such overload: " + std::string(function));
}

/// The result of an operation that may overflow: of __builtin_add_overflow and its like.
template <typename T, typename Operation>
Value Checked(T a, T b, Operation overflows, std::string_view error, Value (*make)(T value)) {
  T result = 0;
  return overflows(a, b, &result) ? Value::Error(error) : make(result);
}
template <typename Operation>
Value CheckedInt(const Value& a, const Value& b, Operation overflows) {
  return Checked(a.integer, b.integer, overflows, kIntOverflow, Value::Int);
}
template <typename Operation>
Value CheckedUint(const Value& a, const Value& b, Operation overflows) {
  return Checked(a.natural, b.natural, overflows, kUintOverflow, Value::Uint);
}
template <typename Operation>
Value CheckedDuration(const Value& a, const Value& b, Operation overflows) {
  return Checked(a.integer, b.integer, overflows, kIntOverflow, Value::Duration);
}
constexpr auto kAddOverflows = [](auto a, auto b, auto* r) {
  return __builtin_add_overflow(a, b, r);
};
constexpr auto kSubtractOverflows = [](auto a, auto b, auto* r) {
  return __builtin_sub_overflow(a, b, r);
};
constexpr auto kMultiplyOverflows = [](auto a, auto b, auto* r) {
  return __builtin_mul_overflow(a, b, r);
};

Value ConcatenateTexts(Memory& memory, const Value& a, const Value& b) {
  char* text = memory.Take<char>(std::size_t{a.size} + b.size);
  std::copy_n(b.characters, b.size, std::copy_n(a.characters, a.size, text));
  Value result = a;
  result.characters = text;
  result.size += b.size;
  return result;
}

Value Add(Memory& memory, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.is_list() && b.is_list()) return AddLists(memory, a, b);
  if (a.kind == b.kind) {
    switch (a.kind) {
      case Kind::kInt:
        return CheckedInt(a, b, kAddOverflows);
      case Kind::kUint:
        return CheckedUint(a, b, kAddOverflows);
      case Kind::kDouble:
        return Value::Double(a.real + b.real);
      case Kind::kString:
      case Kind::kBytes:
        return ConcatenateTexts(memory, a, b);
      case Kind::kDuration:
        return CheckedDuration(a, b, kAddOverflows);
      default:
        break;
    }
  }
  if (a.kind == Kind::kDuration && b.kind == Kind::kTimestamp) {
    return AddToTimestamp(b, a.integer);
  }
  if (a.kind == Kind::kTimestamp && b.kind == Kind::kDuration) {
    return AddToTimestamp(a, b.integer);
  }
  const bool adds = a.is_number() || a.is_string() || a.is_list() || a.kind == Kind::kBytes;
  return adds ? Value::Error(kNoOverload) : NoOperator(memory, a, operators::kAdd);
}

/// The time between two timestamps.
Value SubtractTimestamps(const Value& a, const Value& b) {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  const auto rest = static_cast<std::int64_t>(a.size) - static_cast<std::int64_t>(b.size);
  const bool overflows = __builtin_sub_overflow(a.integer, b.integer, &seconds) ||
                         __builtin_mul_overflow(seconds, std::int64_t{1000000000}, &nanoseconds) ||
                         __builtin_add_overflow(nanoseconds, rest, &nanoseconds);
  return overflows ? Value::Error(kIntOverflow) : Value::Duration(nanoseconds);
}

Value Subtract(Memory& memory, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind == b.kind) {
    switch (a.kind) {
      case Kind::kInt:
        return CheckedInt(a, b, kSubtractOverflows);
      case Kind::kUint:
        return CheckedUint(a, b, kSubtractOverflows);
      case Kind::kDouble:
        return Value::Double(a.real - b.real);
      case Kind::kDuration:
        return CheckedDuration(a, b, kSubtractOverflows);
      case Kind::kTimestamp:
        return SubtractTimestamps(a, b);
      default:
        break;
    }
  }
  if (a.kind == Kind::kTimestamp && b.kind == Kind::kDuration) {
    if (b.integer == INT64_MIN) return Value::Error(kIntOverflow);
    return AddToTimestamp(a, -b.integer);
  }
  return a.is_number() ? Value::Error(kNoOverload) : NoOperator(memory, a, operators::kSubtract);
}

Value Multiply(Memory& memory, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (!a.is_number()) return NoOperator(memory, a, operators::kMultiply);
  if (a.kind != b.kind) return Value::Error(kNoOverload);
  if (a.kind == Kind::kInt) {
    return CheckedInt(a, b, kMultiplyOverflows);
  }
  if (a.kind == Kind::kUint) {
    return CheckedUint(a, b, kMultiplyOverflows);
  }
  return Value::Double(a.real * b.real);
}

Value Divide(Memory& memory, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (!a.is_number()) return NoOperator(memory, a, operators::kDivide);
  if (a.kind != b.kind) return Value::Error(kNoOverload);
  if (a.kind == Kind::kDouble) return Value::Double(a.real / b.real);
  if (b.natural == 0) return Value::Error("division by zero");
  if (a.kind == Kind::kUint) return Value::Uint(a.natural / b.natural);
  if (a.integer == INT64_MIN && b.integer == -1) return Value::Error(kIntOverflow);
  return Value::Int(a.integer / b.integer);
}

Value Modulo(Memory& memory, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (!a.is_number() || a.kind == Kind::kDouble) return NoOperator(memory, a, operators::kModulo);
  if (a.kind != b.kind) return Value::Error(kNoOverload);
  if (b.natural == 0) return Value::Error("modulus by zero");
  if (a.kind == Kind::kUint) return Value::Uint(a.natural % b.natural);
  if (a.integer == INT64_MIN && b.integer == -1) return Value::Error(kIntOverflow);
  return Value::Int(a.integer % b.integer);
}

Value Negate(Memory& memory, Args args) {
  const Value& a = args[0];
  switch (a.kind) {
    case Kind::kBool:
      return Value::Bool(!a.boolean);
    case Kind::kDouble:
      return Value::Double(-a.real);
    case Kind::kInt:
      return a.integer == INT64_MIN ? Value::Error(kIntOverflow) : Value::Int(-a.integer);
    case Kind::kDuration:
      return a.integer == INT64_MIN ? Value::Error(kIntOverflow) : Value::Duration(-a.integer);
    default:
      return NoOperator(memory, a, operators::kNegate);
  }
}

Value Not(Memory& /*memory*/, Args args) {
  return args[0].is_bool() ? Value::Bool(!args[0].boolean) : Value::Error(kNoOverload);
}

bool IsNan(const Value& value) { return value.kind == Kind::kDouble && std::isnan(value.real); }

/// A comparison that holds for orders from `low` to `high`.
Value CompareWith(Memory& memory, Args args, std::string_view function, int low, int high) {
  const Value& a = args[0];
  const bool has_order = a.is_number() || a.is_bool() || a.is_string() || a.kind == Kind::kBytes ||
                         a.kind == Kind::kDuration || a.kind == Kind::kTimestamp;
  if (!has_order) return NoOperator(memory, a, function);
  if (IsNan(a) || IsNan(args[1])) return Value::Bool(false);
  const std::optional<int> order = Compare(a, args[1]);
  if (!order) return Value::Error(kNoOverload);
  return Value::Bool(low <= *order && *order <= high);
}

Value Less(Memory& m, Args args) { return CompareWith(m, args, operators::kLess, -1, -1); }
Value LessEquals(Memory& m, Args args) {
  return CompareWith(m, args, operators::kLessEquals, -1, 0);
}
Value Greater(Memory& m, Args args) { return CompareWith(m, args, operators::kGreater, 1, 1); }
Value GreaterEquals(Memory& m, Args args) {
  return CompareWith(m, args, operators::kGreaterEquals, 0, 1);
}

Value In(Memory& memory, Args args) {
  const Value& container = args[1];
  if (container.is_map()) {
    const Value found = MapFind(memory, container, args[0]);
    return found.is_error() ? found : Value::Bool(found.kind != Kind::kUnset);
  }
  if (!container.is_list()) return Value::Error(kNoOverload);
  memory.TakeUnreadable();
  const bool is_typed = container.schema != nullptr;
  for (std::uint32_t i = 0, size = ListSize(container); i < size; ++i) {
    const Value item = ListItem(memory, container, i);
    // What a schema makes of an element decides there.
    if (is_typed ? Equal(memory, item, args[0]) : Equal(memory, args[0], item)) {
      return Value::Bool(true);
    }
  }
  const bool is_unreadable = memory.TakeUnreadable().is_error();
  return is_unreadable && is_typed ? Value::Error(kNoOverload) : Value::Bool(false);
}

Value Size(Memory& memory, Args args) {
  const std::optional<std::int64_t> size = SizeOf(args[0]);
  return size ? Value::Int(*size) : NoOperator(memory, args[0], "size");
}

/// contains, startsWith and endsWith: of two texts.
template <bool (*test)(std::string_view, std::string_view)>
Value TestText(Memory& /*memory*/, Args args) {
  if (!args[0].is_string() || !args[1].is_string()) return Value::Error(kNoOverload);
  return Value::Bool(test(args[0].text(), args[1].text()));
}

bool Contains(std::string_view text, std::string_view part) {
  return base::FindText(text, part) != std::string_view::npos;
}
bool StartsWith(std::string_view text, std::string_view start) { return text.starts_with(start); }
bool EndsWith(std::string_view text, std::string_view end) { return text.ends_with(end); }

/// True also where the argument is an error.
Value NotStrictlyFalse(Memory& /*memory*/, Args args) { return Value::Bool(!args[0].is_false()); }

/// A copy that may be changed, unless only its fold knows the map.
Value MutableMap(Memory& memory, const Value& map) {
  if (map.kind == Kind::kMap && map.is_mutable) return map;
  Value copy = memory.NewMap(MapSize(map));
  for (MapCursor cursor(memory, map); !cursor.AtEnd(); cursor.Next()) {
    const MapEntry entry = cursor.Entry();
    memory.Set(copy, entry.key, entry.value);
  }
  return copy;
}

Value MapInsert(Memory& memory, Args args) {
  if (!args[0].is_map()) return Value::Error(kNoOverload);
  const Value map = MutableMap(memory, args[0]);
  const auto insert = [&](const MapEntry& entry, bool is_unnamed) {
    if (MapFind(memory, map, entry.key).kind != Kind::kUnset) {
      // %v of Go, for which null is the number of an enum.
      const std::string key = is_unnamed                      ? "<nil>"
                              : entry.key.kind == Kind::kNull ? "0"
                                                              : Describe(entry.key);
      return memory.Error("insert failed: key " + key + " already exists");
    }
    memory.Set(map, entry.key, entry.value);
    return map;
  };
  if (args.size() == 3) return insert({args[1], args[2]}, false);
  if (!args[1].is_map()) return Value::Error(kNoOverload);
  MapCursor cursor(memory, args[1]);
  // The server's library looks at the type of the first key.
  if (!cursor.AtEnd() && cursor.IsUnnamed()) throw GivenUp{kNilPointer};
  for (; !cursor.AtEnd(); cursor.Next()) {
    const Value result = insert(cursor.Entry(), cursor.IsUnnamed());
    if (result.is_error()) return result;
  }
  return map;
}

// ---- Costs.

std::uint64_t CostAddText(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return ScaleCost(AddCost(CostSize(args[0]), CostSize(args[1])), kStringFactor);
}

std::uint64_t CostCompareTexts(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return ScaleCost(std::min(CostSize(args[0]), CostSize(args[1])), kStringFactor);
}

std::uint64_t CostInList(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return CostSize(args[1]);
}
std::uint64_t CostArgument(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return ScaleCost(CostSize(args[1]), kStringFactor);
}
std::uint64_t CostContains(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return MultiplyCost(ScaleCost(CostSize(args[0]), kStringFactor),
                      ScaleCost(CostSize(args[1]), kStringFactor));
}

std::optional<CallEstimate> EstimateCompareTexts(const EstimatedCall& call) {
  const std::uint64_t smallest =
      std::min(call.args[0].size.value_or(Range()).max, call.args[1].size.value_or(Range()).max);
  return CallEstimate{Range{smallest > 0 ? 1u : 0u, smallest}.Scale(kStringFactor), std::nullopt};
}
std::optional<CallEstimate> EstimateInList(const EstimatedCall& call) {
  return CallEstimate{call.args[1].size.value_or(Range()).Scale(1), std::nullopt};
}
std::optional<CallEstimate> EstimateArgument(const EstimatedCall& call) {
  return CallEstimate{call.args[0].size.value_or(Range()).Scale(kStringFactor), std::nullopt};
}
std::optional<CallEstimate> EstimateContains(const EstimatedCall& call) {
  return CallEstimate{call.target->size.value_or(Range()).Scale(kStringFactor) *
                          call.args[0].size.value_or(Range()).Scale(kStringFactor),
                      std::nullopt};
}

// ---- The table.

Overload Generic(std::string_view function, std::string_view id, std::string_view args,
                 std::string_view result, Implementation run, EstimateRule estimate = nullptr,
                 CostRule cost = nullptr) {
  Overload row{function, id, false, args, result, run, estimate, cost};
  row.dispatch = Dispatch::kGeneric;
  return row;
}

Overload Member(Overload row) {
  row.is_member = true;
  return row;
}

/// The types that are ordered, with the names of their overloads; numbers also among each other.
struct OrderedTypes {
  std::string_view name;
  std::string_view args;
};
constexpr OrderedTypes kOrdered[] = {
    {"bool", "bool, bool"},
    {"int64", "int, int"},
    {"int64_double", "int, double"},
    {"int64_uint64", "int, uint"},
    {"uint64", "uint, uint"},
    {"uint64_double", "uint, double"},
    {"uint64_int64", "uint, int"},
    {"double", "double, double"},
    {"double_int64", "double, int"},
    {"double_uint64", "double, uint"},
    {"string", "string, string"},
    {"bytes", "bytes, bytes"},
    {"timestamp", "timestamp, timestamp"},
    {"duration", "duration, duration"},
};

struct Ordering {
  std::string_view function;
  std::string_view prefix;
  Implementation run;
};
constexpr Ordering kOrderings[] = {
    {operators::kLess, "less_", Less},
    {operators::kLessEquals, "less_equals_", LessEquals},
    {operators::kGreater, "greater_", Greater},
    {operators::kGreaterEquals, "greater_equals_", GreaterEquals},
};

void AddOrderings(std::vector<Overload>& rows) {
  static std::vector<std::string> ids = [] {
    std::vector<std::string> all;
    for (const Ordering& ordering : kOrderings) {
      for (const OrderedTypes& ordered : kOrdered) {
        all.push_back(std::string(ordering.prefix).append(ordered.name));
      }
    }
    return all;
  }();
  std::size_t next = 0;
  for (const Ordering& ordering : kOrderings) {
    for (const OrderedTypes& ordered : kOrdered) {
      const bool is_text = ordered.name == "string" || ordered.name == "bytes";
      Overload row =
          Generic(ordering.function, ids[next++], ordered.args, "bool", ordering.run,
                  is_text ? EstimateCompareTexts : nullptr, is_text ? CostCompareTexts : nullptr);
      const bool is_mixed = ordered.name.find('_') != std::string_view::npos;
      if (is_mixed) row.since = {1, 28};
      rows.push_back(row);
    }
  }
}

std::vector<Overload> MakeOperatorRows() {
  std::vector<Overload> rows = {
      Generic(operators::kConditional, "conditional", "bool, A, A", "A", nullptr),
      Generic(operators::kAnd, "logical_and", "bool, bool", "bool", nullptr),
      Generic(operators::kOr, "logical_or", "bool, bool", "bool", nullptr),
      Generic(operators::kNot, "logical_not", "bool", "bool", Not),
      Generic(operators::kNotStrictlyFalse, "not_strictly_false", "bool", "bool", NotStrictlyFalse),
      Generic(operators::kEquals, "equals", "A, A", "bool", nullptr, EstimateCompareTexts,
              CostCompareTexts),
      Generic(operators::kNotEquals, "not_equals", "A, A", "bool", nullptr, EstimateCompareTexts,
              CostCompareTexts),
      Generic(operators::kAdd, "add_bytes", "bytes, bytes", "bytes", Add, nullptr, CostAddText),
      Generic(operators::kAdd, "add_double", "double, double", "double", Add),
      Generic(operators::kAdd, "add_duration_duration", "duration, duration", "duration", Add),
      Generic(operators::kAdd, "add_duration_timestamp", "duration, timestamp", "timestamp", Add),
      Generic(operators::kAdd, "add_timestamp_duration", "timestamp, duration", "timestamp", Add),
      Generic(operators::kAdd, "add_int64", "int, int", "int", Add),
      Generic(operators::kAdd, "add_list", "list(A), list(A)", "list(A)", Add),
      Generic(operators::kAdd, "add_string", "string, string", "string", Add, nullptr, CostAddText),
      Generic(operators::kAdd, "add_uint64", "uint, uint", "uint", Add),
      Generic(operators::kDivide, "divide_double", "double, double", "double", Divide),
      Generic(operators::kDivide, "divide_int64", "int, int", "int", Divide),
      Generic(operators::kDivide, "divide_uint64", "uint, uint", "uint", Divide),
      Generic(operators::kModulo, "modulo_int64", "int, int", "int", Modulo),
      Generic(operators::kModulo, "modulo_uint64", "uint, uint", "uint", Modulo),
      Generic(operators::kMultiply, "multiply_double", "double, double", "double", Multiply),
      Generic(operators::kMultiply, "multiply_int64", "int, int", "int", Multiply),
      Generic(operators::kMultiply, "multiply_uint64", "uint, uint", "uint", Multiply),
      Generic(operators::kNegate, "negate_double", "double", "double", Negate),
      Generic(operators::kNegate, "negate_int64", "int", "int", Negate),
      Generic(operators::kSubtract, "subtract_double", "double, double", "double", Subtract),
      Generic(operators::kSubtract, "subtract_duration_duration", "duration, duration", "duration",
              Subtract),
      Generic(operators::kSubtract, "subtract_int64", "int, int", "int", Subtract),
      Generic(operators::kSubtract, "subtract_timestamp_duration", "timestamp, duration",
              "timestamp", Subtract),
      Generic(operators::kSubtract, "subtract_timestamp_timestamp", "timestamp, timestamp",
              "duration", Subtract),
      Generic(operators::kSubtract, "subtract_uint64", "uint, uint", "uint", Subtract),
      Generic(operators::kIndex, "index_list", "list(A), int", "A", nullptr),
      Generic(operators::kIndex, "index_map", "map(A, B), A", "B", nullptr),
      Generic(operators::kIn, "in_list", "A, list(A)", "bool", In, EstimateInList, CostInList),
      Generic(operators::kIn, "in_map", "A, map(A, B)", "bool", In),
      Generic("size", "size_bytes", "bytes", "int", Size),
      Member(Generic("size", "bytes_size", "bytes", "int", Size)),
      Generic("size", "size_list", "list(A)", "int", Size),
      Member(Generic("size", "list_size", "list(A)", "int", Size)),
      Generic("size", "size_map", "map(A, B)", "int", Size),
      Member(Generic("size", "map_size", "map(A, B)", "int", Size)),
      Generic("size", "size_string", "string", "int", Size),
      Member(Generic("size", "string_size", "string", "int", Size)),
      Member(Generic("contains", "contains_string", "string, string", "bool", TestText<Contains>,
                     EstimateContains, CostContains)),
      Member(Generic("endsWith", "ends_with_string", "string, string", "bool", TestText<EndsWith>,
                     EstimateArgument, CostArgument)),
      Member(Generic("startsWith", "starts_with_string", "string, string", "bool",
                     TestText<StartsWith>, EstimateArgument, CostArgument)),
      Generic("matches", "matches", "string, string", "bool", Matches, EstimateMatch, CostMatch),
      Member(Generic("matches", "matches_string", "string, string", "bool", Matches, EstimateMatch,
                     CostMatch)),
  };
  AddOrderings(rows);
  for (Overload row : {Generic(operators::kMapInsert, "@mapInsert_map_key_value", "map(K, V), K, V",
                               "map(K, V)", MapInsert),
                       Generic(operators::kMapInsert, "@mapInsert_map_map", "map(K, V), map(K, V)",
                               "map(K, V)", MapInsert)}) {
    row.since = {1, 32};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::span<const Overload> OperatorLibrary() {
  static const std::vector<Overload> rows = MakeOperatorRows();
  return rows;
}

}  // namespace kube::cel
