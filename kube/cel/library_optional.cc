// Optional values (cel-go cel/library.go). The evaluator itself does or(), orValue() and the
// operators .? and [?].
#include "kube/cel/function.h"
#include "kube/cel/operators.h"
#include "kube/cel/time.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

bool IsZero(const Value& value) {
  switch (value.kind) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !value.boolean;
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration:
      return value.natural == 0;
    case Kind::kDouble:
      return value.real == 0;
    case Kind::kString:
    case Kind::kBytes:
      return value.size == 0;
    case Kind::kTimestamp:
      return value.integer == kFirstSecond && value.size == 0;
    case Kind::kList:
    case Kind::kJsonList:
      return ListSize(value) == 0;
    case Kind::kMap:
    case Kind::kJsonMap:
    case Kind::kObject:
      return MapSize(value) == 0;
    default:
      return false;
  }
}

Value Of(Memory& memory, Args args) { return memory.Optional(args[0]); }
Value OfNonZero(Memory& memory, Args args) {
  return IsZero(args[0]) ? memory.NoOptional() : memory.Optional(args[0]);
}
Value None(Memory& memory, Args /*args*/) { return memory.NoOptional(); }
Value ValueOf(Memory& /*memory*/, Args args) {
  return args[0].inner == nullptr ? Value::Error("optional.none() dereference") : *args[0].inner;
}
Value HasValue(Memory& /*memory*/, Args args) { return Value::Bool(args[0].inner != nullptr); }

Value FromList(Memory& memory, const Value& list, bool is_first) {
  const std::uint32_t size = ListSize(list);
  if (size == 0) return memory.NoOptional();
  return memory.Optional(ListItem(memory, list, is_first ? 0 : size - 1));
}
Value First(Memory& memory, Args args) { return FromList(memory, args[0], true); }
Value Last(Memory& memory, Args args) { return FromList(memory, args[0], false); }

Value Unwrap(Memory& memory, Args args) {
  memory.Visit(ListSize(args[0]));
  const Value list = memory.NewList();
  for (std::uint32_t i = 0; i < ListSize(args[0]); ++i) {
    const Value item = ListItem(memory, args[0], i);
    if (item.kind != Kind::kOptional) {
      return memory.Error("value " + Describe(item) + " is not optional");
    }
    if (item.inner != nullptr) memory.Append(list, *item.inner);
  }
  return list;
}

Overload OptionalRow(std::string_view function, std::string_view id, bool is_member,
                     std::string_view args, std::string_view result, Implementation run) {
  return {function, id,    is_member,        args,           result, run, nullptr,
          nullptr,  false, Dispatch::kTyped, kOptionalsSince};
}

}  // namespace

std::span<const Overload> OptionalLibrary() {
  static const Overload rows[] = {
      OptionalRow("optional.of", "optional_of", false, "V", "optional(V)", Of),
      OptionalRow("optional.ofNonZeroValue", "optional_ofNonZeroValue", false, "V", "optional(V)",
                  OfNonZero),
      OptionalRow("optional.none", "optional_none", false, "", "optional(V)", None),
      OptionalRow("value", "optional_value", true, "optional(V)", "V", ValueOf),
      OptionalRow("hasValue", "optional_hasValue", true, "optional(V)", "bool", HasValue),
      OptionalRow("or", "optional_or_optional", true, "optional(V), optional(V)", "optional(V)",
                  nullptr),
      OptionalRow("orValue", "optional_orValue_value", true, "optional(V), V", "V", nullptr),
      OptionalRow(operators::kOptionalSelect, "select_optional_field", false, "dyn, string",
                  "optional(V)", nullptr),
      OptionalRow(operators::kOptionalIndex, "list_optindex_optional_int", false, "list(V), int",
                  "optional(V)", nullptr),
      OptionalRow(operators::kOptionalIndex, "optional_list_optindex_optional_int", false,
                  "optional(list(V)), int", "optional(V)", nullptr),
      OptionalRow(operators::kOptionalIndex, "map_optindex_optional_value", false, "map(K, V), K",
                  "optional(V)", nullptr),
      OptionalRow(operators::kOptionalIndex, "optional_map_optindex_optional_value", false,
                  "optional(map(K, V)), K", "optional(V)", nullptr),
      OptionalRow(operators::kIndex, "optional_list_index_int", false, "optional(list(V)), int",
                  "optional(V)", nullptr),
      OptionalRow(operators::kIndex, "optional_map_index_value", false, "optional(map(K, V)), K",
                  "optional(V)", nullptr),
      OptionalRow("last", "list_last", true, "list(V)", "optional(V)", Last),
      OptionalRow("first", "list_first", true, "list(V)", "optional(V)", First),
      OptionalRow("optional.unwrap", "optional_unwrap", false, "list(optional(V))", "list(V)",
                  Unwrap),
      OptionalRow("unwrapOpt", "optional_unwrapOpt", true, "list(optional(V))", "list(V)", Unwrap),
  };
  return rows;
}

}  // namespace kube::cel
