#include "migrate/check/crd_shape.h"

#include <algorithm>
#include <vector>

#include "kube/go/go_format.h"
#include "migrate/cluster/file_name.h"

namespace migrate::check {
namespace {

using kube::go::GoQuote;
using kube::json::Value;

std::string StorageVersionOf(const kube::crd::Crd& crd) {
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  return storage == nullptr ? "" : storage->name;
}

using AddFunction = void (*)(std::string&, const Value&);

void AddMember(std::string& text, const Value& object, std::string_view key, AddFunction add) {
  const Value* member = object.Find(key);
  text.append(key).append(" ");
  if (member != nullptr) add(text, *member);
  text += '\n';
}

void AddAll(std::string& text, const Value& value) { kube::json::PrintTo(text, value); }

void AddKeptFields(std::string& text, const Value& schema);

void AddProperties(std::string& text, const Value& properties) {
  std::vector<const kube::json::Member*> sorted;
  for (const kube::json::Member& property : properties.members()) sorted.push_back(&property);
  std::ranges::sort(sorted, {}, [](const auto* property) { return property->key.text(); });
  for (const kube::json::Member* property : sorted) {
    text.append(GoQuote(property->key.text())).append(": ");
    AddKeptFields(text, property->value);
  }
}

// Of a schema as JSON; of one that is none whatever is there.
void AddKeptFields(std::string& text, const Value& schema) {
  if (!schema.is_object()) return AddAll(text, schema);
  text += '{';
  for (const char* key : {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
                          "nullable", "default"}) {
    AddMember(text, schema, key, AddAll);
  }
  AddMember(text, schema, "items", AddKeptFields);
  AddMember(text, schema, "additionalProperties", AddKeptFields);
  AddMember(text, schema, "properties", AddProperties);
  text += '}';
}

void AddKeptFieldsOfVersion(std::string& text, const Value& schema) {
  AddMember(text, schema, "openAPIV3Schema", AddKeptFields);
}

// All versions' and each version's, as v1beta1 and v1 have them; not what only says how to show
// objects, which others may change at any time.
std::uint64_t HashSchemas(const kube::crd::Crd& crd, AddFunction add) {
  std::string text;
  const Value* spec = crd.document->root().Find("spec");
  if (spec == nullptr) return 0;
  AddMember(text, *spec, "validation", add);
  const Value* versions = spec->Find("versions", kube::json::Type::kArray);
  for (const Value& version : versions ? versions->elements() : std::span<const Value>()) {
    for (const char* key : {"name", "storage"}) AddMember(text, version, key, AddAll);
    AddMember(text, version, "schema", add);
  }
  return cluster::StableHash(text);
}

}  // namespace

CrdShape ShapeOf(const kube::crd::Crd& crd) {
  return {.uid = crd.uid,
          .generation = crd.generation,
          .preserves_unknown_fields = crd.preserve_unknown_fields,
          .storage_version = StorageVersionOf(crd),
          .schemas = HashSchemas(crd, AddAll),
          .kept_fields = HashSchemas(crd, AddKeptFieldsOfVersion)};
}

std::optional<std::string> CheckCrdUnchanged(const CrdShape& expected, const kube::crd::Crd& crd) {
  if (crd.uid != expected.uid) {
    return "the CustomResourceDefinition was deleted and created anew meanwhile";
  }
  // Deletion moves the generation too.
  if (crd.terminating) return "the CustomResourceDefinition is being deleted";
  const CrdShape now = ShapeOf(crd);
  if (now.preserves_unknown_fields != expected.preserves_unknown_fields) {
    return std::string("spec.preserveUnknownFields was turned ") +
           (now.preserves_unknown_fields ? "on" : "off") + " meanwhile";
  }
  if (now.storage_version != expected.storage_version) {
    return "the storage version was changed from " + GoQuote(expected.storage_version) + " to " +
           GoQuote(now.storage_version) + " meanwhile";
  }
  if (now.schemas != expected.schemas) return "the schemas were changed meanwhile";
  if (now.generation != expected.generation) {
    return "the CustomResourceDefinition was changed meanwhile (generation " +
           std::to_string(expected.generation) + " became " + std::to_string(now.generation) + ")";
  }
  return std::nullopt;
}

std::string FindChangeWhileRead(const CrdShape& expected, const Value& now) {
  const Value* metadata = now.Find("metadata");
  if (metadata == nullptr || metadata->FindText("uid") != expected.uid) {
    return "the CustomResourceDefinition was deleted and created anew while its objects were "
           "read";
  }
  if (metadata->Find("deletionTimestamp") != nullptr) {
    return "the CustomResourceDefinition was deleted while its objects were read, and they with it";
  }
  const Value* spec = now.Find("spec");
  const Value* flag = spec == nullptr ? nullptr : spec->Find("preserveUnknownFields");
  const bool preserves = flag != nullptr && flag->is_bool() && flag->AsBool();
  if (!expected.preserves_unknown_fields || preserves) return "";
  return "spec.preserveUnknownFields was turned off while its objects were read: the API server "
         "may have hidden fields that are lost";
}

}  // namespace migrate::check
