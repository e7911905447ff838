// The server's lists library (apiserver/pkg/cel/library/lists.go), the lists extension of cel-go,
// version 3 (ext/lists.go), and its sets (ext/sets.go).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kube/cel/function.h"
#include "kube/cel/numbers.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;

constexpr base::Release kSetsSince{1, 29};

bool HasOrder(const Value& value) {
  return value.is_number() || value.is_bool() || value.is_string() || value.kind == Kind::kBytes ||
         value.kind == Kind::kDuration || value.kind == Kind::kTimestamp;
}

Value IsSorted(Memory& memory, Args args) {
  const Value& list = args[0];
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    const Value item = ListItem(memory, list, i);
    if (!HasOrder(item)) return item.is_error() ? item : Value::Error(kNoOverload);
    if (i > 0 && Compare(ListItem(memory, list, i - 1), item) == 1) return Value::Bool(false);
  }
  return Value::Bool(true);
}

/// The element that comes first in `order`: 1 for min, -1 for max.
template <int order>
Value Extreme(Memory& memory, Args args) {
  const Value& list = args[0];
  if (ListSize(list) == 0) {
    return Value::Error(order > 0 ? "min called on empty list" : "max called on empty list");
  }
  Value best;
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    const Value item = ListItem(memory, list, i);
    if (!HasOrder(item)) return item.is_error() ? item : Value::Error(kNoOverload);
    if (i == 0 || Compare(best, item) == order) best = item;
  }
  return best;
}

Value AddUp(Memory& memory, Value sum, const Value& list) {
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    const Value item = ListItem(memory, list, i);
    if (item.is_error()) return item;
    if (item.kind != sum.kind) return Value::Error(kNoOverload);
    if (sum.kind == Kind::kDouble) {
      sum.real += item.real;
    } else if (sum.kind == Kind::kUint) {
      if (__builtin_add_overflow(sum.natural, item.natural, &sum.natural)) {
        return Value::Error("unsigned integer overflow");
      }
    } else if (__builtin_add_overflow(sum.integer, item.integer, &sum.integer)) {
      return Value::Error("integer overflow");
    }
  }
  return sum;
}

Value SumInts(Memory& memory, Args args) { return AddUp(memory, Value::Int(0), args[0]); }
Value SumUints(Memory& memory, Args args) { return AddUp(memory, Value::Uint(0), args[0]); }
Value SumDoubles(Memory& memory, Args args) { return AddUp(memory, Value::Double(0), args[0]); }
Value SumDurations(Memory& memory, Args args) { return AddUp(memory, Value::Duration(0), args[0]); }

Value IndexOfElement(Memory& memory, Args args) {
  for (std::uint32_t i = 0; i < ListSize(args[0]); ++i) {
    if (Equal(memory, ListItem(memory, args[0], i), args[1])) return Value::Int(i);
  }
  return Value::Int(-1);
}

Value LastIndexOfElement(Memory& memory, Args args) {
  for (std::uint32_t i = ListSize(args[0]); i > 0; --i) {
    if (Equal(memory, ListItem(memory, args[0], i - 1), args[1])) return Value::Int(i - 1);
  }
  return Value::Int(-1);
}

Value Slice(Memory& memory, Args args) {
  const std::int64_t start = args[1].integer;
  const std::int64_t end = args[2].integer;
  const std::int64_t size = ListSize(args[0]);
  const auto fail = [&](const std::string& why) {
    return memory.Error("cannot slice(" + std::to_string(start) + ", " + std::to_string(end) +
                        "), " + why);
  };
  if (start < 0 || end < 0) return fail("negative indexes not supported");
  if (start > end) return fail("start index must be less than or equal to end index");
  if (size < end) return fail("list is length " + std::to_string(size));
  const Value list = memory.NewList(static_cast<std::uint32_t>(end - start));
  for (std::int64_t i = start; i < end; ++i) {
    memory.Append(list, ListItem(memory, args[0], static_cast<std::uint32_t>(i)));
  }
  return list;
}

void FlattenInto(Memory& memory, const Value& result, const Value& list, std::int64_t depth) {
  const Memory::Level level(memory);
  memory.Visit(ListSize(list));
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    const Value item = ListItem(memory, list, i);
    if (item.is_list() && depth > 0) {
      FlattenInto(memory, result, item, depth - 1);
    } else {
      memory.Append(result, item);
    }
  }
}

Value Flatten(Memory& memory, Args args) {
  if (!args[0].is_list()) {
    return memory.Error("no such overload: " + std::string(RuntimeTypeName(args[0])) +
                        ".flatten()");
  }
  if (args.size() == 2 && !args[1].is_int()) return Value::Error(kNoOverload);
  const std::int64_t depth = args.size() == 2 ? args[1].integer : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  const Value result = memory.NewList();
  FlattenInto(memory, result, args[0], depth);
  return result;
}

/// The elements of `list` in the order of `keys`.
Value InOrderOf(Memory& memory, const Value& list, const Value& keys) {
  const std::uint32_t size = ListSize(list);
  if (size != ListSize(keys)) {
    return memory.Error(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
        "got " +
        std::to_string(size) + " and " + std::to_string(ListSize(keys)) + " elements respectively");
  }
  if (size == 0) return list;
  if (!HasOrder(ListItem(memory, keys, 0))) return Value::Error("list elements must be comparable");
  const Kind kind = ListItem(memory, keys, 0).kind;
  std::vector<std::uint32_t> order(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    order[i] = i;
    if (ListItem(memory, keys, i).kind != kind) {
      return Value::Error("list elements must have the same type");
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Value key = ListItem(memory, keys, a);
    memory.Visit();
    memory.VisitText(key);
    return Compare(key, ListItem(memory, keys, b)) == -1;
  });
  const Value sorted = memory.NewList(size);
  for (const std::uint32_t index : order) memory.Append(sorted, ListItem(memory, list, index));
  return sorted;
}

Value Sort(Memory& memory, Args args) {
  if (!args[0].is_list()) return Value::Error(kNoOverload);
  return InOrderOf(memory, args[0], args[0]);
}

Value SortByKeys(Memory& memory, Args args) {
  if (!args[0].is_list() || !args[1].is_list()) return Value::Error(kNoOverload);
  return InOrderOf(memory, args[0], args[1]);
}

/// True where a function that costs as much as this can but go beyond the limit: the cost will end
/// the evaluation, and need not wait for a result.
bool IsBeyondLimit(std::uint64_t cost) { return cost > kCallCostLimit; }

Value MakeRange(Memory& memory, Args args) {
  const std::int64_t size = args[0].integer;
  if (size < 0) {
    return memory.Error("lists.range: size must be non-negative, got " + std::to_string(size));
  }
  if (IsBeyondLimit(static_cast<std::uint64_t>(size))) return Value::Error(kCostLimitExceeded);
  const Value list = memory.NewList(static_cast<std::uint32_t>(size));
  for (std::int64_t i = 0; i < size; ++i) memory.Append(list, Value::Int(i));
  return list;
}

Value Reverse(Memory& memory, Args args) {
  const std::uint32_t size = ListSize(args[0]);
  const Value list = memory.NewList(size);
  for (std::uint32_t i = size; i > 0; --i) memory.Append(list, ListItem(memory, args[0], i - 1));
  return list;
}

/// How often all elements of a list are compared with all of another.
std::uint64_t Pairs(const Value& a, const Value& b) {
  return std::uint64_t{ListSize(a)} * ListSize(b);
}

Value Distinct(Memory& memory, Args args) {
  if (IsBeyondLimit(Pairs(args[0], args[0]))) return Value::Error(kCostLimitExceeded);
  const Value list = memory.NewList();
  for (std::uint32_t i = 0; i < ListSize(args[0]); ++i) {
    const Value item = ListItem(memory, args[0], i);
    bool is_known = false;
    for (std::uint32_t j = 0; j < ListSize(list) && !is_known; ++j) {
      is_known = Equal(memory, item, ListItem(memory, list, j));
    }
    if (!is_known) memory.Append(list, item);
  }
  return list;
}

bool ListHas(Memory& memory, const Value& list, const Value& wanted) {
  for (std::uint32_t i = 0; i < ListSize(list); ++i) {
    if (Equal(memory, wanted, ListItem(memory, list, i))) return true;
  }
  return false;
}

bool ContainsAll(Memory& memory, const Value& list, const Value& part) {
  if (IsBeyondLimit(Pairs(list, part))) return false;
  for (std::uint32_t i = 0; i < ListSize(part); ++i) {
    if (!ListHas(memory, list, ListItem(memory, part, i))) return false;
  }
  return true;
}

Value SetContains(Memory& memory, Args args) {
  return Value::Bool(ContainsAll(memory, args[0], args[1]));
}
Value SetEquivalent(Memory& memory, Args args) {
  return Value::Bool(ContainsAll(memory, args[0], args[1]) &&
                     ContainsAll(memory, args[1], args[0]));
}
Value SetIntersects(Memory& memory, Args args) {
  if (IsBeyondLimit(Pairs(args[0], args[1]))) return Value::Bool(false);
  for (std::uint32_t i = 0; i < ListSize(args[0]); ++i) {
    if (ListHas(memory, args[1], ListItem(memory, args[0], i))) return Value::Bool(true);
  }
  return Value::Bool(false);
}

// ---- Costs.

/// The value of an argument that is written as a number; `other` where it is not.
std::uint64_t LiteralOr(const CostNode& node, std::uint64_t other) {
  if (node.expr == nullptr || node.expr->kind != Expr::Kind::kLiteral ||
      node.expr->constant.kind != Constant::Kind::kInt) {
    return other;
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(node.expr->constant.integer, 0));
}

/// A list is made for so much of the size of another.
CallEstimate EstimateNewList(double factor, Range size) {
  return {size.Scale(factor) + Range::Fixed(kListCost) + Range::Fixed(1), size};
}

std::uint64_t CostNewList(double factor, std::uint64_t size) {
  if (factor < 0) factor = 1;
  const double scaled = static_cast<double>(size) * factor;
  return AddCost(scaled < kTwoTo64 ? static_cast<std::uint64_t>(scaled) : kUnbounded,
                 1 + kListCost);
}

std::optional<CallEstimate> EstimateSlice(const EstimatedCall& call) {
  const Range size = call.Size(*call.target);
  const std::uint64_t start = LiteralOr(call.args[0], 0);
  return EstimateNewList(1, Range::Fixed(LiteralOr(call.args[1], size.max) - start));
}
std::optional<CallEstimate> EstimateRange(const EstimatedCall& call) {
  return EstimateNewList(1, Range::Fixed(LiteralOr(call.args[0], kUnbounded)));
}
std::optional<CallEstimate> EstimateReverse(const EstimatedCall& call) {
  return EstimateNewList(1, call.Size(*call.target));
}
std::optional<CallEstimate> EstimateFlatten(const EstimatedCall& call) {
  const std::uint64_t depth = call.args.empty() ? 1 : LiteralOr(call.args[0], kUnbounded);
  return EstimateNewList(static_cast<double>(depth), call.Size(*call.target));
}
/// What compares each element with each other.
CallEstimate EstimatePairs(Range size, bool is_text) {
  return EstimateNewList(is_text ? 2 + kStringFactor : 2, size * size);
}
bool IsText(TypeRef type) {
  return type->kind == Type::Kind::kString || type->kind == Type::Kind::kBytes;
}
std::optional<CallEstimate> EstimateDistinct(const EstimatedCall& call) {
  const bool is_text = !call.target->type->params.empty() && IsText(call.target->type->params[0]);
  return EstimatePairs(call.Size(*call.target), is_text);
}
template <bool is_text>
std::optional<CallEstimate> EstimateSort(const EstimatedCall& call) {
  return EstimatePairs(call.Size(*call.target), is_text);
}
template <bool is_text>
std::optional<CallEstimate> EstimateSortBy(const EstimatedCall& call) {
  return EstimatePairs(call.Size(call.args[0]), is_text);
}

std::uint64_t CostResult(Memory& /*memory*/, Args /*args*/, const Value& result) {
  return CostNewList(1, CostSize(result));
}
std::uint64_t CostRange(Memory& /*memory*/, Args args, const Value& /*result*/) {
  const bool is_size = args[0].is_int() && args[0].integer >= 0;
  return CostNewList(1, is_size ? static_cast<std::uint64_t>(args[0].integer) : 1);
}
std::uint64_t CostFlatten(Memory& /*memory*/, Args args, const Value& /*result*/) {
  const bool has_depth = args.size() == 2 && args[1].is_int();
  const double depth = has_depth ? static_cast<double>(args[1].integer) : 1;
  return CostNewList(depth, CostSize(args[0]));
}
/// cel-go counts what a sort costs even if there is an error instead of a list, and panics then:
/// the whole evaluation ends.
std::uint64_t CostPairs(Memory& memory, const Value& list) {
  if (list.is_error()) {
    throw GivenUp{
        "internal error: interface conversion: *types.Err is not traits.Lister: missing method "
        "Add"};
  }
  const std::uint64_t size = CostSize(list);
  if (size == 0 || !list.is_list()) return CostNewList(2, 0);
  const Value first = ListItem(memory, list, 0);
  const bool is_text = first.is_string() || first.kind == Kind::kBytes;
  return CostNewList(is_text ? 2 + kStringFactor : 2, MultiplyCost(size, size));
}
std::uint64_t CostSort(Memory& memory, Args args, const Value& /*result*/) {
  return CostPairs(memory, args[0]);
}
std::uint64_t CostSortBy(Memory& memory, Args args, const Value& /*result*/) {
  return CostPairs(memory, args[1]);
}

template <int factor>
std::optional<CallEstimate> EstimateSets(const EstimatedCall& call) {
  const Range pairs = call.Size(call.args[0]) * call.Size(call.args[1]);
  return CallEstimate{pairs.Scale(factor) + Range::Fixed(1), std::nullopt};
}
template <int factor>
std::uint64_t CostSets(Memory& /*memory*/, Args args, const Value& /*result*/) {
  return AddCost(1, ScaleCost(MultiplyCost(CostSize(args[0]), CostSize(args[1])), factor));
}

// ---- The table.

struct ElementType {
  std::string_view name;     // in the server's ids
  std::string_view runtime;  // in cel-go's
  Implementation sum;        // null: it cannot be added up
};

constexpr ElementType kElements[] = {
    {"int", "int", SumInts},
    {"uint", "uint", SumUints},
    {"double", "double", SumDoubles},
    {"bool", "bool", nullptr},
    {"duration", "google.protobuf.Duration", SumDurations},
    {"timestamp", "google.protobuf.Timestamp", nullptr},
    {"string", "string", nullptr},
    {"bytes", "bytes", nullptr},
};

/// A text that lives as long as the program does.
std::string_view Keep(std::string text) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>(std::move(text)));
  return *kept.back();
}

Overload Scan(std::string_view function, std::string id, std::string_view list,
              std::string_view result, Implementation run) {
  return {function, Keep(std::move(id)), true,         list, result,
          run,      EstimateListScan,    CostListScan, true};
}

void AddElementRows(std::vector<Overload>& rows, const ElementType& element) {
  const std::string name(element.name);
  const std::string runtime(element.runtime);
  const std::string_view list = Keep("list(" + name + ")");
  const bool is_text = name == "string" || name == "bytes";
  rows.push_back(Scan("isSorted", "list_" + name + "_is_sorted_bool", list, "bool", IsSorted));
  if (element.sum != nullptr) {
    rows.push_back(Scan("sum", "list_" + name + "_sum_" + name, list, element.name, element.sum));
  }
  rows.push_back(Scan("max", "list_" + name + "_max_" + name, list, element.name, Extreme<-1>));
  rows.push_back(Scan("min", "list_" + name + "_min_" + name, list, element.name, Extreme<1>));
  rows.push_back({"sort", Keep("list_" + runtime + "_sort"), true, list, list, Sort,
                  is_text ? EstimateSort<true> : EstimateSort<false>, CostSort, false,
                  Dispatch::kGeneric, kListsVersion3Since});
  rows.push_back({"@sortByAssociatedKeys", Keep("list_" + runtime + "_sortByAssociatedKeys"), true,
                  Keep("list(T), " + std::string(list)), "list(T)", SortByKeys,
                  is_text ? EstimateSortBy<true> : EstimateSortBy<false>, CostSortBy, false,
                  Dispatch::kGeneric, kListsVersion3Since});
}

std::vector<Overload> MakeListRows() {
  std::vector<Overload> rows;
  for (const ElementType& element : kElements) AddElementRows(rows, element);
  const std::vector<Overload> others = {
      {"indexOf", "list_a_index_of_int", true, "list(A), A", "int", IndexOfElement,
       EstimateListScan, CostListScan, true},
      {"lastIndexOf", "list_a_last_index_of_int", true, "list(A), A", "int", LastIndexOfElement,
       EstimateListScan, CostListScan, true},
      {"slice", "list_slice", true, "list(T), int, int", "list(T)", Slice, EstimateSlice,
       CostResult, false, Dispatch::kTyped, kListsVersion3Since},
      {"flatten", "list_flatten", true, "list(list(T))", "list(T)", Flatten, EstimateFlatten,
       CostFlatten, false, Dispatch::kGeneric, kListsVersion3Since},
      {"flatten", "list_flatten_int", true, "list(dyn), int", "list(dyn)", Flatten, EstimateFlatten,
       CostFlatten, false, Dispatch::kGeneric, kListsVersion3Since},
      {"lists.range", "lists_range", false, "int", "list(int)", MakeRange, EstimateRange, CostRange,
       false, Dispatch::kTyped, kListsVersion3Since},
      {"reverse", "list_reverse", true, "list(T)", "list(T)", Reverse, EstimateReverse, CostResult,
       false, Dispatch::kTyped, kListsVersion3Since},
      {"distinct", "list_distinct", true, "list(T)", "list(T)", Distinct, EstimateDistinct,
       CostSort, false, Dispatch::kTyped, kListsVersion3Since},
      {"sets.contains", "list_sets_contains_list", false, "list(T), list(T)", "bool", SetContains,
       EstimateSets<1>, CostSets<1>, false, Dispatch::kTyped, kSetsSince},
      {"sets.equivalent", "list_sets_equivalent_list", false, "list(T), list(T)", "bool",
       SetEquivalent, EstimateSets<2>, CostSets<2>, false, Dispatch::kTyped, kSetsSince},
      {"sets.intersects", "list_sets_intersects_list", false, "list(T), list(T)", "bool",
       SetIntersects, EstimateSets<1>, CostSets<1>, false, Dispatch::kTyped, kSetsSince},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace

std::span<const Overload> ListLibrary() {
  static const std::vector<Overload> rows = MakeListRows();
  return rows;
}

}  // namespace kube::cel
