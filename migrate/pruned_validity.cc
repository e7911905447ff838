#include "migrate/pruned_validity.h"

#include <vector>

#include "kube/schema/coercion.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/field_error.h"
#include "kube/schema/pruned_validation.h"
#include "kube/schema/pruning.h"

namespace migrate {
namespace {

using kube::json::Value;

// An object may have as many errors as fields, and each of them may quote all of it.
std::string FirstErrors(const std::vector<std::string>& errors) {
  constexpr std::size_t kMostBytes = 4096;
  std::vector<std::string> first;
  std::size_t bytes = 0;
  for (const std::string& error : errors) {
    bytes += error.size();
    if (bytes > kMostBytes) break;
    first.push_back(error);
  }
  const std::size_t more = errors.size() - first.size();
  if (more == 0) return kube::schema::Aggregate(errors);
  first.push_back(std::to_string(more) + (first.empty() ? "" : " more") +
                  (more == 1 ? " error" : " errors"));
  return kube::schema::Aggregate(first);
}

}  // namespace

std::string WhyInvalidOncePruned(const Value& object,
                                 const kube::schema::StructuralSchema& pruned_by,
                                 const kube::schema::SchemaProps& validated_by,
                                 kube::schema::PatternChecks& patterns) {
  kube::json::Arena arena;
  Value before = kube::json::DeepCopy(object, arena);
  Value after = kube::json::DeepCopy(object, arena);
  kube::schema::DropUnknownFields(after, &pruned_by, true);
  for (Value* copy : {&before, &after}) {
    kube::schema::DropNulls(*copy, pruned_by);
    if (!kube::schema::SetDefaults(*copy, pruned_by, arena)) return "";
  }
  return FirstErrors(kube::schema::ErrorsOfPruning(before, after, validated_by, patterns));
}

}  // namespace migrate
