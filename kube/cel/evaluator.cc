#include "kube/cel/evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kube/cel/numbers.h"
#include "kube/cel/operators.h"

namespace kube::cel {
namespace {

using Kind = Value::Kind;
using Op = Node::Op;

constexpr std::size_t kMostArgs = 4;

/// True if a value may be given to a parameter of the type; lists and maps by their first element.
bool Takes(Memory& memory, TypeRef type, const Value& value) {
  if (IsDyn(type) || type->kind == Type::Kind::kTypeParam) return true;
  if (type->is_nullable && value.kind == Kind::kNull) return true;
  if (type->name != RuntimeTypeName(value)) return false;
  if (type->kind == Type::Kind::kList) {
    return ListSize(value) == 0 || Takes(memory, type->params[0], ListItem(memory, value, 0));
  }
  if (type->kind == Type::Kind::kMap) {
    const MapCursor cursor(memory, value);
    if (cursor.AtEnd()) return true;
    const MapEntry entry = cursor.Entry();
    return Takes(memory, type->params[0], entry.key) && Takes(memory, type->params[1], entry.value);
  }
  return true;
}

bool TakesAll(Memory& memory, const Signature& signature, Args args) {
  return signature.args.size() == args.size() &&
         std::equal(args.begin(), args.end(), signature.args.begin(),
                    [&](const Value& arg, TypeRef type) { return Takes(memory, type, arg); });
}

Value NoOverload(Memory& memory, std::string_view function, Args args) {
  std::string text = "no such overload: " + std::string(function) + "(";
  for (const Value& arg : args) {
    if (&arg != args.data()) text += ", ";
    text += RuntimeTypeName(arg);
  }
  return memory.Error(text + ")");
}

Value MissingKey(Memory& memory, const Value& key) {
  return memory.Error("no such key: " + Describe(key));
}

/// What can be an index or a key; anything else is an error of the program.
bool IsKey(const Value& value) { return value.is_string() || value.is_number() || value.is_bool(); }

/// The position in a list that a value stands for.
base::Result<std::int64_t, Value> IndexOfKey(Memory& memory, const Value& key) {
  if (key.is_int()) return key.integer;
  if (key.kind == Kind::kUint && key.natural <= INT64_MAX) {
    return static_cast<std::int64_t>(key.natural);
  }
  if (key.kind == Kind::kDouble && key.real > -kTwoTo63 && key.real < kTwoTo63 &&
      std::trunc(key.real) == key.real) {
    return static_cast<std::int64_t>(key.real);
  }
  if (key.is_number()) {
    return base::Unexpected(memory.Error("unsupported index value " + Describe(key) + " in list"));
  }
  return base::Unexpected(
      memory.Error("unsupported index type '" + std::string(RuntimeTypeName(key)) + "' in list"));
}

}  // namespace

Evaluator::Evaluator(const Program& program, std::span<const Value> variables, json::Arena& arena,
                     std::uint64_t limit, StepObserver* observer)
    : program_(program),
      variables_(variables),
      memory_(arena),
      limit_(limit),
      locals_(memory_.Take<Value>(program.local_count_)),
      observer_(observer) {
  std::fill_n(locals_, program.local_count_, Value());
}

Value Evaluator::Run(std::uint32_t index) {
  const Node& node = program_.nodes_[index];
  const Value value = RunNode(node);
  Observe(node.span, value);
  return value;
}

Value Evaluator::RunNode(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
      return node.constant;
    case Op::kAttribute: {
      const Attribute& attribute = program_.attributes_[node.first];
      const Value value = Resolve(attribute);
      const bool is_free = attribute.base == Attribute::Base::kConditional || attribute.is_test;
      Count(is_free ? 0 : 1);
      return value;
    }
    case Op::kCall:
      return RunCall(node);
    case Op::kAnd:
      return RunLogical(node, false);
    case Op::kOr:
      return RunLogical(node, true);
    case Op::kEquals:
      return RunEquals(node, true);
    case Op::kNotEquals:
      return RunEquals(node, false);
    case Op::kList:
      return RunList(node);
    case Op::kMap:
      return RunMap(node);
    case Op::kMessage:
      return RunMessage(node);
    case Op::kFold:
      return RunFold(node);
    case Op::kInSet:
      return RunInSet(node);
    case Op::kOptionalOr:
      return RunOptionalOr(node, false);
    case Op::kOptionalOrValue:
      return RunOptionalOr(node, true);
  }
  return Value::Error(kNoOverload);
}

// ---- Calls.

Value Evaluator::RunCall(const Node& node) {
  const CallPlan& call = program_.calls_[node.constant.natural];
  std::array<Value, kMostArgs> values;
  const bool is_strict = call.function->name != operators::kNotStrictlyFalse;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    values[i] = Run(program_.args_[node.first + i]);
    if (!is_strict || !values[i].is_error()) {
      memory_.VisitText(values[i]);
      continue;
    }
    // A call costs only once it has a value for its last argument, be it an error.
    if (i + 1 == node.count) {
      CountCall(call, {values.data(), node.count}, values[i]);
    }
    return values[i];
  }
  const Args args(values.data(), node.count);
  const Value result = Dispatch(call, args);
  CountCall(call, args, result);
  return result;
}

void Evaluator::CountCall(const CallPlan& call, Args args, const Value& result) {
  Count(call.cost == nullptr ? 1 : call.cost(memory_, args, result));
}

Value Evaluator::Dispatch(const CallPlan& call, Args args) {
  if (call.pattern != nullptr) {
    // The name of a type is a text to the server's library.
    if (args[0].is_string() || args[0].kind == Kind::kType) {
      const std::string_view text =
          args[0].is_string() ? args[0].text() : std::string_view(args[0].type->name);
      return MatchText(memory_, *call.pattern, text);
    }
    return Value::Error(kNoOverload);
  }
  const Signature* signature = call.signature;
  const Overload& first = *call.function->signatures[0].overload;
  if (first.dispatch == Dispatch::kGeneric) return first.run(memory_, args);
  if (signature != nullptr) {
    if (!TakesAll(memory_, *signature, args)) return NoOverload(memory_, call.function->name, args);
    return signature->overload->run(memory_, args);
  }
  for (const Signature& candidate : call.function->signatures) {
    if (TakesAll(memory_, candidate, args)) return candidate.overload->run(memory_, args);
  }
  return NoOverload(memory_, call.function->name, args);
}

Value Evaluator::RunLogical(const Node& node, bool is_or) {
  Value error;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Value value = Run(program_.args_[node.first + i]);
    if (value.is_bool()) {
      if (value.boolean == is_or) return value;
    } else if (error.kind == Kind::kUnset) {
      error = value.is_error() ? value : Value::Error(kNoOverload);
    }
  }
  return error.kind == Kind::kUnset ? Value::Bool(!is_or) : error;
}

Value Evaluator::RunEquals(const Node& node, bool is_equal) {
  std::array<Value, 2> args;
  args[0] = Run(program_.args_[node.first]);
  if (args[0].is_error()) return args[0];
  args[1] = Run(program_.args_[node.first + 1]);
  memory_.VisitText(args[0]);
  memory_.VisitText(args[1]);
  const bool is_opaque = is_equal && args[0].kind == Kind::kOpaque;
  const std::uint64_t smaller = std::min(CostSize(args[0]), CostSize(args[1]));
  const Value result = args[1].is_error() ? args[1] : EqualityOf(args, is_equal);
  Count(is_opaque ? 1 : ScaleCost(smaller, kStringFactor));
  return result;
}

Value Evaluator::EqualityOf(const std::array<Value, 2>& args, bool is_equal) {
  // Values of the libraries are equal to null, and to nothing else of another type.
  const bool has_null = args[0].kind == Kind::kNull || args[1].kind == Kind::kNull;
  if (args[0].kind == Kind::kOpaque && !has_null &&
      RuntimeTypeName(args[0]) != RuntimeTypeName(args[1])) {
    return is_equal ? Value::Error(kNoOverload) : Value::Bool(true);
  }
  memory_.TakeUnreadable();  // of comparisons that nobody asked about
  const bool equal = Equal(memory_, args[0], args[1]);
  const Value unreadable = memory_.TakeUnreadable();
  if (is_equal && unreadable.is_error()) return unreadable;
  return Value::Bool(equal == is_equal);
}

Value Evaluator::RunList(const Node& node) {
  const Value list = memory_.NewList(node.count);
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const Value item = Run(program_.args_[node.first + i]);
    if (item.is_error()) {
      Count(kListCost);
      return item;
    }
    if (!program_.optional_args_[node.first + i]) {
      memory_.Append(list, item);
    } else if (item.kind != Kind::kOptional) {
      Count(kListCost);
      return memory_.Error("cannot initialize optional list element from non-optional value " +
                           Describe(item));
    } else if (item.inner != nullptr) {
      memory_.Append(list, *item.inner);
    }
  }
  Count(kListCost);
  return list;
}

Value Evaluator::RunMap(const Node& node) {
  const Value map = memory_.NewMap(node.count / 2);
  Value error;
  for (std::uint32_t i = 0; i < node.count && error.kind == Kind::kUnset; i += 2) {
    const Value key = Run(program_.args_[node.first + i]);
    if (key.is_error()) {
      error = key;
      break;
    }
    Value value = Run(program_.args_[node.first + i + 1]);
    if (value.is_error()) {
      error = value;
    } else if (!program_.optional_args_[node.first + i]) {
      memory_.Set(map, key, value);
    } else if (value.kind != Kind::kOptional) {
      error = memory_.Error("cannot initialize optional entry '" + Describe(key) +
                            "' from non-optional value " + Describe(value));
    } else if (value.inner != nullptr) {
      memory_.Set(map, key, *value.inner);
    }
  }
  Count(kMapCost);
  return error.kind == Kind::kUnset ? map : error;
}

Value Evaluator::RunMessage(const Node& node) {
  const MessagePlan& message = program_.messages_[node.constant.natural];
  Value* const values = memory_.Take<Value>(node.count);
  for (std::uint32_t i = 0; i < node.count; ++i) {
    Value value = Run(program_.args_[node.first + i]);
    if (value.is_error()) {
      Count(kMessageCost);
      return value;
    }
    if (message.optional[i]) {
      if (value.kind != Kind::kOptional) {
        Count(kMessageCost);
        return memory_.Error("cannot initialize optional entry '" + message.fields[i] +
                             "' from non-optional value " + Describe(value));
      }
      value = value.inner == nullptr ? Value() : *value.inner;
    }
    values[i] = value;
  }
  Count(kMessageCost);
  return MakeMessage(memory_, message.name, message.fields, {values, node.count});
}

// ---- Folds.

Value Evaluator::RunFold(const Node& node) {
  const FoldPlan& fold = program_.folds_[node.first];
  const Value range = Run(fold.range);
  if (range.is_error()) return range;
  if (!range.is_list() && !range.is_map()) {
    const bool has_two = fold.second_variable >= 0;
    return memory_.Error(has_two ? "unsupported comprehension range type: " + GoTypeOf(range)
                                 : "got '" + GoTypeOf(range) + "', expected iterable type");
  }
  locals_[fold.accumulator] = Value();
  if (observer_ != nullptr) {
    observer_->BeginFold(node.span, fold.names, program_.nodes_[fold.init].constant);
  }
  RunElements(fold, range);
  if (observer_ != nullptr) observer_->EndFold();
  Value result = Run(fold.result);
  result.is_mutable = false;
  return result;
}

void Evaluator::RunElements(const FoldPlan& fold, const Value& range) {
  const bool has_two = fold.second_variable >= 0;
  if (range.is_list()) {
    for (std::uint32_t i = 0, size = ListSize(range); i < size; ++i) {
      const Value item = ListItem(memory_, range, i);
      if (!RunElement(fold, has_two ? Value::Int(i) : item, item)) return;
    }
  } else {
    for (MapCursor cursor(memory_, range); !cursor.AtEnd(); cursor.Next()) {
      const MapEntry entry = cursor.Entry();
      if (!RunElement(fold, entry.key, entry.value)) return;
    }
  }
}

/// False: the fold ends before this element.
bool Evaluator::RunElement(const FoldPlan& fold, const Value& first, const Value& second) {
  locals_[fold.variable] = first;
  if (fold.second_variable >= 0) locals_[static_cast<std::size_t>(fold.second_variable)] = second;
  const Value condition = Run(fold.condition);
  if (condition.is_false()) return false;
  if (observer_ != nullptr) observer_->BeginElement(first, second);
  locals_[fold.accumulator] = Run(fold.step);
  if (observer_ != nullptr) observer_->EndElement(locals_[fold.accumulator]);
  return true;
}

Value Evaluator::RunInSet(const Node& node) {
  const Value value = Run(program_.args_[node.first]);
  if (value.is_error()) return value;
  return Value::Bool(IsKey(value) && MapFind(memory_, node.constant, value).kind != Kind::kUnset);
}

Value Evaluator::RunOptionalOr(const Node& node, bool is_value) {
  const Value value = Run(program_.args_[node.first]);
  if (value.is_error()) return value;
  if (value.kind != Kind::kOptional) return Value::Error(kNoOverload);
  if (value.inner != nullptr) return is_value ? *value.inner : value;
  return Run(program_.args_[node.first + 1]);
}

// ---- Attributes.

Value Evaluator::Resolve(const Attribute& attribute) {
  const Value value = ValueOf(attribute);
  Observe(attribute.span, value);
  return value;
}

Value Evaluator::ValueOf(const Attribute& attribute) {
  if (attribute.base == Attribute::Base::kConditional) {
    const Value condition = Run(attribute.index);
    if (!condition.is_bool()) {
      return condition.is_error() ? condition : Value::Error(kNoOverload);
    }
    const std::uint32_t branch = condition.boolean ? attribute.if_true : attribute.if_false;
    return Resolve(program_.attributes_[branch]);
  }
  const Value base = BaseOf(attribute);
  if (base.is_error() || attribute.qualifiers.empty()) return base;
  return Qualify(base, attribute.qualifiers);
}

Value Evaluator::BaseOf(const Attribute& attribute) {
  switch (attribute.base) {
    case Attribute::Base::kVariable:
      if (variables_[attribute.index].kind == Kind::kUnset) {
        return Value::Error("no such attribute(s)");
      }
      return variables_[attribute.index];
    case Attribute::Base::kNode:
      return Run(attribute.index);
    default:
      break;
  }
  Value& local = locals_[attribute.index];
  if (local.kind == Kind::kUnset && attribute.lazy != 0) {
    // The first value of an accumulator is made when it is asked for.
    Value init = Run(attribute.lazy - 1);
    if (init.is_list() && ListSize(init) == 0) {
      init = memory_.NewList();
      init.is_mutable = true;
    } else if (init.is_map() && MapSize(init) == 0) {
      init = memory_.NewMap();
      init.is_mutable = true;
    }
    locals_[attribute.index] = init;
    return init;
  }
  return local;
}

Value Evaluator::Qualify(Value object, const std::vector<Qualifier>& qualifiers) {
  bool is_optional = object.kind == Kind::kOptional;
  const bool is_test = !qualifiers.empty() && qualifiers.back().is_test;
  if (is_optional) {
    if (object.inner == nullptr) return is_test ? Value::Bool(false) : object;
    object = *object.inner;
  }
  for (const Qualifier& qualifier : qualifiers) {
    is_optional = is_optional || qualifier.is_optional;
    const Value key = KeyOf(qualifier);
    if (key.is_error()) {
      if (!is_optional) Count(1);
      return key;
    }
    if (qualifier.is_test) {
      const Value present = TestField(object, key);
      Count(is_optional && !present.is_true() ? 0 : 1);
      return present;
    }
    const Qualified found = Find(object, key, is_optional);
    if (is_optional) {
      if (found.value.is_error()) return found.value;
      if (!found.is_present) return is_test ? Value::Bool(false) : memory_.NoOptional();
    }
    Count(1);
    if (found.value.is_error()) return found.value;
    object = found.value;
  }
  return is_optional ? memory_.Optional(object) : object;
}

Value Evaluator::KeyOf(const Qualifier& qualifier) {
  if (qualifier.attribute < 0) return qualifier.key;
  const Value key = Resolve(program_.attributes_[static_cast<std::size_t>(qualifier.attribute)]);
  if (key.is_error() || IsKey(key)) return key;
  return memory_.Error("invalid qualifier type: " + GoTypeOf(key));
}

Evaluator::Qualified Evaluator::Find(const Value& object, const Value& key, bool may_miss) {
  if (object.is_map()) {
    const Value found = MapFind(memory_, object, key);
    if (found.kind != Kind::kUnset) return {found};
    return {may_miss ? Value() : MissingKey(memory_, key), false};
  }
  if (object.is_list()) {
    const auto index = IndexOfKey(memory_, key);
    if (!index) return {index.error()};
    if (*index >= 0 && *index < ListSize(object)) {
      return {ListItem(memory_, object, static_cast<std::uint32_t>(*index))};
    }
    return {may_miss ? Value() : memory_.Error("index out of bounds: " + Describe(key)), false};
  }
  return {may_miss ? Value() : MissingKey(memory_, key), false};
}

Value Evaluator::TestField(const Value& object, const Value& key) {
  const Qualified found = Find(object, key, true);
  if (found.is_present && found.value.is_error()) return found.value;
  return Value::Bool(found.is_present);
}

}  // namespace kube::cel
