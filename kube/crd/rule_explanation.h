#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/cel/trace.h"
#include "kube/crd/rule_places.h"
#include "kube/json/json.h"
#include "kube/schema/rule_types.h"

namespace kube::crd {

/// What a rule says of one value, and how it comes to that.
struct ExplainedValue {
  enum class Answer : std::uint8_t { kTrue, kFalse, kError };

  std::string path;  ///< as the server's errors print it: "spec.ports[3]"; empty: the object
  Answer answer = Answer::kTrue;
  std::string error{};  ///< the server's, where the answer is not true
  std::uint64_t cost = 0;
  cel::Trace trace{};
};

/// What a rule says of one object.
struct RuleExplanation {
  std::string name, schema_path, field_path;  ///< as RulePlace
  std::size_t index = 0;                      ///< the same
  std::string rule, message, message_expression;
  std::string compile_error{};  ///< the server's; empty: it compiles
  bool uses_old_self = false;   ///< which is then the value itself: a write that changes nothing
  std::uint64_t estimated_cost = 0;         ///< the most, of one value
  std::uint64_t estimated_object_cost = 0;  ///< the same of all values that an object can have
  std::uint64_t cost = 0;                   ///< of all values together
  std::uint64_t true_count = 0, false_count = 0, error_count = 0;  ///< of values
  std::vector<ExplainedValue> values{};  ///< in the order of the object: the first of each answer
  std::uint64_t values_left_out = 0;     ///< of those that were counted
  bool is_out_of_budget =
      false;  ///< the rule alone costs more than all may: the rest was not asked

  std::uint64_t value_count() const { return true_count + false_count + error_count; }
  bool holds() const { return compile_error.empty() && false_count + error_count == 0; }
};

/// Explains rules of one schema, which must be structural and outlive it, as a server of a release
/// evaluates them (kube/schema/rule_validation.h).
class RuleExplainer {
 public:
  /// So many values are kept of each answer.
  static constexpr std::size_t kValuesKept = 20;

  RuleExplainer(const schema::SchemaProps& schema, base::Release server)
      : schema_(schema), server_(server), types_(schema, /*is_resource=*/true) {}

  /// `place` is of the schema, and `object` as the server reads it. Nulls have no rules.
  RuleExplanation Explain(const RulePlace& place, const json::Value& object) const;

 private:
  class Run;

  const schema::SchemaProps& schema_;
  base::Release server_;
  schema::RuleTypes types_;
};

}  // namespace kube::crd
