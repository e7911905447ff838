#include "kube/cel/checker.h"

#include <algorithm>
#include <span>
#include <utility>

#include "kube/cel/operators.h"
#include "kube/cel/type_solver.h"

namespace kube::cel {
namespace {

/// "a.b.c" where the expression is names and dots alone; empty where it is not.
std::string QualifiedName(const Expr& expr) {
  if (expr.kind == Expr::Kind::kIdent) return expr.name;
  if (expr.kind != Expr::Kind::kSelect || expr.is_test) return "";
  std::string prefix = QualifiedName(*expr.target);
  if (prefix.empty()) return "";
  return std::move(prefix) + "." + expr.name;
}

/// The leftmost name of such an expression.
const Expr* FirstName(const Expr& expr) {
  const Expr* at = &expr;
  while (at->kind == Expr::Kind::kSelect && !at->is_test) at = at->target;
  return at->kind == Expr::Kind::kIdent ? at : nullptr;
}

std::string_view WithoutDot(std::string_view name) {
  return name.starts_with('.') ? name.substr(1) : name;
}

TypeRef LiteralType(const Constant& constant) {
  switch (constant.kind) {
    case Constant::Kind::kNull:
      return types::Null();
    case Constant::Kind::kBool:
      return types::Bool();
    case Constant::Kind::kInt:
      return types::Int();
    case Constant::Kind::kUint:
      return types::Uint();
    case Constant::Kind::kDouble:
      return types::Double();
    case Constant::Kind::kString:
      return types::String();
    case Constant::Kind::kBytes:
      return types::Bytes();
  }
  return types::Dyn();
}

/// "(int, string)", or "list(int).(string)" for a receiver.
std::string FormatCall(const std::vector<TypeRef>& args, bool has_receiver) {
  std::string out;
  std::size_t first = 0;
  if (has_receiver) {
    out = FormatType(args[0]) + ".";
    first = 1;
  }
  out += '(';
  for (std::size_t i = first; i < args.size(); ++i) {
    if (i > first) out += ", ";
    out += FormatType(args[i]);
  }
  return out += ')';
}

class Checker {
 public:
  Checker(const Environment& environment, const Source& source, CheckedExpression& checked)
      : environment_(environment), source_(source), checked_(checked), solver_(checked.pool) {
    checked.types.assign(checked.ast->id_count(), nullptr);
    checked.references.assign(checked.ast->id_count(), {});
  }

  std::vector<Issue> Run() {
    CheckExpr(*checked_.ast->root);
    for (TypeRef& type : checked_.types) {
      if (type != nullptr) type = solver_.Substitute(type, true);
    }
    return std::move(issues_);
  }

 private:
  // ---- Results.

  void Report(std::int64_t id, std::string message) {
    // Of what is not described, texts need no memory.
    if (issues_.size() >= Source::kMostIssues) message = std::string();
    issues_.push_back(source_.At(checked_.ast->position(id), std::move(message)));
  }
  void ReportUndeclared(const Expr& expr, std::string_view name) {
    Report(expr.id, "undeclared reference to '" + std::string(name) + "' (in container '')");
    SetType(expr, types::Error());
  }
  void ReportMismatch(const Expr& expr, TypeRef expected, TypeRef actual) {
    Report(expr.id,
           "expected type '" + FormatType(expected) + "' but found '" + FormatType(actual) + "'");
  }
  void SetType(const Expr& expr, TypeRef type) {
    checked_.types[static_cast<std::size_t>(expr.id)] = type;
  }
  TypeRef TypeOf(const Expr& expr) const { return checked_.TypeOf(expr); }
  Reference& ReferenceOf(const Expr& expr) {
    return checked_.references[static_cast<std::size_t>(expr.id)];
  }

  // ---- Names.

  TypeRef FindLocal(std::string_view name) const {
    for (auto at = locals_.rbegin(); at != locals_.rend(); ++at) {
      if (at->first == name) return at->second;
    }
    return nullptr;
  }

  /// What a name stands for outside of all macros.
  bool FindGlobal(std::string_view name, TypeRef& type, Reference& reference) {
    const int variable = environment_.FindVariable(name);
    if (variable >= 0) {
      type = environment_.variables()[static_cast<std::size_t>(variable)].type;
      return true;
    }
    if (const TypeRef value = environment_.FindTypeName(name)) {
      type = checked_.pool.TypeOf(value);
      reference.type_value = value;
      return true;
    }
    if (name == "google.protobuf.NullValue.NULL_VALUE" || name == "google.protobuf.NullValue") {
      type = types::Int();
      reference.constant = 0;
      return name.ends_with("NULL_VALUE");
    }
    return false;
  }

  /// Makes `expr` the identifier that `name` is. False: it is none.
  bool ResolveName(Expr& expr, const std::string& name, bool is_qualified) {
    const std::string first(is_qualified ? FirstName(expr)->name : name);
    const TypeRef local = FindLocal(WithoutDot(first));
    const bool is_absolute = name.starts_with('.');
    if (local != nullptr && !is_absolute) {
      if (is_qualified) return false;
      SetType(expr, local);
      ReferenceOf(expr).name = name;
      return true;
    }
    TypeRef type = nullptr;
    Reference reference;
    const std::string global(WithoutDot(name));
    if (!FindGlobal(global, type, reference)) return false;
    reference.name = local != nullptr ? "." + global : global;
    SetType(expr, type);
    ReferenceOf(expr) = reference;
    expr.kind = Expr::Kind::kIdent;
    expr.name = reference.name;
    expr.target = nullptr;
    return true;
  }

  // ---- Nodes.

  void CheckExpr(Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral:
        return SetType(expr, LiteralType(expr.constant));
      case Expr::Kind::kIdent:
        if (!ResolveName(expr, expr.name, false)) ReportUndeclared(expr, expr.name);
        return;
      case Expr::Kind::kSelect:
        return CheckSelect(expr);
      case Expr::Kind::kCall:
        return CheckCall(expr);
      case Expr::Kind::kList:
        return CheckList(expr);
      case Expr::Kind::kMap:
        return CheckMap(expr);
      case Expr::Kind::kMessage:
        return CheckMessage(expr);
      case Expr::Kind::kComprehension:
        return CheckFold(expr);
      case Expr::Kind::kUnspecified:
        return SetType(expr, types::Error());
    }
  }

  void CheckSelect(Expr& expr) {
    if (!expr.is_test) {
      const std::string name = QualifiedName(expr);
      if (!name.empty() && ResolveName(expr, name, true)) return;
    }
    const TypeRef type = FieldType(expr, *expr.target, expr.name, false);
    SetType(expr, solver_.Substitute(expr.is_test ? types::Bool() : type, false));
  }

  TypeRef FieldType(const Expr& expr, Expr& operand, std::string_view field, bool is_optional) {
    CheckExpr(operand);
    const TypeRef operand_type = solver_.Substitute(TypeOf(operand), false);
    const TypeRef target = UnwrapOptional(operand_type);
    TypeRef result = types::Error();
    if (target->kind == Type::Kind::kMap) {
      result = target->params[1];
    } else if (target->kind == Type::Kind::kStruct) {
      if (const TypeRef type = LookUpField(expr.id, target->name, field)) result = type;
    } else {
      if (target->kind == Type::Kind::kTypeParam) {
        solver_.Assign(types::Dyn(), target);
      } else if (!IsDyn(target) && target->kind != Type::Kind::kError) {
        Report(expr.id, "type '" + FormatType(target) + "' does not support field selection");
      }
      result = types::Dyn();
    }
    return is_optional || IsOptional(operand_type) ? checked_.pool.Optional(result) : result;
  }

  /// Null, and an issue, where there is no such field.
  TypeRef LookUpField(std::int64_t id, std::string_view message_name, std::string_view field) {
    const MessageType* message = environment_.FindMessage(message_name);
    if (message == nullptr) {
      Report(id, "unexpected failed resolution of '" + std::string(message_name) + "'");
      return nullptr;
    }
    auto found = message->fields.find(field);
    constexpr base::Release kTakesReservedWords{1, 31};
    if (found == message->fields.end() && IsReservedWord(field) &&
        !(environment_.release() < kTakesReservedWords)) {
      found = message->fields.find("__" + std::string(field) + "__");
    }
    if (found != message->fields.end()) return found->second;
    Report(id, "undefined field '" + std::string(field) + "'");
    return nullptr;
  }

  void CheckCall(Expr& expr) {
    if (expr.name == operators::kOptionalSelect) {
      const TypeRef type = FieldType(expr, *expr.args[0], expr.args[1]->constant.text, true);
      SetType(*expr.args[1], types::String());
      SetType(expr, solver_.Substitute(type, false));
      if (const Function* function = environment_.functions().Find(operators::kOptionalSelect)) {
        ReferenceOf(expr).function = function;
        ReferenceOf(expr).signatures = {&function->signatures[0]};
      }
      return;
    }
    for (Expr* arg : expr.args) CheckExpr(*arg);
    if (expr.target == nullptr) {
      const Function* function = environment_.functions().Find(WithoutDot(expr.name));
      if (function == nullptr) return ReportUndeclared(expr, expr.name);
      expr.name = function->name;
      return Resolve(expr, *function);
    }
    // namespace.function(...) is no method.
    const std::string prefix = QualifiedName(*expr.target);
    if (!prefix.empty()) {
      const std::string name = prefix + "." + expr.name;
      if (const Function* function = environment_.functions().Find(WithoutDot(name))) {
        expr.name = function->name;
        expr.target = nullptr;
        return Resolve(expr, *function);
      }
    }
    CheckExpr(*expr.target);
    const Function* function = environment_.functions().Find(expr.name);
    if (function == nullptr) return ReportUndeclared(expr, expr.name);
    Resolve(expr, *function);
  }

  /// Chooses the overloads that take the types of the arguments.
  void Resolve(Expr& expr, const Function& function) {
    Reference& reference = ReferenceOf(expr);
    reference.function = &function;
    if (function.name == operators::kAnd || function.name == operators::kOr) {
      return ResolveLogical(expr, function);
    }
    std::vector<TypeRef> args;
    if (expr.target != nullptr) args.push_back(TypeOf(*expr.target));
    for (const Expr* arg : expr.args) args.push_back(TypeOf(*arg));
    TypeRef result = nullptr;
    for (const Signature& signature : function.signatures) {
      if (signature.overload->is_member != (expr.target != nullptr)) continue;
      // Also of another number of arguments, as errors name the variables by their number.
      const TypeSolver::Instance instance = solver_.Instantiate(signature);
      if (signature.args.size() != args.size()) continue;
      if (!solver_.AssignAll(args, instance.args)) continue;
      reference.signatures.push_back(&signature);
      const TypeRef type = solver_.Substitute(instance.result, false);
      if (result == nullptr) {
        result = type;
      } else if (!IsDyn(result) && !IsExactType(type, result)) {
        result = types::Dyn();
      }
    }
    if (result != nullptr) return SetType(expr, result);
    for (TypeRef& arg : args) arg = solver_.Substitute(arg, true);
    Report(expr.id, "found no matching overload for '" + std::string(function.name) +
                        "' applied to '" + FormatCall(args, expr.target != nullptr) + "'");
    SetType(expr, types::Error());
  }

  /// && and || say which operand is no bool.
  void ResolveLogical(Expr& expr, const Function& function) {
    bool is_bool = true;
    for (const Expr* arg : expr.args) {
      if (solver_.Assign(TypeOf(*arg), types::Bool())) continue;
      ReportMismatch(*arg, types::Bool(), TypeOf(*arg));
      is_bool = false;
    }
    ReferenceOf(expr).signatures = {&function.signatures[0]};
    SetType(expr, is_bool ? types::Bool() : types::Error());
  }

  /// The type of an element written ?element.
  TypeRef OptionalElement(const Expr& expr) {
    const TypeRef type = TypeOf(expr);
    if (IsOptional(type)) return type->params[0];
    if (!IsDyn(type)) ReportMismatch(expr, checked_.pool.Optional(type), type);
    return type;
  }

  /// The type of two elements of a list. They have to have one type; from 1.29 on the validator
  /// looks after that.
  TypeRef Join(const Expr& expr, TypeRef previous, TypeRef current) {
    if (previous == nullptr) return current;
    if (solver_.Assign(previous, current)) return solver_.MostGeneral(previous, current);
    if (environment_.release() >= base::Release{1, 29}) return types::Dyn();
    ReportMismatch(expr, previous, current);
    return types::Error();
  }

  void CheckList(Expr& expr) {
    TypeRef type = nullptr;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      Expr& element = *expr.args[i];
      CheckExpr(element);
      const auto index = static_cast<std::int32_t>(i);
      const bool is_optional = std::find(expr.optional_indices.begin(), expr.optional_indices.end(),
                                         index) != expr.optional_indices.end();
      type = Join(element, type, is_optional ? OptionalElement(element) : TypeOf(element));
    }
    SetType(expr, checked_.pool.List(type == nullptr ? solver_.NewVariable() : type));
  }

  void CheckMap(Expr& expr) {
    TypeRef key = nullptr;
    TypeRef value = nullptr;
    for (Entry& entry : expr.entries) {
      CheckExpr(*entry.key);
      key = Join(*entry.key, key, TypeOf(*entry.key));
      CheckExpr(*entry.value);
      value = Join(*entry.value, value,
                   entry.is_optional ? OptionalElement(*entry.value) : TypeOf(*entry.value));
    }
    if (key == nullptr) {
      key = solver_.NewVariable();
      value = solver_.NewVariable();
    }
    SetType(expr, checked_.pool.Map(key, value));
  }

  void CheckMessage(Expr& expr) {
    const std::string name(WithoutDot(expr.name));
    const TypeRef named = environment_.FindTypeName(name);
    if (named == nullptr) return ReportUndeclared(expr, expr.name);
    expr.name = name;
    const bool is_message = environment_.FindMessage(name) != nullptr;
    if (!is_message) {
      Report(expr.id, "'" + FormatDeclared(named) + "' is not a message type");
    }
    SetType(expr, is_message ? named : types::Error());
    for (Entry& entry : expr.entries) CheckField(entry, name);
  }

  static std::string FormatDeclared(TypeRef type) {
    return type->is_nullable ? "wrapper(" + type->name + ")" : type->name;
  }

  void CheckField(Entry& entry, const std::string& message) {
    CheckExpr(*entry.value);
    TypeRef field = types::Error();
    if (const TypeRef type = LookUpField(entry.id, message, entry.field)) field = type;
    const TypeRef value = entry.is_optional ? OptionalElement(*entry.value) : TypeOf(*entry.value);
    if (solver_.Assign(field, value)) return;
    Report(entry.id, "expected type of field '" + entry.field + "' is '" + FormatType(field) +
                         "' but provided type is '" + FormatType(value) + "'");
  }

  void CheckFold(Expr& expr) {
    const Comprehension& fold = *expr.comprehension;
    CheckExpr(*fold.range);
    CheckExpr(*fold.init);
    const TypeRef range = solver_.Substitute(TypeOf(*fold.range), false);
    const TypeRef accumulator = TypeOf(*fold.init);
    const std::size_t outer = locals_.size();
    locals_.emplace_back(fold.accumulator, accumulator);
    const std::size_t inner = locals_.size();
    AddVariables(fold, range);
    CheckExpr(*fold.condition);
    Expect(*fold.condition, types::Bool());
    CheckExpr(*fold.step);
    Expect(*fold.step, accumulator);
    locals_.resize(inner);
    CheckExpr(*fold.result);
    locals_.resize(outer);
    SetType(expr, solver_.Substitute(TypeOf(*fold.result), false));
  }

  void AddVariables(const Comprehension& fold, TypeRef range) {
    const bool has_two = !fold.second_variable.empty();
    TypeRef first = types::Dyn();
    TypeRef second = types::Dyn();
    switch (range->kind) {
      case Type::Kind::kList:
        first = has_two ? types::Int() : range->params[0];
        second = range->params[0];
        break;
      case Type::Kind::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case Type::Kind::kDyn:
      case Type::Kind::kError:
      case Type::Kind::kTypeParam:
        solver_.Assign(types::Dyn(), range);
        break;
      default:
        Report(fold.range->id, "expression of type '" + FormatType(range) +
                                   "' cannot be range of a comprehension (must be list, map, or "
                                   "dynamic)");
        first = types::Error();
        second = types::Error();
        break;
    }
    locals_.emplace_back(fold.variable, first);
    if (has_two) locals_.emplace_back(fold.second_variable, second);
  }

  void Expect(const Expr& expr, TypeRef type) {
    if (!solver_.Assign(type, TypeOf(expr))) ReportMismatch(expr, type, TypeOf(expr));
  }

  const Environment& environment_;
  const Source& source_;
  CheckedExpression& checked_;
  TypeSolver solver_;
  std::vector<Issue> issues_;
  std::vector<std::pair<std::string, TypeRef>> locals_;  // the innermost last
};

}  // namespace

std::vector<Issue> Check(const Environment& environment, const Source& source,
                         CheckedExpression& checked) {
  try {
    return Checker(environment, source, checked).Run();
  } catch (const TypesTooLarge&) {
    return {Issue{-1, -1, "types of the expression are too large"}};
  }
}

}  // namespace kube::cel
