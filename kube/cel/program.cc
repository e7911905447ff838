#include "kube/cel/program.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kube/base/utf8.h"
#include "kube/cel/evaluator.h"
#include "kube/cel/numbers.h"
#include "kube/cel/operators.h"
#include "kube/cel/parser.h"

namespace kube::cel {

using Op = Node::Op;

/// Turns a checked expression into a program, as cel-go's planner and its optimisations do
/// (interpreter/planner.go, decorators.go): what is constant is evaluated once and costs nothing.
class Planner {
 public:
  Planner(const Environment& environment, const CheckedExpression& checked, Program& program)
      : environment_(environment),
        checked_(checked),
        program_(program),
        memory_(*program.constants_) {}

  /// Thrown with what keeps the program from being made.
  struct Failure {
    std::string error;
  };

  std::uint32_t Plan(const Expr& expr) {
    const std::uint32_t node = PlanAny(expr);
    SetSpan(node, checked_.ast->span(expr.id));
    return node;
  }

  std::uint32_t local_count() const { return local_count_; }

 private:
  std::uint32_t PlanAny(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral:
        return AddConstant(Literal(expr.constant));
      case Expr::Kind::kIdent:
        return PlanIdent(expr);
      case Expr::Kind::kSelect:
        return PlanSelect(expr);
      case Expr::Kind::kCall:
        return PlanCall(expr);
      case Expr::Kind::kList:
        return PlanList(expr);
      case Expr::Kind::kMap:
        return PlanMap(expr);
      case Expr::Kind::kMessage:
        return PlanMessage(expr);
      default:
        return PlanFold(*expr.comprehension);
    }
  }

  struct Local {
    std::string name;
    std::uint32_t index;
    std::uint32_t lazy;
  };

  // ---- Nodes.

  std::uint32_t Add(Node node) {
    program_.nodes_.push_back(node);
    return static_cast<std::uint32_t>(program_.nodes_.size()) - 1;
  }
  std::uint32_t AddConstant(const Value& value) {
    Node node;
    node.constant = value;
    return Add(node);
  }
  Node WithArgs(Op op, const std::vector<std::uint32_t>& args,
                const std::vector<bool>& optional = {}) {
    Node node;
    node.op = op;
    node.first = static_cast<std::uint32_t>(program_.args_.size());
    node.count = static_cast<std::uint32_t>(args.size());
    program_.args_.insert(program_.args_.end(), args.begin(), args.end());
    program_.optional_args_.insert(program_.optional_args_.end(), optional.begin(), optional.end());
    program_.optional_args_.resize(program_.args_.size(), false);
    return node;
  }
  const Node& NodeAt(std::uint32_t index) const { return program_.nodes_[index]; }
  /// Says where in the text a node is. An attribute may become a part of another one.
  void SetSpan(std::uint32_t index, Span span) {
    Node& node = program_.nodes_[index];
    if (node.op == Op::kConstant) return;
    if (node.op != Op::kAttribute) {
      node.span = span;
      return;
    }
    Attribute& attribute = program_.attributes_[node.first];
    // Variables of macros are told with each element.
    const bool is_bare = attribute.base == Attribute::Base::kLocal && attribute.qualifiers.empty();
    attribute.span = is_bare ? Span() : span;
  }
  bool IsConstant(std::uint32_t index) const { return NodeAt(index).op == Op::kConstant; }
  bool AreConstant(const std::vector<std::uint32_t>& nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) { return IsConstant(n); });
  }

  Value Literal(const Constant& constant) {
    switch (constant.kind) {
      case Constant::Kind::kBool:
        return Value::Bool(constant.boolean);
      case Constant::Kind::kInt:
        return Value::Int(constant.integer);
      case Constant::Kind::kUint:
        return Value::Uint(constant.natural);
      case Constant::Kind::kDouble:
        return Value::Double(constant.real);
      case Constant::Kind::kString:
        return memory_.String(constant.text);
      case Constant::Kind::kBytes:
        return memory_.Bytes(constant.text);
      default:
        return Value::Null();
    }
  }

  /// The value of a node without variables, which takes its place. The program has no locals yet.
  std::uint32_t Fold(std::uint32_t index) {
    Evaluator evaluator(program_, {}, *program_.constants_, kUnbounded);
    return AddConstant(evaluator.Run(index));
  }

  // ---- Attributes.

  std::uint32_t AddAttribute(Attribute attribute) {
    program_.attributes_.push_back(std::move(attribute));
    Node node;
    node.op = Op::kAttribute;
    node.first = static_cast<std::uint32_t>(program_.attributes_.size()) - 1;
    return Add(node);
  }
  /// The attribute that a node is, or one that has the node as its base.
  std::uint32_t AttributeOf(std::uint32_t node) {
    if (NodeAt(node).op == Op::kAttribute) return NodeAt(node).first;
    Attribute attribute;
    attribute.base = Attribute::Base::kNode;
    attribute.index = node;
    program_.attributes_.push_back(std::move(attribute));
    return static_cast<std::uint32_t>(program_.attributes_.size()) - 1;
  }
  /// Both branches of a conditional are qualified.
  void AddQualifier(std::uint32_t attribute, const Qualifier& qualifier) {
    Attribute& a = program_.attributes_[attribute];
    if (a.base != Attribute::Base::kConditional) return a.qualifiers.push_back(qualifier);
    const std::uint32_t if_true = a.if_true;
    const std::uint32_t if_false = a.if_false;
    // What is in the text is the branch without what is selected from it.
    program_.attributes_[if_true].span = program_.attributes_[if_false].span = Span();
    AddQualifier(if_true, qualifier);
    AddQualifier(if_false, qualifier);
  }
  std::uint32_t Qualified(std::uint32_t operand, const Qualifier& qualifier) {
    if (NodeAt(operand).op == Op::kAttribute) {
      AddQualifier(NodeAt(operand).first, qualifier);
      return operand;
    }
    Attribute attribute;
    attribute.base = Attribute::Base::kNode;
    attribute.index = operand;
    attribute.qualifiers.push_back(qualifier);
    return AddAttribute(std::move(attribute));
  }

  /// A type as a value: its parameters are dyn.
  TypeRef TypeValue(TypeRef type) {
    if (type->params.empty() && type->kind != Type::Kind::kStruct) return type;
    return program_.types_->Opaque(type->name,
                                   std::vector<TypeRef>(type->params.size(), types::Dyn()));
  }

  std::uint32_t PlanIdent(const Expr& expr) {
    const Reference& reference = checked_.ReferenceOf(expr);
    if (reference.constant) return AddConstant(Value::Int(*reference.constant));
    if (reference.type_value != nullptr) {
      return AddConstant(Value::OfType(TypeValue(reference.type_value)));
    }
    // cel-go takes a variable whose value is a type for the name of one.
    if (checked_.TypeOf(expr)->kind == Type::Kind::kType) {
      throw Failure{"reference to undefined type: " + std::string(reference.name)};
    }
    Attribute attribute;
    std::string_view name = reference.name;
    const bool is_global = name.starts_with('.');
    if (is_global) name.remove_prefix(1);
    const auto local = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const Local& l) { return l.name == name; });
    if (local != locals_.rend() && !is_global) {
      attribute.base = Attribute::Base::kLocal;
      attribute.index = local->index;
      attribute.lazy = local->lazy;
    } else {
      attribute.index = static_cast<std::uint32_t>(environment_.FindVariable(name));
    }
    return AddAttribute(std::move(attribute));
  }

  std::uint32_t PlanSelect(const Expr& expr) {
    const std::uint32_t operand = Plan(*expr.target);
    Qualifier qualifier;
    qualifier.key = memory_.String(expr.name);
    qualifier.is_test = expr.is_test;
    const std::uint32_t node = Qualified(operand, qualifier);
    if (expr.is_test) program_.attributes_[NodeAt(node).first].is_test = true;
    return node;
  }

  std::uint32_t PlanIndex(const Expr& expr, bool is_optional) {
    const std::uint32_t operand = Plan(*expr.args[0]);
    const std::uint32_t index = Plan(*expr.args[1]);
    Qualifier qualifier;
    qualifier.is_optional = is_optional;
    if (IsConstant(index)) {
      qualifier.key = NodeAt(index).constant;
      const Value& key = qualifier.key;
      if (!key.is_string() && !key.is_number() && !key.is_bool()) {
        throw Failure{"invalid qualifier type: " + GoTypeOf(key)};
      }
    } else {
      qualifier.attribute = static_cast<std::int32_t>(AttributeOf(index));
    }
    return Qualified(operand, qualifier);
  }

  std::uint32_t PlanConditional(const Expr& expr) {
    Attribute attribute;
    attribute.base = Attribute::Base::kConditional;
    attribute.index = Plan(*expr.args[0]);
    attribute.if_true = AttributeOf(Plan(*expr.args[1]));
    attribute.if_false = AttributeOf(Plan(*expr.args[2]));
    return AddAttribute(std::move(attribute));
  }

  // ---- Calls.

  std::uint32_t PlanCall(const Expr& expr) {
    const std::string& name = expr.name;
    if (name == operators::kConditional) return PlanConditional(expr);
    if (name == operators::kIndex) return PlanIndex(expr, false);
    if (name == operators::kOptionalIndex || name == operators::kOptionalSelect) {
      return PlanIndex(expr, true);
    }
    std::vector<std::uint32_t> args;
    if (expr.target != nullptr) args.push_back(Plan(*expr.target));
    for (const Expr* arg : expr.args) args.push_back(Plan(*arg));
    if (name == operators::kAnd) return Add(WithArgs(Op::kAnd, args));
    if (name == operators::kOr) return Add(WithArgs(Op::kOr, args));
    if (name == operators::kEquals) return Add(WithArgs(Op::kEquals, args));
    if (name == operators::kNotEquals) return Add(WithArgs(Op::kNotEquals, args));
    const Reference& reference = checked_.ReferenceOf(expr);
    CallPlan call;
    call.function = reference.function;
    if (reference.signatures.size() == 1) call.signature = reference.signatures[0];
    const std::string_view id =
        call.signature == nullptr ? std::string_view() : call.signature->overload->id;
    if (id == "optional_or_optional") return Add(WithArgs(Op::kOptionalOr, args));
    if (id == "optional_orValue_value") return Add(WithArgs(Op::kOptionalOrValue, args));
    if (id == "in_list" && IsConstant(args[1])) {
      if (const auto set = PlanSet(args)) return *set;
    }
    call.cost = CostOf(reference);
    CompileConstantPattern(call, args);
    program_.calls_.push_back(std::move(call));
    Node node = WithArgs(Op::kCall, args);
    node.constant = Value::Uint(program_.calls_.size() - 1);
    const std::uint32_t planned = Add(node);
    if (!IsConversion(name) || args.size() != 1 || !IsConstant(args[0])) return planned;
    const std::uint32_t folded = Fold(planned);
    if (NodeAt(folded).constant.is_error()) {
      throw Failure{std::string(NodeAt(folded).constant.text())};
    }
    return folded;
  }

  static bool IsConversion(std::string_view name) {
    static constexpr std::array<std::string_view, 10> kNames = {
        "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
  }

  /// Rules that depend on the overload count only where there is one; rules of the server's own
  /// libraries are known by the function.
  static CostRule CostOf(const Reference& reference) {
    if (reference.signatures.size() == 1) return reference.signatures[0]->overload->cost;
    for (const auto& signature : reference.signatures) {
      if (signature->overload->cost_by_name) return signature->overload->cost;
    }
    return nullptr;
  }

  void CompileConstantPattern(CallPlan& call, const std::vector<std::uint32_t>& args) {
    const std::string_view name = call.function->name;
    if (name != "matches" && name != "find" && name != "findAll") return;
    if (!IsConstant(args[1]) || !NodeAt(args[1]).constant.is_string()) return;
    json::Arena arena;
    Memory memory(arena);  // of its own: an expression may have several large ones
    Pattern pattern = CompilePattern(memory, NodeAt(args[1]).constant.text());
    if (pattern.matcher == nullptr) throw Failure{std::move(pattern.error)};
    if (name == "matches") call.pattern = std::move(pattern.matcher);
  }

  /// What a double is as an int, or else as a uint.
  static std::optional<Value> WholeOf(const Value& value) {
    if (value.kind != Value::Kind::kDouble || value.real != std::trunc(value.real)) {
      return std::nullopt;
    }
    if (value.real >= -kTwoTo63 && value.real < kTwoTo63) {
      return Value::Int(static_cast<std::int64_t>(value.real));
    }
    if (value.real < 0 || value.real >= 2 * kTwoTo63) return std::nullopt;
    return Value::Uint(static_cast<std::uint64_t>(value.real));
  }

  /// `value in [constants]`; absent where the list holds what has no hash.
  std::optional<std::uint32_t> PlanSet(const std::vector<std::uint32_t>& args) {
    const Value list = NodeAt(args[1]).constant;
    if (ListSize(list) == 0) return AddConstant(Value::Bool(false));
    const Value set = memory_.NewMap(ListSize(list));
    for (std::uint32_t i = 0; i < ListSize(list); ++i) {
      const Value item = ListItem(memory_, list, i);
      if (!item.is_string() && !item.is_number() && !item.is_bool()) return std::nullopt;
      memory_.Set(set, item, Value::Bool(true));
      // Whole numbers are found among doubles, unlike keys of a map.
      if (const auto whole = WholeOf(item)) memory_.Set(set, *whole, Value::Bool(true));
    }
    Node node = WithArgs(Op::kInSet, {args[0]});
    node.constant = set;
    return Add(node);
  }

  // ---- Lists, maps, messages and folds.

  std::uint32_t PlanList(const Expr& expr) {
    std::vector<std::uint32_t> args;
    for (const Expr* arg : expr.args) args.push_back(Plan(*arg));
    std::vector<bool> optional(args.size(), false);
    for (const std::int32_t index : expr.optional_indices) {
      optional[static_cast<std::size_t>(index)] = true;
    }
    const std::uint32_t node = Add(WithArgs(Op::kList, args, optional));
    return AreConstant(args) ? Fold(node) : node;
  }

  std::uint32_t PlanMap(const Expr& expr) {
    std::vector<std::uint32_t> args;
    std::vector<bool> optional;
    for (const Entry& entry : expr.entries) {
      args.push_back(Plan(*entry.key));
      args.push_back(Plan(*entry.value));
      optional.insert(optional.end(), 2, entry.is_optional);
    }
    const std::uint32_t node = Add(WithArgs(Op::kMap, args, optional));
    return AreConstant(args) ? Fold(node) : node;
  }

  std::uint32_t PlanMessage(const Expr& expr) {
    MessagePlan message;
    message.name = expr.name;
    std::vector<std::uint32_t> args;
    for (const Entry& entry : expr.entries) {
      args.push_back(Plan(*entry.value));
      message.fields.push_back(entry.field);
      message.optional.push_back(entry.is_optional);
    }
    program_.messages_.push_back(std::move(message));
    Node node = WithArgs(Op::kMessage, args);
    node.constant = Value::Uint(program_.messages_.size() - 1);
    return Add(node);
  }

  std::uint32_t AddLocal(const std::string& name, std::uint32_t lazy) {
    const std::uint32_t index = local_count_++;
    locals_.push_back({name, index, lazy});
    return index;
  }

  std::uint32_t PlanFold(const Comprehension& fold) {
    FoldPlan plan;
    plan.init = Plan(*fold.init);
    plan.range = Plan(*fold.range);
    const std::size_t outer = locals_.size();
    plan.accumulator = AddLocal(fold.accumulator, plan.init + 1);
    const std::size_t inner = locals_.size();
    plan.variable = AddLocal(fold.variable, 0);
    if (!fold.second_variable.empty()) {
      plan.second_variable = static_cast<std::int32_t>(AddLocal(fold.second_variable, 0));
    }
    plan.condition = Plan(*fold.condition);
    plan.step = Plan(*fold.step);
    locals_.resize(inner);
    plan.result = Plan(*fold.result);
    locals_.resize(outer);
    plan.names.push_back(fold.variable);
    if (!fold.second_variable.empty()) plan.names.push_back(fold.second_variable);
    program_.folds_.push_back(std::move(plan));
    Node node;
    node.op = Op::kFold;
    node.first = static_cast<std::uint32_t>(program_.folds_.size()) - 1;
    return Add(node);
  }

  const Environment& environment_;
  const CheckedExpression& checked_;
  Program& program_;
  Memory memory_;  // of constants
  std::uint32_t local_count_ = 0;
  std::vector<Local> locals_;  // the innermost last
};

base::Result<std::unique_ptr<CheckedExpression>, std::string> Compile(
    const Environment& environment, std::string_view text) {
  // What is no UTF-8 the server has seen as U+FFFD.
  const std::string clean = base::utf8::IsValid(text) ? "" : base::utf8::Sanitize(text);
  const Source source(clean.empty() ? text : std::string_view(clean));
  ParsedExpression parsed = Parse(source, environment.release());
  if (!parsed.issues.empty()) return base::Unexpected(source.Describe(std::move(parsed.issues)));
  auto checked = std::make_unique<CheckedExpression>();
  checked->ast = std::move(parsed.ast);
  std::vector<Issue> issues = Check(environment, source, *checked);
  if (issues.empty()) issues = Validate(environment, source, *checked);
  if (!issues.empty()) return base::Unexpected(source.Describe(std::move(issues)));
  return checked;
}

base::Result<Program, std::string> Program::Make(const Environment& environment,
                                                 const CheckedExpression& checked) {
  Program program;
  try {
    Planner planner(environment, checked, program);
    program.root_ = planner.Plan(*checked.ast->root);
    program.local_count_ = planner.local_count();
  } catch (const Planner::Failure& failure) {
    return base::Unexpected(failure.error);
  } catch (const GivenUp&) {
    return base::Unexpected(std::string(kCostLimitExceeded));
  }
  return program;
}

Evaluation Program::Evaluate(std::span<const Value> variables, json::Arena& arena,
                             std::uint64_t limit, StepObserver* observer) const {
  Evaluator evaluator(*this, variables, arena, limit, observer);
  Evaluation evaluation;
  try {
    evaluation.value = evaluator.Run(root_);
  } catch (const GivenUp& end) {
    evaluation.value = Value::Error(end.error);
  }
  evaluation.cost = evaluator.cost();
  evaluation.visits = evaluator.visits();
  return evaluation;
}

}  // namespace kube::cel
