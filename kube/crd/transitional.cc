#include "kube/crd/transitional.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace kube::crd {
namespace {

using json::Arena;
using json::Type;
using json::Value;

// In the order of status.storedVersions.
std::vector<std::string_view> MissingVersions(const Crd& file, const Crd& live) {
  std::vector<std::string_view> missing;
  for (const std::string& stored : live.stored_versions) {
    if (file.FindVersion(stored) == nullptr && live.FindVersion(stored) != nullptr)
      missing.push_back(stored);
  }
  return missing;
}

// The spec of a CRD that could be read is an object with versions.
const Value& FindVersion(const Crd& live, std::string_view name) {
  const auto versions = live.document->root().Find("spec")->Find("versions")->elements();
  return *std::ranges::find_if(
      versions, [name](const Value& version) { return version.FindText("name") == name; });
}

bool MovesStorageVersion(const Crd& file, const Crd& live) {
  const CrdVersion* from = live.StorageVersion();
  const CrdVersion* to = file.StorageVersion();
  return from != nullptr && to != nullptr && from->name != to->name;
}

// From where structural schemas may have them.
void DropDefaults(Value& schema) {
  if (!schema.is_object()) return;
  schema.Erase("default");
  for (const char* key : {"items", "additionalProperties"}) {
    if (Value* inside = schema.Find(key)) DropDefaults(*inside);
  }
  if (Value* properties = schema.Find("properties")) {
    for (json::Member& property : properties->members()) DropDefaults(property.value);
  }
}

void PreserveUnknownFields(Value& spec, Arena& arena) {
  spec.Set("preserveUnknownFields", Value::Bool(true), arena);
  for (Value& version : spec.Find("versions")->elements()) {
    Value* schema = version.Find("schema");
    Value* root = schema == nullptr ? nullptr : schema->Find("openAPIV3Schema");
    if (root != nullptr) DropDefaults(*root);
  }
}

}  // namespace

base::Result<std::optional<Value>, std::string> MakeTransitional(const Crd& file, const Crd& live,
                                                                 Arena& arena) {
  const std::vector<std::string_view> missing = MissingVersions(file, live);
  const bool moves_unpruned = live.preserve_unknown_fields && MovesStorageVersion(file, live);
  if (missing.empty() && !moves_unpruned) return std::optional<Value>();
  if (file.is_v1beta1()) return base::Unexpected(std::string("it is written in v1beta1"));
  if (live.is_v1beta1())
    return base::Unexpected(std::string("the API server does not have apiextensions.k8s.io/v1"));
  Value crd = json::CopyForChange(file.document->root(), arena);
  crd.Erase("status");
  Value& spec = *crd.Find("spec");
  Value* versions = spec.Find("versions");
  if (versions == nullptr || !versions->is_array()) {
    return base::Unexpected(std::string("it has no versions"));
  }
  for (const std::string_view name : missing) {
    Value added = json::CopyForChange(FindVersion(live, name), arena);
    added.Set("storage", Value::Bool(false), arena);
    versions->Append(added, arena);
  }
  if (live.preserve_unknown_fields) PreserveUnknownFields(spec, arena);
  return std::optional<Value>(crd);
}

}  // namespace kube::crd
