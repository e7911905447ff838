#include "migrate/populate/webhooks/namespace_view.h"

#include <string>

#include "kube/meta/label_match.h"
#include "migrate/populate/keys.h"

namespace migrate::populate::webhooks {
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

void TakeLabels(const Value& labels, TargetNamespace& view) {
  for (const kube::json::Member& label : labels.members()) {
    if (!label.value.is_string()) continue;
    view.labels.emplace(label.key.text(), label.value.text());
  }
}

}  // namespace

bool IsOfNamespace(const kube::admission::Review& review) {
  return review.resource.group.empty() && review.resource.plural == "namespaces" &&
         review.kind.group.empty() && review.kind.kind == "Namespace";
}

TargetNamespace ViewNamespace(const Value* object) {
  const Value* metadata = FindMetadata(object);
  if (metadata == nullptr) return {};
  const std::string_view name = metadata->FindText("name");
  TargetNamespace view = name.empty() ? TargetNamespace() : NamespaceNamed(std::string(name));
  if (const Value* labels = metadata->Find("labels")) TakeLabels(*labels, view);
  const Value* creator = FindAnnotation(object, kCreatorAnnotation);
  if (creator != nullptr && creator->is_string() && !creator->text().empty()) {
    view.creator = creator->text();
  }
  return view;
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

bool IsSelectedBy(const TargetNamespace& target, const NamespaceTemplate& each) {
  return target.name != kSystemNamespace && !target.OptsOut() &&
         kube::meta::Matches(each.selector, target.labels);
}

}  // namespace migrate::populate::webhooks
