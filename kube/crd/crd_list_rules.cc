#include <algorithm>
#include <set>
#include <string>

#include "kube/crd/crd_schema_validation.h"
#include "kube/go/go_format.h"
#include "kube/meta/make_field_error.h"

namespace kube::crd {
namespace {

using kube::meta::Child;
using kube::meta::FieldError;
using schema::SchemaProps;

constexpr std::string_view kListType = "x-kubernetes-list-type";
constexpr std::string_view kMapKeys = "x-kubernetes-list-map-keys";
constexpr std::string_view kMapType = "x-kubernetes-map-type";

/// A pointer to a string as Go's JSON.
std::string PrintOptional(const std::optional<std::string_view>& text) {
  return text ? meta::PrintJsonText(*text) : "null";
}

const std::vector<std::string_view>& MapKeysOf(const SchemaProps& schema) {
  static const std::vector<std::string_view> kNone;
  return schema.x_list_map_keys ? *schema.x_list_map_keys : kNone;
}

void CheckType(const SchemaProps& schema, const std::string& path, std::string_view expected,
               std::string_view detail, std::vector<FieldError>& errors) {
  if (schema.type == expected) return;
  const std::string type_path = Child(path, "type");
  errors.push_back(schema.type.empty() ? meta::Required(type_path, detail)
                                       : meta::InvalidText(type_path, schema.type, detail));
}

void CheckMapType(const SchemaProps& schema, const std::string& path,
                  std::vector<FieldError>& errors) {
  if (!schema.x_map_type) return;
  CheckType(schema, path, "object", "must be object if x-kubernetes-map-type is specified", errors);
  static const std::vector<std::string> kTypes = {"atomic", "granular"};
  if (std::ranges::find(kTypes, *schema.x_map_type) == kTypes.end()) {
    errors.push_back(
        meta::NotSupported(Child(path, kMapType), go::GoQuote(*schema.x_map_type), kTypes));
  }
}

void CheckSetItems(const SchemaProps& schema, const std::string& path,
                   std::vector<FieldError>& errors) {
  if (!IsSetOfCompounds(schema)) return;
  const SchemaProps& items = *schema.ItemsSchema();
  const std::string_view keyword = items.type == "array" ? kListType : kMapType;
  // The server quotes the list type of the items for both.
  errors.push_back(
      meta::Invalid(Child(Child(path, "items"), keyword), PrintOptional(items.x_list_type),
                    "must be atomic as item of a list with x-kubernetes-list-type=set"));
}

void CheckListType(const SchemaProps& schema, const std::string& path, const CrdRules& rules,
                   std::vector<FieldError>& errors) {
  if (!schema.x_list_type) return;
  CheckType(schema, path, "array", "must be array if x-kubernetes-list-type is specified", errors);
  if (schema.type == "array" && rules.require_atomic_sets) CheckSetItems(schema, path, errors);
  static const std::vector<std::string> kTypes = {"atomic", "set", "map"};
  if (std::ranges::find(kTypes, *schema.x_list_type) == kTypes.end()) {
    errors.push_back(
        meta::NotSupported(Child(path, kListType), go::GoQuote(*schema.x_list_type), kTypes));
  }
}

void CheckKeysHaveMap(const SchemaProps& schema, const std::string& path,
                      std::vector<FieldError>& errors) {
  if (MapKeysOf(schema).empty() || schema.x_list_type == "map") return;
  constexpr std::string_view kDetail = "must be map if x-kubernetes-list-map-keys is non-empty";
  const std::string type_path = Child(path, kListType);
  errors.push_back(schema.x_list_type ? meta::InvalidText(type_path, *schema.x_list_type, kDetail)
                                      : meta::Required(type_path, kDetail));
}

/// items as the Go type JSONSchemaPropsOrArray, of which at most the array is there.
std::string PrintItemsArray(const SchemaProps& schema) {
  // Neither a schema nor a list was written, but true or the like.
  if (schema.items->schemas.is_nil) return R"({"Schema":null,"JSONSchemas":null})";
  std::string printed;
  for (const SchemaProps& item : schema.items->schemas) {
    if (!printed.empty()) printed += ',';
    printed += schema::PrintGo(item);
  }
  return "{\"Schema\":null,\"JSONSchemas\":[" + printed + "]}";
}

void CheckMapKeys(const SchemaProps& schema, const SchemaProps& items, const std::string& path,
                  std::vector<FieldError>& errors) {
  const auto& keys = MapKeysOf(schema);
  const std::string keys_path = Child(path, kMapKeys);
  std::set<std::string_view> seen;
  // The server says these for each key; said twice they count once.
  bool has_unknown = false, has_duplicate = false;
  for (const std::string_view key : keys) {
    const SchemaProps* property = items.FindProperty(key);
    if (!property) {
      has_unknown = true;
    } else if (property->type == "array" || property->type == "object") {
      // The server quotes the type of the items.
      errors.push_back(meta::InvalidText(
          Child(meta::Key(Child(path, "items.properties"), key), "type"), items.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    has_duplicate |= !seen.insert(key).second;
  }
  if (has_unknown) {
    errors.push_back(meta::Invalid(keys_path, meta::PrintStrings(keys),
                                   "entries must all be names of item properties"));
  }
  if (has_duplicate) {
    errors.push_back(
        meta::Invalid(keys_path, meta::PrintStrings(keys), "must not contain duplicate entries"));
  }
}

void CheckMap(const SchemaProps& schema, const std::string& path, std::vector<FieldError>& errors) {
  if (schema.x_list_type != "map") return;
  if (MapKeysOf(schema).empty()) {
    errors.push_back(meta::Required(Child(path, kMapKeys),
                                    "must not be empty if x-kubernetes-list-type is map"));
  }
  const std::string items_path = Child(path, "items");
  const SchemaProps* items = schema.ItemsSchema();
  if (!schema.items) {
    errors.push_back(
        meta::Required(items_path, "must have a schema if x-kubernetes-list-type is map"));
  } else if (!items) {
    errors.push_back(
        meta::Invalid(items_path, PrintItemsArray(schema),
                      "must only have a single schema if x-kubernetes-list-type is map"));
  } else if (items->type != "object") {
    errors.push_back(
        meta::InvalidText(Child(items_path, "type"), items->type,
                          "must be object if parent array's x-kubernetes-list-type is map"));
  } else {
    CheckMapKeys(schema, *items, path, errors);
  }
}

}  // namespace

void ValidateListAndMapTypes(const SchemaProps& schema, std::string_view path,
                             const CrdRules& rules, std::vector<FieldError>& errors) {
  const std::string own_path(path);
  CheckMapType(schema, own_path, errors);
  CheckListType(schema, own_path, rules, errors);
  CheckKeysHaveMap(schema, own_path, errors);
  CheckMap(schema, own_path, errors);
}

bool IsSetOfCompounds(const SchemaProps& schema) {
  const SchemaProps* items = schema.ItemsSchema();
  if (schema.x_list_type != "set" || !items) return false;
  // Without a type of their own lists are atomic, objects are not.
  if (items->type == "array") return items->x_list_type && items->x_list_type != "atomic";
  return items->type == "object" && items->x_map_type != "atomic";
}

std::vector<FieldError> FindMapKeyErrors(const SchemaProps& schema, std::string_view path) {
  const SchemaProps* items = schema.ItemsSchema();
  const bool is_map = schema.x_list_type == "map";
  if (!items || (!is_map && schema.x_list_type != "set")) return {};
  std::vector<FieldError> errors;
  const std::string items_path = Child(path, "items");
  if (items->nullable) {
    errors.push_back(meta::Forbidden(
        Child(items_path, "nullable"),
        "cannot be nullable when x-kubernetes-list-type is " + std::string(*schema.x_list_type)));
  }
  if (!is_map) return errors;
  for (const std::string_view key : MapKeysOf(schema)) {
    const SchemaProps* property = items->FindProperty(key);
    if (!property) continue;
    const std::string key_path = meta::Key(Child(items_path, "properties"), key);
    const bool is_required =
        items->required && std::ranges::find(*items->required, key) != items->required->end();
    if (!is_required && !property->default_value) {
      errors.push_back(
          meta::Required(Child(key_path, "default"),
                         "this property is in x-kubernetes-list-map-keys, so it must have a "
                         "default or be a required property"));
    }
    if (property->nullable) {
      errors.push_back(meta::Forbidden(
          Child(key_path, "nullable"),
          "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
    }
  }
  return errors;
}

}  // namespace kube::crd
