#include "migrate/populate/target_namespace.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "kube/meta/label_match.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/object_meta.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/namespace_template.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

// What is no name, by the pattern of the CRD, is left out.
std::vector<std::string> NamesIn(std::vector<std::string> texts) {
  std::erase_if(texts, [](const std::string& text) {
    return !kube::meta::Dns1123SubdomainProblems(text).empty();
  });
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace

kube::base::Result<InitializationConfiguration, std::vector<std::string>>
ReadInitializationConfiguration(const Value& object) {
  const Value& spec = object.At("spec");
  const Value& selector = spec.At("namespaces").At("labelSelector");
  if (!selector.is_object()) {
    return kube::base::Unexpected(
        std::vector<std::string>{"spec.namespaces.labelSelector: Required value"});
  }
  auto read = ReadNamespaceSelector(selector);
  if (!read) return kube::base::Unexpected(kube::meta::SortedStrings(read.error()));
  std::vector<std::string> initializers;
  for (const Value& initializer : spec.At("initializers").elements()) {
    initializers.emplace_back(initializer.FindText("name"));
  }
  return InitializationConfiguration{.name = std::string(cluster::MetadataText(object, "name")),
                                     .selector = *std::move(read),
                                     .initializers = NamesIn(std::move(initializers))};
}

std::vector<std::string> ReadInitializers(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return NamesIn(std::move(names));
}

namespace {

bool IsTrue(const kube::meta::Labels& labels, std::string_view key) {
  const auto label = labels.find(key);
  return label != labels.end() && label->second == "true";
}

}  // namespace

bool TargetNamespace::OptsOutByLabel() const { return IsTrue(labels, kOptOutKey); }

bool TargetNamespace::IsPopulated() const { return IsTrue(labels, kPopulatedLabel); }

bool IsNamespace(const Value& object) {
  const kube::meta::GroupVersionKind type = kube::meta::TypeOf(object);
  return type.group_version == kube::meta::GroupVersion{"", "v1"} && type.kind == "Namespace";
}

kube::base::Result<TargetNamespace, std::vector<std::string>> ReadNamespace(const Value& object) {
  kube::json::Arena arena;
  const auto read = kube::schema::GetObjectMeta(object, /*drop_invalid_fields=*/false, arena);
  if (!read) return kube::base::Unexpected(std::vector<std::string>{read.error()});
  const Value metadata = *read ? (*read)->metadata : Value::Object();
  const auto errors = ClusterMetadataErrors(metadata, kube::meta::Dns1123LabelProblems);
  if (!errors.empty()) return kube::base::Unexpected(kube::meta::SortedStrings(errors));
  return NamespaceOf(metadata);
}

TargetNamespace NamespaceOf(const Value& metadata) {
  const std::string_view name = metadata.FindText("name");
  TargetNamespace made = name.empty() ? TargetNamespace() : NamespaceNamed(std::string(name));
  for (const kube::json::Member& label : metadata.At("labels").members()) {
    if (label.value.is_string()) made.labels.emplace(label.key.text(), label.value.text());
  }
  const Value& annotations = metadata.At("annotations");
  const std::string_view creator = annotations.FindText(kCreatorAnnotation);
  if (!creator.empty()) made.creator = creator;
  made.pending_initializers =
      ReadInitializers(annotations.FindText(kPendingInitializersAnnotation));
  made.has_opt_out_annotation = annotations.FindText(kOptOutKey) == "true";
  return made;
}

TargetNamespace NamespaceNamed(std::string name) {
  TargetNamespace made;
  made.labels.emplace(kMetadataNameLabel, name);
  made.name = std::move(name);
  return made;
}

namespace {

const Value* FindEntry(const Value* object, std::string_view map, std::string_view key) {
  if (object == nullptr) return nullptr;
  const Value* entry = object->At("metadata").At(map).Find(key);
  return entry == nullptr || entry->is_null() ? nullptr : entry;
}

}  // namespace

bool IsOfNamespace(const kube::admission::Review& review) {
  return review.resource.group.empty() && review.resource.plural == "namespaces" &&
         review.kind.group.empty() && review.kind.kind == "Namespace";
}

TargetNamespace ViewNamespace(const Value* object) {
  return object == nullptr ? TargetNamespace() : NamespaceOf(object->At("metadata"));
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
