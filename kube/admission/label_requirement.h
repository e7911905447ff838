#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/label_match.h"

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

/// True if `object` has such labels. The null pointer has none and does not match, unless the
/// selector is empty (apiserver pkg/admission/plugin/webhook/predicates/object).
bool Matches(const LabelSelector& selector, const json::Value* object);

/// What is wrong with it in the API server's words, one text a fault; nothing where it is taken.
std::vector<std::string> LabelSelectorProblems(const LabelSelector& selector);

/// {"matchExpressions": [...]}. Borrows from `selector` and `arena`.
json::Value LabelSelectorJson(const LabelSelector& selector, json::Arena& arena);

}  // namespace kube::admission
