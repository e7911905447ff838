// What the server looks for in expressions whose types are right (cel-go cel/validator.go,
// ext/formatting.go).
#include <algorithm>

#include "kube/cel/checker.h"
#include "kube/cel/format_text.h"
#include "kube/cel/time.h"
#include "kube/go/go_duration.h"
#include "kube/go/go_regexp.h"

namespace kube::cel {
namespace {

constexpr base::Release kValidatedSince{1, 29};

class Validator {
 public:
  Validator(const Source& source, const CheckedExpression& checked)
      : source_(source), checked_(checked) {}

  std::vector<Issue> Run() {
    Visit(*checked_.ast->root, false);
    return std::move(issues_);
  }

 private:
  void Report(std::int64_t id, std::string message) {
    // Of what is not described, texts need no memory.
    if (issues_.size() >= Source::kMostIssues) message = std::string();
    issues_.push_back(source_.At(checked_.ast->position(id), std::move(message)));
  }

  /// `in_format`: within a call of format(), whose lists may mix types.
  void Visit(const Expr& expr, bool in_format) {
    if (expr.kind == Expr::Kind::kCall) VisitCall(expr);
    if (expr.kind == Expr::Kind::kList && !in_format) VisitList(expr);
    if (expr.kind == Expr::Kind::kMap && !in_format) VisitMap(expr);
    const bool inner = in_format || (expr.kind == Expr::Kind::kCall && expr.name == "format");
    if (expr.target != nullptr) Visit(*expr.target, inner);
    for (const Expr* arg : expr.args) Visit(*arg, inner);
    for (const Entry& entry : expr.entries) {
      if (entry.key != nullptr) Visit(*entry.key, inner);
      Visit(*entry.value, inner);
    }
    if (expr.comprehension == nullptr) return;
    const Comprehension& fold = *expr.comprehension;
    for (const Expr* part : {fold.range, fold.init, fold.condition, fold.step, fold.result}) {
      Visit(*part, inner);
    }
  }

  void VisitCall(const Expr& call) {
    if (call.name == "format") VisitFormat(call);
    if (call.args.empty() || call.args[0]->kind != Expr::Kind::kLiteral) return;
    const Expr& literal = *call.args[0];
    if (IsWrongLiteral(call.name, literal.constant)) {
      Report(literal.id, "invalid " + call.name + " argument");
    }
  }

  static bool IsWrongLiteral(std::string_view function, const Constant& constant) {
    const bool is_text = constant.kind == Constant::Kind::kString;
    const bool is_null = constant.kind == Constant::Kind::kNull;
    if (function == "duration") {
      return is_null || (is_text && !go::ParseGoDuration(constant.text));
    }
    if (function == "matches") return is_text && go::GoRegexpError(constant.text).has_value();
    if (function != "timestamp") return false;
    if (constant.kind == Constant::Kind::kInt) {
      return constant.integer < kFirstSecond || constant.integer > kLastSecond;
    }
    return is_null || (is_text && !ParseTimestamp(constant.text));
  }

  void ReportMismatch(const Expr& expr, TypeRef expected, TypeRef actual) {
    Report(expr.id,
           "expected type '" + FormatType(expected) + "' but found '" + FormatType(actual) + "'");
  }

  void VisitList(const Expr& list) {
    TypeRef type = nullptr;
    for (std::size_t i = 0; i < list.args.size(); ++i) {
      TypeRef element = checked_.TypeOf(*list.args[i]);
      const auto& optional = list.optional_indices;
      if (std::find(optional.begin(), optional.end(), static_cast<std::int32_t>(i)) !=
          optional.end()) {
        element = UnwrapOptional(element);
      }
      if (type == nullptr) type = element;
      if (IsEquivalentType(type, element)) continue;
      return ReportMismatch(*list.args[i], type, element);
    }
  }

  void VisitMap(const Expr& map) {
    TypeRef key = nullptr;
    TypeRef value = nullptr;
    for (const Entry& entry : map.entries) {
      const TypeRef entry_key = checked_.TypeOf(*entry.key);
      TypeRef entry_value = checked_.TypeOf(*entry.value);
      if (entry.is_optional) entry_value = UnwrapOptional(entry_value);
      if (key == nullptr) {
        key = entry_key;
        value = entry_value;
        continue;
      }
      if (!IsEquivalentType(key, entry_key)) ReportMismatch(*entry.key, key, entry_key);
      if (!IsEquivalentType(value, entry_value)) ReportMismatch(*entry.value, value, entry_value);
    }
  }

  // ---- format().

  void VisitFormat(const Expr& call) {
    if (call.target == nullptr || call.target->kind != Expr::Kind::kLiteral ||
        call.target->constant.kind != Constant::Kind::kString || call.args.size() != 1 ||
        call.args[0]->kind != Expr::Kind::kList) {
      return;
    }
    const std::vector<Expr*>& args = call.args[0]->args;
    FormatReader reader(call.target->constant.text);
    std::size_t used = 0;
    while (true) {
      const FormatReader::Step step = reader.Next(args.size());
      if (step == FormatReader::Step::kEnd) break;
      if (step == FormatReader::Step::kError) return Report(call.id, reader.error());
      if (step == FormatReader::Step::kText) continue;
      used = reader.argument() + 1;
      if (!CheckArgument(reader.clause(), *args[reader.argument()])) return;
    }
    if (args.size() > used) {
      Report(call.id, "too many arguments supplied to string.format (expected " +
                          std::to_string(used) + ", got " + std::to_string(args.size()) + ")");
    }
  }

  bool CheckArgument(const FormatClause& clause, const Expr& arg) {
    using T = Type::Kind;
    switch (clause.letter) {
      case 's':
        return CheckText(clause, arg);
      case 'f':
      case 'e':
        return CheckKind(clause, arg, {T::kDouble, T::kString});  // "NaN", "Infinity"
      case 'b':
        return CheckKind(clause, arg, {T::kBool, T::kInt, T::kUint});
      case 'x':
      case 'X':
        return CheckKind(clause, arg, {T::kInt, T::kUint, T::kString, T::kBytes});
      default:
        return CheckKind(clause, arg, {T::kInt, T::kUint});
    }
  }

  bool CheckKind(const FormatClause& clause, const Expr& arg,
                 std::initializer_list<Type::Kind> kinds) {
    const TypeRef type = checked_.TypeOf(arg);
    if (type->kind == Type::Kind::kDyn ||
        std::find(kinds.begin(), kinds.end(), type->kind) != kinds.end()) {
      return true;
    }
    Report(arg.id, "error during formatting: " + ClauseProblem(clause, type->name));
    return false;
  }

  /// %s takes all but a few; lists and maps are looked into.
  bool CheckText(const FormatClause& clause, const Expr& arg) {
    using T = Type::Kind;
    if (!CheckKind(clause, arg,
                   {T::kList, T::kMap, T::kInt, T::kUint, T::kDouble, T::kBool, T::kString,
                    T::kTimestamp, T::kBytes, T::kDuration, T::kType, T::kNull})) {
      return false;
    }
    const auto check = [&](const Expr* part) { return CheckText(clause, *part); };
    if (arg.kind == Expr::Kind::kList) return std::all_of(arg.args.begin(), arg.args.end(), check);
    if (arg.kind != Expr::Kind::kMap) return true;
    return std::all_of(arg.entries.begin(), arg.entries.end(),
                       [&](const Entry& entry) { return check(entry.key) && check(entry.value); });
  }

  const Source& source_;
  const CheckedExpression& checked_;
  std::vector<Issue> issues_;
};

}  // namespace

std::vector<Issue> Validate(const Environment& environment, const Source& source,
                            const CheckedExpression& checked) {
  if (environment.release() < kValidatedSince) return {};
  return Validator(source, checked).Run();
}

}  // namespace kube::cel
