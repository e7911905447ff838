#include "kube/schema/list_type_validation.h"

#include <map>
#include <string>

#include "kube/go/go_value.h"
#include "kube/meta/make_field_error.h"

namespace kube::schema {
namespace {

/// What a set compares: lists and objects by their JSON (where 1.0 is 1), scalars as Go values.
std::string SetIdentity(const json::Value& value) {
  return value.is_array() || value.is_object() ? meta::PrintAsJson(value) : go::GoIdentity(value);
}

/// The keys of an element of a map list; an element that is null has none.
json::Value KeysOf(const json::Value& element, const std::vector<std::string_view>& key_names,
                   json::Arena& arena) {
  json::Value keys = json::Value::Object();
  for (const std::string_view name : key_names) {
    if (const json::Value* key = element.Find(name)) keys.Set(name, *key, arena);
  }
  return keys;
}

class ListTypeValidator {
 public:
  explicit ListTypeValidator(std::string_view path) : path_(path) {}

  void Walk(const json::Value& value, const SchemaProps& schema) {
    if (value.is_array()) WalkArray(value, schema);
    if (value.is_object()) WalkObject(value, schema);
  }

  std::vector<meta::FieldError> TakeErrors() {
    meta::SortByString(errors_);
    return std::move(errors_);
  }

 private:
  void WalkInto(std::string path, const json::Value& value, const SchemaProps& schema) {
    path.swap(path_);
    Walk(value, schema);
    path.swap(path_);
  }

  void WalkObject(const json::Value& object, const SchemaProps& schema) {
    const SchemaProps* additional =
        schema.additional_properties ? schema.additional_properties->schema.get() : nullptr;
    for (const json::Member& member : object.members()) {
      if (additional) WalkInto(meta::Key(path_, member.key.text()), member.value, *additional);
      if (const SchemaProps* property = schema.FindProperty(member.key.text())) {
        WalkInto(meta::Child(path_, member.key.text()), member.value, *property);
      }
    }
  }

  void WalkArray(const json::Value& array, const SchemaProps& schema) {
    if (schema.x_list_type == "set") FindDuplicates(array);
    if (schema.x_list_type == "map") CheckMap(array, schema);
    const SchemaProps* items = schema.ItemsSchema();
    for (std::size_t i = 0; items && i < array.size(); ++i) {
      WalkInto(meta::Index(path_, i), array.elements()[i], *items);
    }
  }

  /// Each value is reported once, where it comes for the second time.
  void FindDuplicates(const json::Value& array) {
    std::map<std::string, int> times;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const json::Value& element = array.elements()[i];
      if (++times[SetIdentity(element)] == 2) {
        errors_.push_back(meta::Duplicate(meta::Index(path_, i), meta::PrintBadValue(element)));
      }
    }
  }

  void CheckMap(const json::Value& array, const SchemaProps& schema) {
    static const std::vector<std::string_view> kNoKeys;
    json::Arena arena;
    json::Value keys = json::Value::Array();
    for (std::size_t i = 0; i < array.size(); ++i) {
      const json::Value& element = array.elements()[i];
      if (!element.is_null() && !element.is_object()) {
        errors_.push_back(meta::Invalid(meta::Index(path_, i), meta::PrintBadValue(element),
                                        "must be an object for an array of list-type map"));
        return;
      }
      const auto& key_names = schema.x_list_map_keys ? *schema.x_list_map_keys : kNoKeys;
      keys.Append(KeysOf(element, key_names, arena), arena);
    }
    if (schema.x_list_map_keys && schema.x_list_map_keys->size() == 1) {
      return FindDuplicateKeys(keys);
    }
    FindDuplicates(keys);
  }

  /// Of a single key the values are compared as a set's are: 1 and 1.0 differ.
  void FindDuplicateKeys(const json::Value& keys) {
    std::map<std::string, int> times;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const json::Value& key = keys.elements()[i];
      const std::string identity = key.empty() ? "" : SetIdentity(key.members()[0].value);
      if (++times[identity] == 2)
        errors_.push_back(meta::Duplicate(meta::Index(path_, i), meta::PrintAsJson(key)));
    }
  }

  std::string path_;
  std::vector<meta::FieldError> errors_;
};

}  // namespace

std::vector<meta::FieldError> ValidateListTypes(const json::Value& object,
                                                const SchemaProps& schema, std::string_view path) {
  if (!object.is_object()) return {};
  ListTypeValidator validator(path);
  validator.Walk(object, schema);
  return validator.TakeErrors();
}

}  // namespace kube::schema
