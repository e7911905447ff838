#include "tests/support/fake_crd.h"

#include <algorithm>
#include <cctype>

namespace test_support {
namespace {

using kube::json::Arena;
using kube::json::Type;
using kube::json::Value;

/// The object at `key`, made if there is none.
Value& ObjectAt(Value& parent, std::string_view key, Arena& arena) {
  if (Value* found = parent.Find(key); found && found->is_object()) return *found;
  return *parent.Set(key, Value::Object(), arena);
}

void SetMissing(Value& object, std::string_view key, Value value, Arena& arena) {
  if (!object.Find(key)) object.Set(key, value, arena);
}

void Move(Value& from, Value& to, std::string_view key, std::string_view new_key, Arena& arena) {
  if (Value* found = from.Find(key)) {
    SetMissing(to, new_key, *found, arena);
    from.Erase(key);
  }
}

Value Version(std::string_view name, Arena& arena) {
  Value version = Value::Object();
  version.Set("name", Value::String(name), arena);
  version.Set("served", Value::Bool(true), arena);
  version.Set("storage", Value::Bool(true), arena);
  return version;
}

std::string_view StorageVersion(const Value& spec) {
  const Value* versions = spec.Find("versions", Type::kArray);
  for (const Value& version : versions ? versions->elements() : std::span<const Value>()) {
    const Value* storage = version.Find("storage", Type::kBool);
    if (storage && storage->AsBool()) return version.FindText("name");
  }
  return {};
}

void CompleteNames(Value& names, Arena& arena) {
  const std::string_view kind = names.FindText("kind");
  std::string singular(kind);
  std::transform(singular.begin(), singular.end(), singular.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  SetMissing(names, "singular", Value::String(arena.Copy(singular)), arena);
  SetMissing(names, "listKind", Value::String(arena.Copy(std::string(kind) + "List")), arena);
}

void AddCondition(Value& conditions, std::string_view type, std::string_view reason,
                  std::string_view message, Arena& arena) {
  Value condition = Value::Object();
  condition.Set("type", Value::String(type), arena);
  condition.Set("status", Value::String("True"), arena);
  condition.Set("lastTransitionTime", Value::String("2026-01-01T00:00:00Z"), arena);
  condition.Set("reason", Value::String(reason), arena);
  condition.Set("message", Value::String(message), arena);
  conditions.Append(condition, arena);
}

void CompleteStatus(Value& status, const Value& spec, const Value& names, Arena& arena) {
  Value conditions = Value::Array();
  AddCondition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found", arena);
  AddCondition(conditions, "Established", "InitialNamesAccepted",
               "the initial names have been accepted", arena);
  SetMissing(status, "conditions", conditions, arena);
  SetMissing(status, "acceptedNames", kube::json::DeepCopy(names, arena), arena);
  Value stored = Value::Array();
  stored.Append(Value::String(StorageVersion(spec)), arena);
  SetMissing(status, "storedVersions", stored, arena);
}

void RenameColumns(Value& version, std::string_view from, std::string_view to, Arena& arena) {
  Value* columns = version.Find("additionalPrinterColumns");
  for (Value& column : columns ? columns->elements() : std::span<Value>()) {
    Move(column, column, from, to, arena);
  }
}

// apiextensions pkg/apis/apiextensions/v1/conversion.go: what v1beta1 may say for all versions, v1
// says in each.
void SpecToV1(Value& spec, Arena& arena) {
  Value* versions = spec.Find("versions");
  for (Value& version : versions ? versions->elements() : std::span<Value>()) {
    if (const Value* schema = spec.Find("validation"))
      SetMissing(version, "schema", *schema, arena);
    for (const char* key : {"subresources", "additionalPrinterColumns"}) {
      if (const Value* common = spec.Find(key)) {
        SetMissing(version, key, kube::json::DeepCopy(*common, arena), arena);
      }
    }
    RenameColumns(version, "JSONPath", "jsonPath", arena);
  }
  for (const char* key : {"version", "validation", "subresources", "additionalPrinterColumns"}) {
    spec.Erase(key);
  }
  Value& conversion = ObjectAt(spec, "conversion", arena);
  if (!conversion.Find("webhookClientConfig")) return;
  Value webhook = Value::Object();
  Move(conversion, webhook, "webhookClientConfig", "clientConfig", arena);
  Move(conversion, webhook, "conversionReviewVersions", "conversionReviewVersions", arena);
  conversion.Set("webhook", webhook, arena);
}

void SpecToV1beta1(Value& spec, Arena& arena) {
  Value* versions = spec.Find("versions");
  for (Value& version : versions ? versions->elements() : std::span<Value>()) {
    RenameColumns(version, "jsonPath", "JSONPath", arena);
  }
  if (versions && !versions->empty()) {
    const std::string_view first = versions->elements()[0].FindText("name");
    SetMissing(spec, "version", Value::String(first), arena);
  }
  Value& conversion = ObjectAt(spec, "conversion", arena);
  Value* webhook = conversion.Find("webhook", Type::kObject) ? conversion.Find("webhook") : nullptr;
  if (!webhook) return;
  Value taken = *webhook;
  conversion.Erase("webhook");
  Move(taken, conversion, "clientConfig", "webhookClientConfig", arena);
  Move(taken, conversion, "conversionReviewVersions", "conversionReviewVersions", arena);
}

bool IsV1beta1(const Value& crd) { return crd.FindText("apiVersion").ends_with("/v1beta1"); }

}  // namespace

void CompleteCrd(kube::json::Document& crd) {
  Arena& arena = crd.arena();
  Value& spec = ObjectAt(crd.root(), "spec", arena);
  const std::string_view only_version = spec.FindText("version");
  if (!spec.Find("versions") && !only_version.empty()) {
    Value versions = Value::Array();
    versions.Append(Version(only_version, arena), arena);
    spec.Set("versions", versions, arena);
  }
  // In v1 the default is false and not shown.
  if (IsV1beta1(crd.root())) {
    SetMissing(spec, "preserveUnknownFields", Value::Bool(true), arena);
    SetMissing(spec, "scope", Value::String("Namespaced"), arena);
  }
  Value& conversion = ObjectAt(spec, "conversion", arena);
  SetMissing(conversion, "strategy", Value::String("None"), arena);
  CompleteNames(ObjectAt(spec, "names", arena), arena);
  SetMissing(ObjectAt(crd.root(), "metadata", arena), "generation", Value::Number("1"), arena);
  Value& status = ObjectAt(crd.root(), "status", arena);
  // The places of earlier values may have moved.
  const Value& final_spec = *crd.root().Find("spec");
  CompleteStatus(status, final_spec, *final_spec.Find("names"), arena);
}

void ConvertCrd(kube::json::Document& crd, const std::string& version) {
  Arena& arena = crd.arena();
  Value& root = crd.root();
  if (root.FindText("apiVersion").ends_with("/" + version)) return;
  Value& spec = ObjectAt(root, "spec", arena);
  if (version == "v1") {
    SpecToV1(spec, arena);
  } else {
    SpecToV1beta1(spec, arena);
    // Shown in v1beta1, where the default is true.
    SetMissing(spec, "preserveUnknownFields", Value::Bool(false), arena);
  }
  root.Set("apiVersion", Value::String(arena.Copy("apiextensions.k8s.io/" + version)), arena);
}

}  // namespace test_support
