#include "kube/suggest/observed_schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace kube::suggest {
namespace {

using json::Value;

struct TypeRow {
  ObservedType type;
  std::string_view name;
};
constexpr std::array<TypeRow, 6> kTypes{{{kArray, "array"},
                                         {kBoolean, "boolean"},
                                         {kInteger, "integer"},
                                         {kNumber, "number"},
                                         {kObject, "object"},
                                         {kString, "string"}}};

// As fields of Go structs are called in JSON.
bool IsFieldName(std::string_view name) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

// What are maps in the API of Kubernetes, and in CRDs as a rule.
bool IsNameOfMap(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames{
      "annotations", "binaryData", "capacity",    "commonAnnotations", "commonLabels", "data",
      "labels",      "limits",     "matchLabels", "nodeSelector",      "parameters",   "requests",
      "stringData",  "tags"};
  return std::ranges::count(kNames, name) > 0;
}

// As keys of labels and names of files: no field of a struct is called so.
bool IsNoFieldName(std::string_view name) {
  return name.find_first_of("./") != std::string_view::npos;
}

template <typename Visit>
void ForEachValue(const ObservedShape& seen, const Visit& visit) {
  for (const auto& [name, shape] : seen.fields) visit(*shape);
  if (seen.other_values != nullptr) visit(*seen.other_values);
}

/// The keys of a place, taken together.
struct Keys {
  std::size_t count = 0;
  std::uint64_t uses = 0;  ///< in all values
  unsigned types = 0;      ///< of their values
  bool are_field_names = true, is_no_field_name = false;
};

Keys KeysOf(const ObservedShape& seen, const Value* properties) {
  Keys keys;
  if (seen.other_values != nullptr) keys.types = seen.other_values->types;
  for (const auto& [name, shape] : seen.fields) {
    if (properties != nullptr && properties->Find(name) != nullptr) continue;
    ++keys.count;
    keys.uses += shape->values;
    keys.types |= shape->types;
    keys.are_field_names &= IsFieldName(name);
    keys.is_no_field_name |= IsNoFieldName(name);
  }
  return keys;
}

bool HaveOneType(unsigned types) {
  ObservedShape all;
  all.types = types;
  return OnlyTypeOf(all).has_value();
}

// Records of many forms have few fields in common.
bool AreOfOneForm(const ObservedShape& records) {
  const Keys keys = KeysOf(records, nullptr);
  return keys.uses * 3 >= keys.count * records.values;
}

// What the walk has counted of several keys of one object is more than there is.
void ForgetObjects(ObservedShape& shape) {
  shape.objects = 0;
  for (auto& [name, below] : shape.fields) ForgetObjects(*below);
  if (shape.elements != nullptr) ForgetObjects(*shape.elements);
  if (shape.other_values != nullptr) ForgetObjects(*shape.other_values);
}

}  // namespace

std::optional<std::string_view> OnlyTypeOf(const ObservedShape& seen) {
  const unsigned types = seen.types & ~static_cast<unsigned>(kNull);
  for (const TypeRow& row : kTypes) {
    if (types == row.type) return row.name;
  }
  if (types == (kInteger | kNumber)) return "number";
  if (types == (kInteger | kString)) return kIntOrString;
  return std::nullopt;
}

bool AreAllOf(const ObservedShape& seen, std::string_view type) {
  unsigned allowed = kNull;
  for (const TypeRow& row : kTypes) {
    if (row.name == type) allowed |= row.type;
  }
  if (type == "number") allowed |= kInteger;
  return (seen.types & ~allowed) == 0;
}

bool IsMap(std::string_view name, const ObservedShape& seen, const Value* properties) {
  constexpr std::size_t kManyKeys = 24;  // more alike in one place than fields of a struct are
  constexpr std::size_t kSomeKeys = 6;
  constexpr std::uint64_t kSomeValues = 3;
  const Keys keys = KeysOf(seen, properties);
  if (keys.count == 0 || !HaveOneType(keys.types)) return false;
  if (seen.other_values != nullptr || keys.is_no_field_name || IsNameOfMap(name)) return true;
  // Of fields of a record some are numbers, and others texts.
  if ((keys.types & (kInteger | kString)) == (kInteger | kString)) return false;
  // Nine of ten: what is chosen freely differs.
  const bool are_in_all =
      seen.values >= kSomeValues && keys.uses * 10 >= keys.count * seen.values * 9;
  if (are_in_all) return false;
  if (!keys.are_field_names || keys.count >= kManyKeys) return true;
  // Of so many keys only few are in each object.
  return keys.count >= kSomeKeys && keys.uses * 3 <= keys.count * seen.values;
}

std::unique_ptr<ObservedShape> ValuesOf(const ObservedShape& seen) {
  std::unique_ptr<ObservedShape> values;
  ForEachValue(seen, [&](const ObservedShape& shape) {
    if (values == nullptr) values = std::make_unique<ObservedShape>();
    MergeShape(*values, shape);
  });
  const bool is_one_key = seen.fields.size() == 1 && seen.other_values == nullptr;
  if (values != nullptr && !is_one_key) ForgetObjects(*values);
  return values;
}

std::string TypesText(const ObservedShape& seen) {
  std::string text;
  const auto add = [&text](std::string_view name) {
    text.append(text.empty() ? "" : ", ").append(name);
  };
  for (const TypeRow& row : kTypes) {
    if ((seen.types & row.type) != 0) add(row.name);
  }
  if ((seen.types & kNull) != 0) add("null");
  return text;
}

Value SchemaMaker::Make(std::string_view name, const ObservedShape& seen,
                        const SchemaPlace& place) {
  const std::optional<std::string_view> type = OnlyTypeOf(seen);
  if (!type) {
    const bool is_null = seen.types == kNull;
    return MakeAny(seen, place, is_null ? "no other value was seen" : "several types");
  }
  Value schema = MakeTyped(name, *type, seen, place);
  if ((seen.types & kNull) != 0) editor_.SetTrue(schema, "nullable");
  return schema;
}

Value SchemaMaker::MakeAny(const ObservedShape& seen, const SchemaPlace& place,
                           std::string_view why) {
  Value schema = Value::Object();
  if (AreAllOf(seen, "object") && seen.types != kNull) editor_.SetText(schema, "type", "object");
  editor_.SetTrue(schema, kPreserveUnknown);
  if ((seen.types & kNull) != 0) editor_.SetTrue(schema, "nullable");
  std::string text = TypesText(seen);
  if (!why.empty()) text.append(", ").append(why);
  text += ": all of it is kept";
  editor_.Added(place, std::move(text), seen.objects);
  return schema;
}

Value SchemaMaker::MakeTyped(std::string_view name, std::string_view type,
                             const ObservedShape& seen, const SchemaPlace& place) {
  if (type == "object") return MakeObject(name, seen, place);
  if (type == "array") return MakeArray(name, seen, place);
  Value schema = Value::Object();
  editor_.Added(place, TypesText(seen), seen.objects);
  if (type == kIntOrString) {
    editor_.SetTrue(schema, kIntOrString);
  } else {
    editor_.SetText(schema, "type", type);
  }
  return schema;
}

Value SchemaMaker::MakeObject(std::string_view name, const ObservedShape& seen,
                              const SchemaPlace& place) {
  if (seen.is_cut) return MakeAny(seen, place, "more than is told apart");
  if (seen.fields.empty()) return MakeAny(seen, place, "always empty");
  if (seen.are_resources && !seen.are_embeddable) {
    return MakeAny(seen, place, "like resources, but not all with valid metadata");
  }
  Value schema = Value::Object();
  editor_.SetText(schema, "type", "object");
  if (seen.are_resources) {
    editor_.Added(place, "whole resources", seen.objects);
    editor_.SetTrue(schema, kEmbedded);
    editor_.SetTrue(schema, kPreserveUnknown);
    return schema;
  }
  const bool is_map = IsMap(name, seen);
  if (prefer_ == Prefer::kPreserve && !is_map) return MakeAny(seen, place, "");
  if (!is_map && (seen.other_values != nullptr || seen.fields.size() > kMostAddedProperties)) {
    return MakeAny(seen, place, "too many keys");
  }
  if (is_map) {
    editor_.Added(place,
                  "map with " + std::to_string(seen.fields.size()) +
                      (seen.other_values == nullptr ? "" : " and more") +
                      (seen.fields.size() == 1 ? " key" : " keys"),
                  seen.objects);
    editor_.Set(schema, "additionalProperties", MakeValues(*ValuesOf(seen), place.Values()));
    return schema;
  }
  editor_.Added(place, TypesText(seen), seen.objects);
  Value properties = Value::Object();
  for (const auto& [field, shape] : seen.fields) {
    const Value property = Make(field, *shape, place.Property(field));
    editor_.Set(properties, editor_.arena().Copy(field), property);
  }
  editor_.Set(schema, "properties", properties);
  return schema;
}

Value SchemaMaker::MakeValues(const ObservedShape& values, const SchemaPlace& place) {
  const bool are_records = OnlyTypeOf(values) == "object" && !values.fields.empty() &&
                           !values.are_resources && !IsMap("", values);
  if (are_records && !AreOfOneForm(values)) return MakeAny(values, place, "of many forms");
  return Make("", values, place);
}

Value SchemaMaker::MakeArray(std::string_view name, const ObservedShape& seen,
                             const SchemaPlace& place) {
  Value schema = Value::Object();
  editor_.SetText(schema, "type", "array");
  editor_.Added(place, TypesText(seen), seen.objects);
  Value items = Value::Object();
  if (seen.elements == nullptr) {
    editor_.SetTrue(items, kPreserveUnknown);
  } else {
    items = Make(name, *seen.elements, place.Elements());
  }
  editor_.Set(schema, "items", items);
  return schema;
}

}  // namespace kube::suggest
