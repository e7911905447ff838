#include "kube/crd/transitional.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "kube/crd/client_apply.h"
#include "kube/crd/crd_condition.h"
#include "kube/crd/v1_form.h"

namespace kube::crd {
namespace {

using json::Arena;
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

// The server has no conversion webhook beside unknown fields that are preserved.
bool BringsWebhookUnpruned(const Crd& file, const Crd& live) {
  return live.preserve_unknown_fields && live.StorageVersion() != nullptr &&
         file.conversion.strategy == "Webhook" && live.conversion.strategy != "Webhook";
}

// A name out of a list of names.
void DropName(Value& names, std::string_view name) {
  std::size_t kept = 0;
  for (Value& one : names.elements()) {
    if (one.text() != name) names.elements()[kept++] = one;
  }
  names.Truncate(kept);
}

// Who leaves a field to its default must not be refused for it.
void DropRequiredDefaults(Value& schema) {
  Value* required = schema.Find("required");
  Value* properties = schema.Find("properties");
  if (required == nullptr || !required->is_array() || properties == nullptr) return;
  for (const json::Member& property : properties->members()) {
    if (property.value.Find("default") != nullptr) DropName(*required, property.key.text());
  }
  if (required->empty()) schema.Erase("required");
}

// From where structural schemas may have them.
void DropDefaults(Value& schema) {
  if (!schema.is_object()) return;
  DropRequiredDefaults(schema);
  schema.Erase("default");
  for (const char* key : {"items", "additionalProperties"}) {
    if (Value* inside = schema.Find(key)) DropDefaults(*inside);
  }
  if (Value* properties = schema.Find("properties")) {
    for (json::Member& property : properties->members()) DropDefaults(property.value);
  }
}

constexpr char kPreserve[] = "preserveUnknownFields";

// v1beta1 takes a field that goes from the manifest for true, and would turn pruning off again.
bool StaysUnsaid(const Crd& file, const Crd& live) {
  return file.is_v1beta1() && ApplyLeaves(file.document->root(), live.document->root(), kPreserve);
}

void PreserveUnknownFields(const Crd& file, const Crd& live, Value& spec, Arena& arena) {
  if (!StaysUnsaid(file, live)) spec.Set(kPreserve, Value::Bool(true), arena);
  for (Value& version : spec.Find("versions")->elements()) {
    Value* schema = version.Find("schema");
    Value* root = schema == nullptr ? nullptr : schema->Find("openAPIV3Schema");
    if (root != nullptr) DropDefaults(*root);
  }
}

// What takes every object, and is structural.
Value AnySchema(Arena& arena) {
  Value root = Value::Object();
  root.Set("type", Value::String("object"), arena);
  root.Set("x-kubernetes-preserve-unknown-fields", Value::Bool(true), arena);
  Value schema = Value::Object();
  schema.Set("openAPIV3Schema", root, arena);
  return schema;
}

bool IsVersionStructural(const Crd& crd, std::string_view name) {
  const std::vector<VersionProblems> all = FindStructuralProblems(crd);
  const auto found = std::ranges::find(all, name, &VersionProblems::version);
  return crd.FindVersion(name)->schema != nullptr && found != all.end() && found->structural();
}

// v1 takes schemas alone that are structural.
Value InV1(const Crd& file, Arena& arena) {
  Value crd = MakeV1Form(file, /*is_live=*/false, arena);
  for (Value& version : crd.Find("spec")->Find("versions")->elements()) {
    if (!IsVersionStructural(file, version.FindText("name"))) {
      version.Set("schema", AnySchema(arena), arena);
    }
  }
  return crd;
}

// Each object is stored as it was.
void KeepStorageVersion(const Crd& live, Value& versions, Arena& arena) {
  const std::string& name = live.StorageVersion()->name;
  for (Value& version : versions.elements()) {
    version.Set("storage", Value::Bool(version.FindText("name") == name), arena);
  }
}

Value AsAdded(const Crd& live, std::string_view name, Arena& arena) {
  Value added = json::CopyForChange(FindVersion(live, name), arena);
  added.Set("storage", Value::Bool(false), arena);
  if (!IsVersionStructural(live, name)) added.Set("schema", AnySchema(arena), arena);
  return added;
}

// Nothing else makes an object of another version that is stored, and a webhook that only comes
// need not be up yet. What apply would leave of the present one is named, to go or to stay.
void KeepConversion(const Crd& live, Value& spec, Arena& arena) {
  const Value* conversion = live.document->root().Find("spec")->Find("conversion");
  if (live.conversion.strategy == "Webhook" && conversion != nullptr) {
    spec.Set("conversion", json::CopyForChange(*conversion, arena), arena);
  } else if (spec.Find("conversion") != nullptr) {
    Value none = Value::Object();
    none.Set("strategy", Value::String("None"), arena);
    spec.Set("conversion", none, arena);
  }
}

}  // namespace

base::Result<std::optional<Value>, std::string> MakeTransitional(const Crd& file, const Crd& live,
                                                                 Arena& arena) {
  const std::vector<std::string_view> missing = MissingVersions(file, live);
  const bool awaits_webhook = missing.empty() && BringsWebhookUnpruned(file, live);
  const bool moves_unpruned = live.preserve_unknown_fields && MovesStorageVersion(file, live);
  if (missing.empty() && !moves_unpruned && !awaits_webhook) return std::optional<Value>();
  if (live.is_v1beta1())
    return base::Unexpected(std::string("the API server does not have apiextensions.k8s.io/v1"));
  Value crd =
      file.is_v1beta1() ? InV1(file, arena) : json::CopyForChange(file.document->root(), arena);
  crd.Erase("status");
  Value& spec = *crd.Find("spec");
  Value* versions = spec.Find("versions");
  if (versions == nullptr || !versions->is_array()) {
    return base::Unexpected(std::string("it has no versions"));
  }
  for (const std::string_view name : missing) {
    versions->Append(AsAdded(live, name, arena), arena);
  }
  if (awaits_webhook) KeepStorageVersion(live, *versions, arena);
  KeepConversion(live, spec, arena);
  if (live.preserve_unknown_fields) PreserveUnknownFields(file, live, spec, arena);
  return std::optional<Value>(crd);
}

}  // namespace kube::crd
