#include "kube/admission/matching.h"

#include <algorithm>
#include <vector>

namespace kube::admission {
namespace {

bool Fits(std::string_view pattern, std::string_view text) {
  return pattern == "*" || pattern == text;
}

bool HasResource(const HandlerOptions& options, const ReviewedResource& resource) {
  return std::ranges::any_of(options.resources, [&resource](const Resource& one) {
    return Fits(one.group, resource.group) && Fits(one.version, resource.version) &&
           Fits(one.plural, resource.plural);
  });
}

bool HasOperation(const Handler& handler, Operation operation) {
  const std::vector<Operation>& operations = handler.options.operations;
  if (handler.is_mutating() && operation == Operation::kDelete) {
    return operations == std::vector<Operation>{Operation::kDelete};
  }
  return operations.empty() || std::ranges::find(operations, operation) != operations.end();
}

// The namespace of a review of a Namespace is that itself.
bool IsNamespaced(const Review& review) {
  const bool is_namespace = review.resource.group.empty() && review.resource.plural == "namespaces";
  return !review.namespace_.empty() && !is_namespace;
}

}  // namespace

bool Matches(const Handler& handler, const Review& review) {
  const HandlerOptions& options = handler.options;
  return HasResource(options, review.resource) && Fits(options.subresource, review.subresource) &&
         HasOperation(handler, review.operation) &&
         (!options.namespaced_only || IsNamespaced(review)) &&
         (Matches(options.object, review.object) || Matches(options.object, review.old_object));
}

ResourceIdentity IdentifyResource(const Handlers& handlers, Review& review) {
  if (!review.resource.version.empty()) return ResourceIdentity::kClear;
  const Resource* found = nullptr;
  for (const Handler& handler : handlers.all()) {
    for (const Resource& one : handler.options.resources) {
      if (one.plural != review.resource.plural) continue;
      if (!review.resource.group.empty() && one.group != review.resource.group) continue;
      if (found != nullptr && *found != one) return ResourceIdentity::kAmbiguous;
      found = &one;
    }
  }
  if (found != nullptr) review.resource = {found->group, found->version, found->plural};
  return ResourceIdentity::kClear;
}

}  // namespace kube::admission
