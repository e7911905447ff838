#include "migrate/check/pruned_validity.h"

#include <algorithm>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/meta/field_error.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_validation.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::schema::StructuralSchema;

// As much as a person reads; one error may quote all of the object.
constexpr std::size_t kMostBytes = 512;

// An object may have as many errors as fields.
std::string FirstErrors(const std::vector<std::string>& errors) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(errors.size(), kMost); ++i) {
    first.push_back(kube::base::utf8::Shortened(errors[i], kMostBytes));
  }
  if (errors.size() > kMost) first.push_back(std::to_string(errors.size() - kMost) + " more");
  return kube::meta::Aggregate(first);
}

}  // namespace

std::optional<std::string> WhyInvalidOncePruned(const Value& object,
                                                std::span<const StructuralSchema* const> schemas,
                                                const kube::schema::SchemaProps& validation,
                                                kube::schema::PatternChecks& patterns) {
  kube::json::Arena arena;
  Value before = kube::json::CopyForChange(object, arena);
  Value after = kube::json::CopyForChange(object, arena);
  // Of what defaults make too large an error of its own tells.
  for (const StructuralSchema* schema : schemas) {
    if (schema != nullptr && !kube::schema::SetDefaults(before, *schema, arena)) return "";
    if (!kube::schema::ReadBySchema(after, schema, arena)) return "";
  }
  const auto errors = kube::schema::ErrorsOfPruning(before, after, validation, patterns);
  return errors ? std::optional(FirstErrors(*errors)) : std::nullopt;
}

}  // namespace migrate::check
