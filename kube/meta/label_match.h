#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "kube/meta/field_error.h"

/// metav1.LabelSelector, as it stands in objects. Its form as a text of flags and URLs is
/// kube/client/label_selector.h.
namespace kube::meta {

/// One condition on a label, as in matchExpressions of metav1.LabelSelector.
struct LabelRequirement {
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist };

  std::string key;
  Operator operator_ = Operator::kExists;
  std::vector<std::string> values{};  ///< of kIn and kNotIn, which need one

  bool operator==(const LabelRequirement&) const = default;
};

/// As objects spell it: "NotIn".
std::string_view OperatorName(LabelRequirement::Operator operator_);
bool NeedsValues(LabelRequirement::Operator operator_);

/// All have to hold; none: whatever labels there are.
using LabelSelector = std::vector<LabelRequirement>;

using Labels = std::map<std::string, std::string, std::less<>>;

/// True if `label` is as `requirement` says: the value of the label of its key, absent where there
/// is no such label. NotIn holds then, as everywhere in Kubernetes.
bool Holds(const LabelRequirement& requirement, std::optional<std::string_view> label);

/// True if all requirements hold.
bool Matches(const LabelSelector& selector, const Labels& labels);

/// Reads the metav1.LabelSelector at `path`, of the types that it should be of: what is not is as
/// if it were not there. One of matchLabels becomes an In with one value; they come first, by key.
/// The errors are those of ValidateLabelSelector (apimachinery pkg/apis/meta/v1/validation), in its
/// order, matchLabels by key.
base::Result<LabelSelector, std::vector<FieldError>> ReadLabelSelector(const json::Value& selector,
                                                                       std::string_view path);

}  // namespace kube::meta
