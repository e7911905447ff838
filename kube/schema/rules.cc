#include "kube/schema/rules.h"

#include <algorithm>
#include <map>
#include <memory>

#include "kube/cel/estimate.h"
#include "kube/go/go_printable.h"
#include "kube/schema/json_path.h"

namespace kube::schema {
namespace {

using cel::SchemaField;
using cel::SchemaType;

/// The most elements that a schema lets values have.
class TypeSizes : public cel::SizeSource {
 public:
  explicit TypeSizes(const SchemaType& root) : root_(root) {}

  /// The first name of a path is self or oldSelf.
  std::optional<cel::Range> SizeAt(const cel::ValuePath& path) const override {
    if (path.empty()) return std::nullopt;
    const SchemaType* type = &root_;
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i] == "@keys" && type->kind == SchemaType::Kind::kMap) {
        // Keys are texts without a limit that the estimate would know of.
        return i + 1 == path.size() ? std::optional(cel::Range{0, 0}) : std::nullopt;
      }
      type = Step(*type, path[i]);
      if (type == nullptr) return std::nullopt;
    }
    return cel::Range{0, static_cast<std::uint64_t>(type->max_size)};
  }

 private:
  static const SchemaType* Step(const SchemaType& type, const std::string& name) {
    if (name == "@items" || name == "@values") return type.element;
    if (type.kind != SchemaType::Kind::kObject) return nullptr;
    const auto field = std::ranges::find(type.fields, name, &SchemaField::name);
    return field != type.fields.end() && field->type->is_declared ? field->type : nullptr;
  }

  const SchemaType& root_;
};

/// What an expression has to be, and how the server words it where it is not.
struct ExpressionKind {
  cel::Type::Kind type;
  std::string_view does_not_compile;
  std::string_view has_wrong_type;
  std::string_view has_no_program;
};

constexpr ExpressionKind kOfRule = {
    cel::Type::Kind::kBool, "compilation failed: ", "cel expression must evaluate to a bool",
    "program instantiation failed: "};
constexpr ExpressionKind kOfMessage = {
    cel::Type::Kind::kString,
    "messageExpression compilation failed: ", "messageExpression must evaluate to a string",
    "messageExpression instantiation failed: "};

/// An expression that is checked and planned, or the error.
struct Compiled {
  std::unique_ptr<cel::CheckedExpression>
      checked;  ///< null: it is not even an expression of its kind
  std::optional<cel::Program> program;
  std::string error;
};

Compiled Compile(std::string_view text, const cel::Environment& environment,
                 const ExpressionKind& kind) {
  auto checked = cel::Compile(environment, text);
  if (!checked)
    return {nullptr, std::nullopt, std::string(kind.does_not_compile) + checked.error()};
  if ((*checked)->output_type()->kind != kind.type) {
    return {nullptr, std::nullopt, std::string(kind.has_wrong_type)};
  }
  auto program = cel::Program::Make(environment, **checked);
  if (program) return {std::move(*checked), std::move(*program), ""};
  return {std::move(*checked), std::nullopt, std::string(kind.has_no_program) + program.error()};
}

bool UsesOldSelf(const cel::CheckedExpression& checked) {
  return std::ranges::any_of(checked.references, [](const cel::Reference& reference) {
    return reference.name == "oldSelf";
  });
}

class RuleCompiler {
 public:
  RuleCompiler(const SchemaProps& schema, const SchemaType& type, const RuleReleases& release_of)
      : schema_(schema), type_(type), sizes_(type), release_of_(release_of) {}

  CompiledRule Run(const ValidationRule& rule) {
    CompiledRule result;
    if (go::TrimGoSpace(rule.rule).empty()) return result;
    const bool is_optional = rule.optional_old_self.value_or(false);
    Compiled compiled =
        Compile(rule.rule, EnvironmentOf(release_of_(rule.rule, false), is_optional), kOfRule);
    result.uses_old_self = compiled.checked != nullptr && UsesOldSelf(*compiled.checked);
    result.error = std::move(compiled.error);
    result.program = std::move(compiled.program);
    if (!result.program) return result;
    result.cost = cel::EstimateCost(*compiled.checked, &sizes_).max;
    if (!rule.message_expression.empty()) AddMessage(rule, is_optional, result);
    if (!rule.field_path.empty() && result.message_error.empty()) {
      const auto target = FollowJsonPath(rule.field_path, &schema_, /*allow_array_notation=*/true);
      if (target) result.field_path = target->path;
    }
    return result;
  }

 private:
  void AddMessage(const ValidationRule& rule, bool is_optional, CompiledRule& result) {
    const std::string_view text = rule.message_expression;
    Compiled compiled =
        Compile(text, EnvironmentOf(release_of_(text, true), is_optional), kOfMessage);
    result.message_error = std::move(compiled.error);
    result.message = std::move(compiled.program);
    if (result.message) result.message_cost = cel::EstimateCost(*compiled.checked, &sizes_).max;
  }

  /// Made once for all rules of the schema.
  const cel::Environment& EnvironmentOf(base::Release release, bool is_optional) {
    auto& environment = environments_[{release, is_optional}];
    if (environment == nullptr) {
      environment = std::make_unique<cel::Environment>(release);
      const cel::TypeRef self = environment->AddSchema(type_, "selfType");
      environment->AddVariable("self", self);
      environment->AddVariable("oldSelf", is_optional ? pool_.Optional(self) : self);
    }
    return *environment;
  }

  const SchemaProps& schema_;
  const SchemaType& type_;
  const TypeSizes sizes_;
  const RuleReleases& release_of_;
  cel::TypePool pool_;
  std::map<std::pair<base::Release, bool>, std::unique_ptr<cel::Environment>> environments_;
};

}  // namespace

std::vector<CompiledRule> CompileRules(const std::vector<ValidationRule>& rules,
                                       const SchemaProps& schema, const SchemaType& type,
                                       const RuleReleases& release_of) {
  RuleCompiler compiler(schema, type, release_of);
  std::vector<CompiledRule> compiled;
  for (const ValidationRule& rule : rules) compiled.push_back(compiler.Run(rule));
  return compiled;
}

}  // namespace kube::schema
