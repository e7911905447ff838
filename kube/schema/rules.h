#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/cel/program.h"
#include "kube/cel/schema_type.h"
#include "kube/schema/schema_props.h"

/// x-kubernetes-validations of one schema, compiled (apiextensions
/// pkg/apiserver/schema/cel/compilation.go).
namespace kube::schema {

/// Older servers drop rules.
inline constexpr base::Release kFirstRuleRelease{1, 25};

/// The release whose CEL new rules may use on a server: they have to work in the release before its
/// own, too. Rules that are stored already may use all that the server knows.
constexpr base::Release NewRuleRelease(base::Release server) {
  return {server.major, server.minor - 1};
}

/// A rule with what came of it.
struct CompiledRule {
  std::optional<cel::Program> program{};  ///< absent with an error, and for a blank rule
  std::string error{};                    ///< the server's; empty: none
  bool uses_old_self = false;
  std::uint64_t cost = 0;  ///< the most, of one evaluation

  // Of messageExpression; as above.
  std::optional<cel::Program> message{};
  std::string message_error{};
  std::uint64_t message_cost = 0;

  std::string field_path{};  ///< as field.Path prints fieldPath; empty: none
};

/// What the server knows of CEL for an expression; `is_message`: a messageExpression.
using RuleReleases = std::function<base::Release(std::string_view expression, bool is_message)>;

/// Compiles rules for values of `type`, which is declared. `schema` is what fieldPath leads
/// through. In the order of `rules`.
std::vector<CompiledRule> CompileRules(const std::vector<ValidationRule>& rules,
                                       const SchemaProps& schema, const cel::SchemaType& type,
                                       const RuleReleases& release_of);

}  // namespace kube::schema
