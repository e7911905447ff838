#include "migrate/populate/target_namespace.h"

#include <string_view>
#include <utility>

#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/object_meta.h"
#include "migrate/populate/initializers.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/namespace_template.h"

namespace migrate::populate {
namespace {

using kube::json::Value;

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
  if (const Value* labels = metadata.Find("labels")) {
    for (const kube::json::Member& label : labels->members()) {
      if (label.value.is_string()) made.labels.emplace(label.key.text(), label.value.text());
    }
  }
  const Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr) return made;
  const std::string_view creator = annotations->FindText(kCreatorAnnotation);
  if (!creator.empty()) made.creator = creator;
  made.pending_initializers =
      ReadInitializers(annotations->FindText(kPendingInitializersAnnotation));
  made.has_opt_out_annotation = annotations->FindText(kOptOutKey) == "true";
  return made;
}

TargetNamespace NamespaceNamed(std::string name) {
  TargetNamespace made;
  made.labels.emplace(kMetadataNameLabel, name);
  made.name = std::move(name);
  return made;
}

}  // namespace migrate::populate
