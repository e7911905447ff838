#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/label_match.h"

/// What an object has to be like for a handler to be asked about it.
namespace kube::admission {

using meta::LabelRequirement;
using meta::LabelSelector;

inline LabelRequirement LabelExists(std::string key) { return {std::move(key)}; }
inline LabelRequirement LabelDoesNotExist(std::string key) {
  return {std::move(key), LabelRequirement::Operator::kDoesNotExist};
}
inline LabelRequirement LabelIn(std::string key, std::vector<std::string> values) {
  return {std::move(key), LabelRequirement::Operator::kIn, std::move(values)};
}
/// Holds also where the label is absent, as everywhere in Kubernetes.
inline LabelRequirement LabelNotIn(std::string key, std::vector<std::string> values) {
  return {std::move(key), LabelRequirement::Operator::kNotIn, std::move(values)};
}

/// Annotations are chosen as labels are; their values may be any text.
using AnnotationRequirement = LabelRequirement;
inline AnnotationRequirement AnnotationExists(std::string key) {
  return LabelExists(std::move(key));
}
inline AnnotationRequirement AnnotationDoesNotExist(std::string key) {
  return LabelDoesNotExist(std::move(key));
}
inline AnnotationRequirement AnnotationIn(std::string key, std::vector<std::string> values) {
  return LabelIn(std::move(key), std::move(values));
}
inline AnnotationRequirement AnnotationNotIn(std::string key, std::vector<std::string> values) {
  return LabelNotIn(std::move(key), std::move(values));
}

/// One condition on a field. A field that is null exists.
struct FieldRequirement {
  enum class Operator : std::uint8_t { kExists, kDoesNotExist, kIs };
  using FieldValue = std::variant<std::string, std::int64_t, bool>;

  std::vector<std::string> path;  ///< of members: {"spec", "mode"}
  Operator operator_ = Operator::kExists;
  FieldValue value{};  ///< of kIs
};

inline FieldRequirement FieldExists(std::vector<std::string> path) { return {std::move(path)}; }
inline FieldRequirement FieldDoesNotExist(std::vector<std::string> path) {
  return {std::move(path), FieldRequirement::Operator::kDoesNotExist};
}
/// Holds where the field has that type and value; numbers compare by value: 1 is 1.0.
inline FieldRequirement FieldIs(std::vector<std::string> path, FieldRequirement::FieldValue value) {
  return {std::move(path), FieldRequirement::Operator::kIs, std::move(value)};
}

/// What one object has to have: all of it.
struct ObjectFilter {
  /// The API server goes by these, too, and does not even ask (objectSelector).
  LabelSelector labels{};
  /// It cannot go by these: we do, once the review has come.
  std::vector<AnnotationRequirement> annotations{};
  std::vector<FieldRequirement> fields{};

  bool empty() const { return labels.empty() && annotations.empty() && fields.empty(); }
};

/// True if `object` has all that the filter asks for. The null pointer has nothing and does not
/// match, unless the filter is empty (apiserver pkg/admission/plugin/webhook/predicates/object).
bool Matches(const ObjectFilter& filter, const json::Value* object);

/// What is wrong with it in the API server's words, one text a fault; nothing where it is taken.
std::vector<std::string> LabelSelectorProblems(const LabelSelector& selector);
/// The same of all that the filter asks for: annotations that no object can have, fields without a
/// path.
std::vector<std::string> ObjectFilterProblems(const ObjectFilter& filter);

/// {"matchExpressions": [...]}. Borrows from `selector` and `arena`.
json::Value LabelSelectorJson(const LabelSelector& selector, json::Arena& arena);

}  // namespace kube::admission
