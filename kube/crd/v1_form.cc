#include "kube/crd/v1_form.h"

#include <string_view>

namespace kube::crd {
namespace {

using json::Arena;
using json::Value;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// Copies the members of these names that are there.
void CopyMembers(const Value& from, Value& to, std::initializer_list<std::string_view> names,
                 Arena& arena) {
  for (const std::string_view name : names) {
    const Value* value = from.Find(name);
    if (value != nullptr && !value->is_null()) {
      to.Set(name, json::CopyForChange(*value, arena), arena);
    }
  }
}

Value Metadata(const Value& crd, Arena& arena) {
  Value metadata = Value::Object();
  CopyMembers(crd.At("metadata"), metadata, {"annotations", "labels", "name"}, arena);
  Value* annotations = metadata.Find("annotations");
  if (annotations == nullptr) return metadata;
  annotations->Erase(kLastApplied);
  if (annotations->empty()) metadata.Erase("annotations");
  return metadata;
}

Value Columns(const Value& columns, Arena& arena) {
  Value copy = json::CopyForChange(columns, arena);
  for (Value& column : copy.elements()) {
    const Value* path = column.Find("JSONPath");
    if (path == nullptr) continue;
    const Value moved = *path;
    column.Erase("JSONPath");
    column.Set("jsonPath", moved, arena);
  }
  return copy;
}

// `from` is spec or one of its versions. What the version says itself goes first.
void TakeSettings(const Value& from, std::string_view schema, Value& version, Arena& arena) {
  const auto take = [&](std::string_view name, std::string_view as) {
    const Value* value = from.Find(name);
    if (value == nullptr || value->is_null() || version.Find(as) != nullptr) return;
    version.Set(as,
                name == "additionalPrinterColumns" ? Columns(*value, arena)
                                                   : json::CopyForChange(*value, arena),
                arena);
  };
  take(schema, "schema");
  take("subresources", "subresources");
  take("additionalPrinterColumns", "additionalPrinterColumns");
  take("selectableFields", "selectableFields");
}

Value Version(const CrdVersion& version, const Value* own, const Value& spec, Arena& arena) {
  Value result = Value::Object();
  result.Set("name", Value::String(arena.Copy(version.name)), arena);
  result.Set("served", Value::Bool(version.served), arena);
  result.Set("storage", Value::Bool(version.storage), arena);
  if (own != nullptr) {
    CopyMembers(*own, result, {"deprecated", "deprecationWarning"}, arena);
    TakeSettings(*own, "schema", result, arena);
  }
  TakeSettings(spec, "validation", result, arena);
  return result;
}

Value Versions(const Crd& crd, const Value& spec, Arena& arena) {
  const Value* own = spec.Find("versions");
  Value versions = Value::Array();
  for (std::size_t i = 0; i < crd.versions.size(); ++i) {
    const bool is_written = own != nullptr && i < own->size();
    versions.Append(
        Version(crd.versions[i], is_written ? &own->elements()[i] : nullptr, spec, arena), arena);
  }
  return versions;
}

Value Conversion(const Value& from, const CrdConversion& read, Arena& arena) {
  Value conversion = Value::Object();
  CopyMembers(from, conversion, {"strategy"}, arena);
  if (read.strategy != "Webhook") return conversion;
  Value webhook = Value::Object();
  if (const Value* config = from.Find("webhookClientConfig")) {
    webhook.Set("clientConfig", json::CopyForChange(*config, arena), arena);
  }
  Value versions = Value::Array();
  if (read.review_versions) {
    for (const std::string& version : *read.review_versions) {
      versions.Append(Value::String(arena.Copy(version)), arena);
    }
  }
  webhook.Set("conversionReviewVersions", versions, arena);
  conversion.Set("webhook", webhook, arena);
  return conversion;
}

Value SpecOfV1beta1(const Crd& crd, const Value& from, Arena& arena) {
  Value spec = Value::Object();
  CopyMembers(from, spec, {"group", "names", "scope"}, arena);
  spec.Set("scope", Value::String(arena.Copy(crd.scope)), arena);
  if (const Value* conversion = from.Find("conversion"); conversion && conversion->is_object()) {
    spec.Set("conversion", Conversion(*conversion, crd.conversion, arena), arena);
  }
  spec.Set("versions", Versions(crd, from, arena), arena);
  return spec;
}

}  // namespace

Value MakeV1Form(const Crd& crd, bool is_live, Arena& arena) {
  const Value& root = crd.document->root();
  Value result = Value::Object();
  result.Set("apiVersion", Value::String("apiextensions.k8s.io/v1"), arena);
  result.Set("kind", Value::String("CustomResourceDefinition"), arena);
  result.Set("metadata", Metadata(root, arena), arena);
  const Value* from = root.Find("spec");
  if (from == nullptr || !from->is_object()) return result;
  Value spec =
      crd.is_v1beta1() ? SpecOfV1beta1(crd, *from, arena) : json::CopyForChange(*from, arena);
  spec.Erase("preserveUnknownFields");
  const bool is_written_false = from->Find("preserveUnknownFields", json::Type::kBool) != nullptr &&
                                !crd.preserve_unknown_fields;
  if (is_written_false) spec.Set("preserveUnknownFields", Value::Bool(false), arena);
  if (is_live && crd.preserve_unknown_fields) {
    spec.Set("preserveUnknownFields", Value::Bool(true), arena);
  }
  result.Set("spec", spec, arena);
  return result;
}

}  // namespace kube::crd
