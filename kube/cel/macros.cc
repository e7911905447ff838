#include "kube/cel/macros.h"

#include "kube/cel/function.h"
#include "kube/cel/operators.h"

namespace kube::cel {
namespace {

// An expression may name the first, and could not read it: the name of an accumulator of long ago.
constexpr std::string_view kOldAccumulator = "__result__";
constexpr std::string_view kTargetVariable = "@target";
constexpr std::string_view kUnusedVariable = "#unused";

/// Makes nodes at the place of a call.
class Maker {
 public:
  Maker(Ast& ast, const MacroCall& call) : ast_(ast), call_(call) {}

  Expr* target() const { return call_.target; }
  Expr* arg(std::size_t index) const { return (*call_.args)[index]; }
  std::size_t arg_count() const { return call_.args->size(); }

  Expr* New(Expr::Kind kind) { return ast_.New(kind, call_.position); }
  Expr* Bool(bool value) {
    Expr* expr = New(Expr::Kind::kLiteral);
    expr->constant.kind = Constant::Kind::kBool;
    expr->constant.boolean = value;
    return expr;
  }
  Expr* Int(std::int64_t value) {
    Expr* expr = New(Expr::Kind::kLiteral);
    expr->constant.kind = Constant::Kind::kInt;
    expr->constant.integer = value;
    return expr;
  }
  Expr* Ident(std::string_view name) {
    Expr* expr = New(Expr::Kind::kIdent);
    expr->name = name;
    return expr;
  }
  Expr* Accumulator() { return Ident(kAccumulator); }
  Expr* List(std::vector<Expr*> elements = {}) {
    Expr* expr = New(Expr::Kind::kList);
    expr->args = std::move(elements);
    return expr;
  }
  Expr* Call(std::string_view function, std::vector<Expr*> args) {
    Expr* expr = New(Expr::Kind::kCall);
    expr->name = function;
    expr->args = std::move(args);
    return expr;
  }
  Expr* MemberCall(std::string_view function, Expr* receiver) {
    Expr* expr = New(Expr::Kind::kCall);
    expr->name = function;
    expr->target = receiver;
    return expr;
  }
  Expr* Fold(Expr* range, std::string_view variable, std::string_view second,
             std::string_view accumulator, Expr* init, Expr* condition, Expr* step, Expr* result) {
    Expr* expr = New(Expr::Kind::kComprehension);
    expr->comprehension = std::make_unique<Comprehension>();
    Comprehension& fold = *expr->comprehension;
    fold.range = range;
    fold.variable = variable;
    fold.second_variable = second;
    fold.accumulator = accumulator;
    fold.init = init;
    fold.condition = condition;
    fold.step = step;
    fold.result = result;
    return expr;
  }
  /// The value of `expr` as a variable within `body`: a fold over nothing.
  Expr* Bind(std::string_view variable, Expr* value, Expr* body) {
    return Fold(List(), kUnusedVariable, "", variable, value, Bool(false), Ident(variable), body);
  }

  Expansion Error(const Expr& place, std::string message) const {
    return {nullptr, std::move(message), ast_.position(place.id)};
  }

 private:
  Ast& ast_;
  const MacroCall& call_;
};

Expansion Expanded(Expr* expr) {
  Expansion expansion;
  expansion.expr = expr;
  return expansion;
}

bool IsAccumulator(std::string_view name) {
  return name == kAccumulator || name == kOldAccumulator;
}

/// The variables of a macro: one or two names.
struct Variables {
  std::string first;
  std::string second;
  Expansion error;
};

constexpr std::string_view kOverwrites = "iteration variable overwrites accumulator variable";

Variables OneVariable(Maker& make, std::string_view no_name) {
  Variables result;
  const Expr& name = *make.arg(0);
  if (name.kind != Expr::Kind::kIdent) {
    result.error = make.Error(name, std::string(no_name));
  } else if (IsAccumulator(name.name)) {
    result.error = make.Error(name, std::string(kOverwrites));
  } else {
    result.first = name.name;
  }
  return result;
}

Variables TwoVariables(Maker& make) {
  Variables result;
  for (std::size_t i = 0; i < 2; ++i) {
    if (make.arg(i)->kind == Expr::Kind::kIdent) continue;
    result.error = make.Error(*make.arg(i), "argument must be a simple name");
    return result;
  }
  result.first = make.arg(0)->name;
  result.second = make.arg(1)->name;
  if (result.first == result.second) {
    result.error = make.Error(*make.arg(1), "duplicate variable name: " + result.first);
  } else if (IsAccumulator(result.first)) {
    result.error = make.Error(*make.arg(0), std::string(kOverwrites));
  } else if (IsAccumulator(result.second)) {
    result.error = make.Error(*make.arg(1), std::string(kOverwrites));
  }
  return result;
}

/// The variables of a quantifier, which come before its predicate.
Variables QuantifierVariables(Maker& make) {
  return make.arg_count() == 3 ? TwoVariables(make)
                               : OneVariable(make, "argument must be a simple name");
}

Expansion All(Maker& make) {
  const Variables names = QuantifierVariables(make);
  if (!names.error.error.empty()) return names.error;
  Expr* init = make.Bool(true);
  Expr* condition = make.Call(operators::kNotStrictlyFalse, {make.Accumulator()});
  Expr* step = make.Call(operators::kAnd, {make.Accumulator(), make.arg(make.arg_count() - 1)});
  return Expanded(make.Fold(make.target(), names.first, names.second, kAccumulator, init, condition,
                            step, make.Accumulator()));
}

Expansion Exists(Maker& make) {
  const Variables names = QuantifierVariables(make);
  if (!names.error.error.empty()) return names.error;
  Expr* init = make.Bool(false);
  Expr* condition =
      make.Call(operators::kNotStrictlyFalse, {make.Call(operators::kNot, {make.Accumulator()})});
  Expr* step = make.Call(operators::kOr, {make.Accumulator(), make.arg(make.arg_count() - 1)});
  return Expanded(make.Fold(make.target(), names.first, names.second, kAccumulator, init, condition,
                            step, make.Accumulator()));
}

Expansion ExistsOne(Maker& make) {
  const Variables names = QuantifierVariables(make);
  if (!names.error.error.empty()) return names.error;
  Expr* init = make.Int(0);
  Expr* condition = make.Bool(true);
  Expr* plus_one = make.Call(operators::kAdd, {make.Accumulator(), make.Int(1)});
  Expr* step = make.Call(operators::kConditional,
                         {make.arg(make.arg_count() - 1), plus_one, make.Accumulator()});
  Expr* result = make.Call(operators::kEquals, {make.Accumulator(), make.Int(1)});
  return Expanded(make.Fold(make.target(), names.first, names.second, kAccumulator, init, condition,
                            step, result));
}

/// `step`, or the accumulator as it is where `filter` is false.
Expr* Filtered(Maker& make, Expr* filter, Expr* step) {
  return filter == nullptr ? step
                           : make.Call(operators::kConditional, {filter, step, make.Accumulator()});
}

/// map() over `range`.
Expansion MapOver(Maker& make, Expr* range) {
  const Variables names = OneVariable(make, "argument is not an identifier");
  if (!names.error.error.empty()) return names.error;
  Expr* filter = make.arg_count() == 3 ? make.arg(1) : nullptr;
  Expr* init = make.List();
  Expr* condition = make.Bool(true);
  Expr* step =
      make.Call(operators::kAdd, {make.Accumulator(), make.List({make.arg(make.arg_count() - 1)})});
  step = Filtered(make, filter, step);
  return Expanded(
      make.Fold(range, names.first, "", kAccumulator, init, condition, step, make.Accumulator()));
}

Expansion Map(Maker& make) { return MapOver(make, make.target()); }

Expansion Filter(Maker& make) {
  const Variables names = OneVariable(make, "argument is not an identifier");
  if (!names.error.error.empty()) return names.error;
  Expr* init = make.List();
  Expr* condition = make.Bool(true);
  Expr* step = make.Call(operators::kAdd, {make.Accumulator(), make.List({make.arg(0)})});
  step = Filtered(make, make.arg(1), step);
  return Expanded(make.Fold(make.target(), names.first, "", kAccumulator, init, condition, step,
                            make.Accumulator()));
}

Expansion TransformList(Maker& make) {
  const Variables names = TwoVariables(make);
  if (!names.error.error.empty()) return names.error;
  Expr* filter = make.arg_count() == 4 ? make.arg(2) : nullptr;
  Expr* step =
      make.Call(operators::kAdd, {make.Accumulator(), make.List({make.arg(make.arg_count() - 1)})});
  step = Filtered(make, filter, step);
  return Expanded(make.Fold(make.target(), names.first, names.second, kAccumulator, make.List(),
                            make.Bool(true), step, make.Accumulator()));
}

/// transformMap and transformMapEntry, whose last argument is a map of what is to be added.
Expansion TransformMap(Maker& make, bool is_entry) {
  const Variables names = TwoVariables(make);
  if (!names.error.error.empty()) return names.error;
  Expr* filter = make.arg_count() == 4 ? make.arg(2) : nullptr;
  std::vector<Expr*> args = {make.Accumulator()};
  if (!is_entry) args.push_back(make.Ident(names.first));
  args.push_back(make.arg(make.arg_count() - 1));
  Expr* step = Filtered(make, filter, make.Call(operators::kMapInsert, std::move(args)));
  return Expanded(make.Fold(make.target(), names.first, names.second, kAccumulator,
                            make.New(Expr::Kind::kMap), make.Bool(true), step, make.Accumulator()));
}

Expansion TransformMapValues(Maker& make) { return TransformMap(make, false); }
Expansion TransformMapEntry(Maker& make) { return TransformMap(make, true); }

Expansion Has(Maker& make) {
  const Expr& field = *make.arg(0);
  if (field.kind != Expr::Kind::kSelect) {
    return make.Error(field, "invalid argument to has() macro");
  }
  Expr* test = make.New(Expr::Kind::kSelect);
  test->is_test = true;
  test->target = field.target;
  test->name = field.name;
  return Expanded(test);
}

/// optMap and optFlatMap, whose last argument is an optional itself.
Expansion OptionalMap(Maker& make, bool is_flat) {
  const Expr& name = *make.arg(0);
  if (name.kind != Expr::Kind::kIdent) {
    return make.Error(name, std::string(is_flat ? "optFlatMap" : "optMap") +
                                "() variable name must be a simple identifier");
  }
  const bool is_named = make.target()->kind == Expr::Kind::kIdent;
  Expr* target = is_named ? make.target() : make.Ident(kTargetVariable);
  Expr* has_value = make.MemberCall("hasValue", target);
  Expr* mapped =
      make.Bind(name.name, make.MemberCall("value", make.Ident(target->name)), make.arg(1));
  if (!is_flat) mapped = make.Call("optional.of", {mapped});
  Expr* result =
      make.Call(operators::kConditional, {has_value, mapped, make.Call("optional.none", {})});
  return Expanded(is_named ? result : make.Bind(kTargetVariable, make.target(), result));
}

Expansion OptMap(Maker& make) { return OptionalMap(make, false); }
Expansion OptFlatMap(Maker& make) { return OptionalMap(make, true); }

/// Binds the receiver, and sorts it by the keys that the last argument makes of its elements.
Expansion SortBy(Maker& make) {
  constexpr std::string_view kInput = "@__sortBy_input__";
  const Expr::Kind kind = make.target()->kind;
  if (kind != Expr::Kind::kList && kind != Expr::Kind::kSelect && kind != Expr::Kind::kIdent &&
      kind != Expr::Kind::kComprehension && kind != Expr::Kind::kCall) {
    return make.Error(*make.target(),
                      "sortBy can only be applied to a list, identifier, comprehension, call or "
                      "select expression");
  }
  const Expansion keys = MapOver(make, make.Ident(kInput));
  if (!keys.error.empty()) return keys;
  Expr* sorted = make.MemberCall("@sortByAssociatedKeys", make.Ident(kInput));
  sorted->args.push_back(keys.expr);
  return Expanded(make.Bind(kInput, make.target(), sorted));
}

struct Macro {
  std::string_view function;
  bool has_target;
  std::size_t arg_count;
  base::Release since;
  Expansion (*expand)(Maker& make);
};

constexpr base::Release kAlways{1, 0};
constexpr base::Release kTwoVariables{1, 32};

constexpr Macro kMacros[] = {
    {"has", false, 1, kAlways, Has},
    {"all", true, 2, kAlways, All},
    {"exists", true, 2, kAlways, Exists},
    {"exists_one", true, 2, kAlways, ExistsOne},
    {"map", true, 2, kAlways, Map},
    {"map", true, 3, kAlways, Map},
    {"filter", true, 2, kAlways, Filter},
    {"optMap", true, 2, kOptionalsSince, OptMap},
    {"optFlatMap", true, 2, kOptionalsSince, OptFlatMap},
    {"sortBy", true, 2, kListsVersion3Since, SortBy},
    {"all", true, 3, kTwoVariables, All},
    {"exists", true, 3, kTwoVariables, Exists},
    {"existsOne", true, 3, kTwoVariables, ExistsOne},
    {"exists_one", true, 3, kTwoVariables, ExistsOne},
    {"transformList", true, 3, kTwoVariables, TransformList},
    {"transformList", true, 4, kTwoVariables, TransformList},
    {"transformMap", true, 3, kTwoVariables, TransformMapValues},
    {"transformMap", true, 4, kTwoVariables, TransformMapValues},
    {"transformMapEntry", true, 3, kTwoVariables, TransformMapEntry},
    {"transformMapEntry", true, 4, kTwoVariables, TransformMapEntry},
};

}  // namespace

Expansion ExpandMacro(Ast& ast, const MacroCall& call, base::Release release) {
  for (const Macro& macro : kMacros) {
    if (macro.function != call.function || macro.has_target != (call.target != nullptr) ||
        macro.arg_count != call.args->size() || release < macro.since) {
      continue;
    }
    Maker make(ast, call);
    return macro.expand(make);
  }
  return {};
}

}  // namespace kube::cel
