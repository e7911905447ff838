#include "kube/crd/crd.h"

#include <algorithm>

namespace kube::crd {
namespace {

constexpr std::string_view kV1 = "apiextensions.k8s.io/v1";
constexpr std::string_view kV1beta1 = "apiextensions.k8s.io/v1beta1";

}  // namespace

const CrdVersion* Crd::FindVersion(std::string_view version_name) const {
  const auto found = std::ranges::find(versions, version_name, &CrdVersion::name);
  return found != versions.end() ? &*found : nullptr;
}

const CrdVersion* Crd::StorageVersion() const {
  const auto found = std::ranges::find(versions, true, &CrdVersion::storage);
  return found != versions.end() ? &*found : nullptr;
}

const json::Value* Crd::FindCondition(std::string_view type) const {
  for (const json::Value& condition : status_conditions.elements()) {
    if (condition.FindText("type") == type) return &condition;
  }
  return nullptr;
}

bool Crd::IsConditionTrue(std::string_view type) const {
  const json::Value* condition = FindCondition(type);
  return condition != nullptr && condition->FindText("status") == "True";
}

bool IsProtectedGroup(std::string_view group) {
  const auto is_of = [group](std::string_view domain) {
    return group == domain ||
           (group.ends_with(domain) && group[group.size() - domain.size() - 1] == '.');
  };
  return is_of("k8s.io") || is_of("kubernetes.io");
}

bool IsCrd(const json::Value& object) {
  const std::string_view api_version = object.FindText("apiVersion");
  return object.FindText("kind") == "CustomResourceDefinition" &&
         (api_version == kV1 || api_version == kV1beta1);
}

std::string SchemaText(const Crd& crd, std::string_view version) {
  const json::Value& spec = crd.document->root().At("spec");
  const json::Value* schema = &spec.At("validation");
  for (const json::Value& one : spec.At("versions").elements()) {
    const bool has_own = one.FindText("name") == version;
    if (has_own && one.Find("schema") != nullptr) schema = one.Find("schema");
  }
  const json::Value* props = schema->Find("openAPIV3Schema");
  return props == nullptr ? "" : json::Print(*props);
}

}  // namespace kube::crd
