#include "migrate/populate/namespace_view.h"

#include <string>

#include "kube/meta/label_match.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

const Value* FindMetadata(const Value* object) {
  return object == nullptr ? nullptr : object->Find("metadata");
}

const Value* FindEntry(const Value* object, std::string_view map, std::string_view key) {
  const Value* metadata = FindMetadata(object);
  const Value* entries = metadata == nullptr ? nullptr : metadata->Find(map);
  const Value* entry = entries == nullptr ? nullptr : entries->Find(key);
  return entry == nullptr || entry->is_null() ? nullptr : entry;
}

}  // namespace

bool IsOfNamespace(const kube::admission::Review& review) {
  return review.resource.group.empty() && review.resource.plural == "namespaces" &&
         review.kind.group.empty() && review.kind.kind == "Namespace";
}

TargetNamespace ViewNamespace(const Value* object) {
  const Value* metadata = FindMetadata(object);
  return metadata == nullptr ? TargetNamespace() : NamespaceOf(*metadata);
}

const Value* FindLabel(const Value* object, std::string_view key) {
  return FindEntry(object, "labels", key);
}

const Value* FindAnnotation(const Value* object, std::string_view key) {
  return FindEntry(object, "annotations", key);
}

bool IsSame(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return kube::json::Equal(*a, *b);
}

bool IsSelectedBy(const TargetNamespace& target, const kube::meta::LabelSelector& selector) {
  return target.name != kSystemNamespace && !target.OptsOut() &&
         kube::meta::Matches(selector, target.labels);
}

}  // namespace migrate::populate
