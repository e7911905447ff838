#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/suggest/observed_schema.h"
#include "kube/suggest/schema_fixes.h"

namespace kube::suggest {
namespace {

using json::Value;

std::string_view TypeName(const Value& value) {
  switch (value.type()) {
    case json::Type::kBool:
      return "boolean";
    case json::Type::kString:
      return "string";
    case json::Type::kArray:
      return "array";
    case json::Type::kObject:
      return "object";
    case json::Type::kNumber:
      return "number";
    case json::Type::kNull:
      break;
  }
  return "";
}

// Of all values of an enum, where they have one.
std::string_view TypeOfEnum(const Value& node) {
  const std::span<const Value> values = node.At("enum").elements();
  if (values.empty()) return "";
  const std::string_view type = TypeName(values[0]);
  const bool are_alike =
      std::ranges::all_of(values, [type](const Value& value) { return TypeName(value) == type; });
  return are_alike ? type : "";
}

// Keywords that say nothing of values of other types do not tell what the others may be: a
// schema with a pattern takes numbers, too. Who wrote it had one type in mind, though.
std::string_view TypeOfKeywords(const Value& node) {
  struct Row {
    std::string_view keyword, type;
  };
  constexpr std::array<Row, 15> kRows{{{"properties", "object"},
                                       {"additionalProperties", "object"},
                                       {"required", "object"},
                                       {"minProperties", "object"},
                                       {"maxProperties", "object"},
                                       {"items", "array"},
                                       {"minItems", "array"},
                                       {"maxItems", "array"},
                                       {"pattern", "string"},
                                       {"minLength", "string"},
                                       {"maxLength", "string"},
                                       {"minimum", "number"},
                                       {"maximum", "number"},
                                       {"multipleOf", "number"},
                                       {"x-kubernetes-list-type", "array"}}};
  for (const Row& row : kRows) {
    if (node.Find(row.keyword) != nullptr) return row.type;
  }
  return TypeOfEnum(node);
}

class NodeFixing {
 public:
  NodeFixing(Value& node, const ObservedShape* seen, const SchemaPlace& place, SchemaEditor& editor)
      : node_(node),
        seen_(seen),
        place_(place),
        editor_(editor),
        may_lack_type_(IsTrue(node, kPreserveUnknown) || IsTrue(node, kIntOrString)) {}

  void Fix(NodeLevel level) {
    ReplaceUnknownType();
    FixAdditionalProperties(level);
    FixIntOrString();
    if (IsTrue(node_, kEmbedded)) FixEmbedded();
    if (level == NodeLevel::kRoot) FixRoot();
    FixType();
    FixItems();
    if (level == NodeLevel::kRoot || IsTrue(node_, kEmbedded)) FixTypeMeta();
  }

 private:
  void Preserve(std::string why) {
    editor_.SetTrue(node_, kPreserveUnknown);
    editor_.Fixed(place_, std::move(why));
  }

  // A value that was null stays what it was where the node took any before.
  void KeepNulls() {
    const bool is_null = seen_ != nullptr && (seen_->types & kNull) != 0;
    if (!is_null || IsTrue(node_, "nullable")) return;
    editor_.SetTrue(node_, "nullable");
    editor_.Fixed(place_, "nullable: true, as objects hold null");
  }

  // Beside properties it may not stand.
  void FixAdditionalProperties(NodeLevel level) {
    const Value* additional = node_.Find("additionalProperties");
    if (additional == nullptr) return;
    const bool is_true = additional->is_true();
    const bool keeps = additional->is_object() || is_true;
    const bool has_properties = !node_.At("properties").empty() && !is_true;
    if (!has_properties && level != NodeLevel::kRoot && !IsTrue(node_, kEmbedded)) return;
    node_.Erase("additionalProperties");
    if (!keeps) return editor_.Fixed(place_, "additionalProperties: false removed");
    Preserve(std::string(kPreserveUnknown) + ": true in the place of additionalProperties" +
             (is_true ? "" : ": values are no longer held against a schema"));
  }

  void FixIntOrString() {
    if (!IsTrue(node_, kIntOrString)) return;
    if (IsTrue(node_, kPreserveUnknown)) {
      node_.Erase(kPreserveUnknown);
      editor_.Fixed(place_,
                    std::string(kPreserveUnknown) + " removed: an integer or string has no fields");
    }
    const std::string type(node_.FindText("type"));
    if (type.empty()) return;
    if (type == "integer" || type == "string") {
      node_.Erase("type");
      editor_.Fixed(place_, "type: " + type + " removed beside " + std::string(kIntOrString));
    }
  }

  void FixEmbedded() {
    if (!IsTrue(node_, kPreserveUnknown) && node_.At("properties").empty()) {
      Preserve(std::string(kPreserveUnknown) +
               ": true, as an embedded resource has no properties here");
    }
    SetType("object");
  }

  void FixRoot() {
    const bool is_nullable = IsTrue(node_, "nullable");
    if (node_.Erase("nullable") && is_nullable)
      editor_.Fixed(place_, "nullable removed: no object is null");
    if (!may_lack_type_ || !node_.FindText("type").empty()) SetType("object");
  }

  void SetType(std::string_view type) {
    if (node_.FindText("type") == type) return;
    editor_.SetText(node_, "type", type);
    editor_.Fixed(place_, "type: " + std::string(type));
  }

  // Types that JSON schema does not have; the server takes no value for one of these.
  void ReplaceUnknownType() {
    struct Alias {
      std::string_view word, type;
    };
    constexpr std::array<Alias, 14> kAliases{{{"bool", "boolean"},
                                              {"date", "string"},
                                              {"datetime", "string"},
                                              {"dict", "object"},
                                              {"double", "number"},
                                              {"float", "number"},
                                              {"int", "integer"},
                                              {"int32", "integer"},
                                              {"int64", "integer"},
                                              {"list", "array"},
                                              {"map", "object"},
                                              {"str", "string"},
                                              {"time", "string"},
                                              {"timestamp", "string"}}};
    constexpr std::array<std::string_view, 6> kKnown{"array",  "boolean", "integer",
                                                     "number", "object",  "string"};
    const std::string type(node_.FindText("type"));
    if (type.empty() || std::ranges::count(kKnown, type) > 0) return;
    node_.Erase("type");
    const auto alias = std::ranges::find(kAliases, type, &Alias::word);
    if (alias != kAliases.end() && FitsSeen(alias->type)) {
      editor_.SetText(node_, "type", alias->type);
      editor_.Fixed(place_, "type: " + std::string(alias->type) + " in the place of " + type);
    } else {
      editor_.Fixed(place_, "type: " + type + " removed, which is none");
    }
  }

  void FixType() {
    if (!node_.FindText("type").empty() || IsTrue(node_, kIntOrString) ||
        IsTrue(node_, kPreserveUnknown))
      return;
    KeepNulls();
    if (const std::string_view type = TypeOfKeywords(node_); !type.empty() && FitsSeen(type)) {
      return SetType(type);
    }
    const std::optional<std::string_view> type =
        seen_ == nullptr ? std::nullopt : OnlyTypeOf(*seen_);
    if (!type)
      return Preserve(std::string(kPreserveUnknown) + ": true, as any value is taken here");
    if (*type != kIntOrString) return SetType(*type);
    editor_.SetTrue(node_, kIntOrString);
    editor_.Fixed(place_, std::string(kIntOrString) + ": true");
  }

  // Of another type are values that the keyword says nothing of, which were valid.
  bool FitsSeen(std::string_view type) const { return seen_ == nullptr || AreAllOf(*seen_, type); }

  void FixItems() {
    if (node_.FindText("type") != "array" || SchemaAt(node_, "items") != nullptr) return;
    if (node_.At("items").is_array()) return;
    Value items = Value::Object();
    const bool is_seen = seen_ != nullptr && seen_->elements != nullptr;
    if (!is_seen) editor_.SetTrue(items, kPreserveUnknown);
    editor_.Set(node_, "items", items);
    editor_.Fixed(place_, "items specified");
  }

  void FixTypeMeta() {
    FixProperty("apiVersion", "string");
    FixProperty("kind", "string");
    FixProperty("metadata", "object");
    Value* properties = SchemaAt(node_, "properties");
    Value* metadata = properties == nullptr ? nullptr : SchemaAt(*properties, "metadata");
    if (metadata != nullptr && !IsTrue(node_, kEmbedded)) FixMetadata(*metadata);
  }

  void FixProperty(std::string_view name, std::string_view type) {
    Value* properties = SchemaAt(node_, "properties");
    Value* property = properties == nullptr ? nullptr : SchemaAt(*properties, name);
    if (property == nullptr || property->FindText("type") == type) return;
    editor_.SetText(*property, "type", type);
    editor_.Fixed(place_.Property(name), "type: " + std::string(type));
  }

  // Only its name and generateName may be restricted.
  void FixMetadata(Value& metadata) {
    Value fixed = Value::Object();
    editor_.SetText(fixed, "type", "object");
    Value kept = Value::Object();
    for (const std::string_view name : {"generateName", "name"}) {
      const Value* property = metadata.At("properties").Find(name);
      if (property != nullptr) editor_.Set(kept, name, *property);
    }
    if (!kept.empty()) editor_.Set(fixed, "properties", kept);
    if (json::Equal(WithoutEmpty(metadata), fixed)) return;
    metadata = fixed;
    editor_.Fixed(place_.Property("metadata"),
                  "only name and generateName can be restricted: the rest is removed");
  }

  // What says nothing, so that the server finds no fault with it.
  Value WithoutEmpty(const Value& metadata) {
    Value kept = Value::Object();
    for (const json::Member& member : metadata.members()) {
      const Value& value = member.value;
      const bool is_empty =
          value.is_null() || (value.is_bool() && !value.AsBool()) ||
          (value.is_string() && value.text().empty()) ||
          (value.is_object() && value.empty() && member.key.text() == "properties");
      if (!is_empty) editor_.Set(kept, member.key.text(), value);
    }
    return kept;
  }

  Value& node_;
  const ObservedShape* seen_;
  const SchemaPlace& place_;
  SchemaEditor& editor_;
  const bool may_lack_type_;  // as it was written
};

}  // namespace

void FixNode(Value& node, const ObservedShape* seen, NodeLevel level, const SchemaPlace& place,
             SchemaEditor& editor) {
  NodeFixing(node, seen, place, editor).Fix(level);
}

namespace {

bool IsResource(const Value& node, NodeLevel level) {
  return level == NodeLevel::kRoot || IsTrue(node, kEmbedded);
}

// What the server keeps of a resource, whatever its schema.
bool IsTypeMeta(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames{"apiVersion", "kind", "metadata"};
  return std::ranges::count(kNames, name) > 0;
}

class Completion {
 public:
  Completion(Prefer prefer, SchemaEditor& editor) : prefer_(prefer), editor_(editor) {}

  /// `is_kept`: the node is an element of a list whose unknown fields are kept.
  void Complete(Value& node, std::string_view name, const ObservedShape* seen, NodeLevel level,
                const SchemaPlace& place, bool is_kept = false) {
    FixNode(node, seen, level, place, editor_);
    is_kept |= IsTrue(node, kPreserveUnknown);
    CompleteChildren(node, name, seen, level, place, is_kept);
    if (seen == nullptr) return;
    LeaveOtherTypes(node, *seen, place);
    LeaveListType(node, *seen, place);
    if ((seen->types & kObject) != 0) AddFields(node, name, *seen, level, place, is_kept);
  }

 private:
  void CompleteChildren(Value& node, std::string_view name, const ObservedShape* seen,
                        NodeLevel level, const SchemaPlace& place, bool is_kept) {
    if (Value* properties = SchemaAt(node, "properties")) {
      for (json::Member& member : properties->members()) {
        if (!member.value.is_object()) continue;
        const std::string_view key = member.key.text();
        // Of metadata itself the server knows all.
        const bool is_metadata = IsResource(node, level) && key == "metadata";
        const ObservedShape* below = seen == nullptr || is_metadata ? nullptr : seen->Field(key);
        Complete(member.value, key, below, NodeLevel::kField, place.Property(key));
      }
    }
    if (Value* items = SchemaAt(node, "items")) {
      Complete(*items, name, seen == nullptr ? nullptr : seen->elements.get(), NodeLevel::kElement,
               place.Elements(), is_kept);
    }
    if (Value* values = SchemaAt(node, "additionalProperties")) {
      const auto below = seen == nullptr ? nullptr : ValuesOf(*seen);
      Complete(*values, "", below.get(), NodeLevel::kField, place.Values());
    }
  }

  // Pruning takes what is inside of such values, and no schema that is valid for them can be
  // guessed.
  void LeaveOtherTypes(const Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const unsigned collections = seen.types & (kArray | kObject);
    if (IsTrue(node, kIntOrString) && collections != 0) {
      return editor_.Left(place,
                          "the schema says integer or string, and objects hold " + TypesText(seen));
    }
    const std::string_view type = node.FindText("type");
    if (type.empty() || collections == 0 || AreAllOf(seen, type)) return;
    if ((type == "object" && collections == kObject) || (type == "array" && collections == kArray))
      return;
    editor_.Left(place,
                 "the schema says " + std::string(type) + ", and objects hold " + TypesText(seen));
  }

  // What tells elements apart is asked for by who made the list one of its kind.
  void LeaveListType(const Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const std::string_view list_type = node.FindText("x-kubernetes-list-type");
    if (seen.elements == nullptr || (list_type != "set" && list_type != "map")) return;
    const unsigned odd =
        seen.elements->types &
        (list_type == "set" ? kArray | kObject | kNull : ~static_cast<unsigned>(kObject));
    const bool is_specified = list_type == "map" ? HasMapKeys(node) : IsAtomic(node.Find("items"));
    if (odd == 0 ? is_specified : (odd & kNull) == 0 && is_specified) return;
    editor_.Left(place, "the elements of a list of type " + std::string(list_type) +
                            " have to be told apart, and objects hold " +
                            TypesText(*seen.elements) + " in it");
  }

  static bool IsAtomic(const Value* items) {
    return items == nullptr || items->FindText("x-kubernetes-map-type") == "atomic" ||
           items->FindText("x-kubernetes-list-type") == "atomic" ||
           (items->FindText("type") != "object" && items->FindText("type") != "array");
  }

  static bool HasMapKeys(const Value& node) {
    const Value& keys = node.At("x-kubernetes-list-map-keys");
    const Value& items = node.At("items");
    const Value& properties = items.At("properties");
    if (!keys.is_array() || !properties.is_object()) return false;
    return std::ranges::all_of(keys.elements(), [&](const Value& key) {
      const auto is_key = [&key](const Value& name) { return json::Equal(name, key); };
      const Value* property = key.is_string() ? properties.Find(key.text()) : nullptr;
      return property != nullptr && (property->Find("default") != nullptr ||
                                     std::ranges::any_of(items.At("required").elements(), is_key));
    });
  }

  void AddFields(Value& node, std::string_view name, const ObservedShape& seen, NodeLevel level,
                 const SchemaPlace& place, bool is_kept) {
    if (IsTrue(node, kIntOrString) || SchemaAt(node, "additionalProperties") != nullptr) return;
    if (node.At("additionalProperties").is_bool()) return KeepValues(node, seen, place);
    if (is_kept) return;
    if (const std::string_view type = node.FindText("type"); !type.empty() && type != "object")
      return;
    if (seen.is_cut) return Preserve(node, seen, place, "more than is told apart");
    std::vector<std::string_view> unknown = UnknownFields(node, seen, level);
    const bool has_more = seen.other_values != nullptr;
    if (unknown.empty() && !has_more) return;
    const Value* properties = node.Find("properties");
    const bool has_properties = properties != nullptr && !properties->empty();
    if (!has_properties && !IsResource(node, level)) {
      if (seen.are_resources) return Embed(node, seen, place);
      if (IsMap(name, seen)) return SpecifyMap(node, seen, place);
    } else if (unknown.size() > 1 && IsMap("", seen, properties)) {
      return Preserve(node, seen, place, "keys that users choose");
    }
    const bool are_all = unknown.size() == seen.fields.size() && level != NodeLevel::kRoot;
    if (prefer_ == Prefer::kPreserve && are_all) return Preserve(node, seen, place, "");
    if (has_more || unknown.size() > kMostAddedProperties) {
      return Preserve(node, seen, place, "too many keys");
    }
    AddProperties(node, seen, unknown, place);
  }

  static std::vector<std::string_view> UnknownFields(const Value& node, const ObservedShape& seen,
                                                     NodeLevel level) {
    const Value& properties = node.At("properties");
    std::vector<std::string_view> unknown;
    for (const auto& [field, shape] : seen.fields) {
      if (IsResource(node, level) && IsTypeMeta(field)) continue;
      if (properties.Find(field) == nullptr) unknown.push_back(field);
    }
    return unknown;
  }

  // The server prunes inside of the values of a map of anything, and drops what is null.
  void KeepValues(Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const auto values = ValuesOf(seen);
    if (values == nullptr || (values->types & (kArray | kObject | kNull)) == 0) return;
    if (!node.At("properties").empty()) {
      node.Erase("additionalProperties");
      return Preserve(node, seen, place, "");
    }
    editor_.Set(node, "additionalProperties", AnyValue(*values));
    editor_.Added(place.Values(), TypesText(*values) + ": all of it is kept", values->objects);
  }

  Value AnyValue(const ObservedShape& values) {
    Value any = Value::Object();
    editor_.SetTrue(any, kPreserveUnknown);
    if ((values.types & kNull) != 0) editor_.SetTrue(any, "nullable");
    return any;
  }

  void SpecifyMap(Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    SchemaMaker maker(prefer_, editor_);
    editor_.Set(node, "additionalProperties", maker.MakeValues(*ValuesOf(seen), place.Values()));
    node.Erase("properties");
  }

  void Embed(Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const bool is_embedded = seen.are_embeddable && AreAllOf(seen, "object");
    if (!is_embedded) return Preserve(node, seen, place, "like resources, but not all valid ones");
    editor_.SetTrue(node, kEmbedded);
    editor_.SetTrue(node, kPreserveUnknown);
    editor_.Added(place.Inside(kEmbedded), "whole resources", seen.objects);
  }

  void Preserve(Value& node, const ObservedShape& seen, const SchemaPlace& place,
                std::string_view why) {
    editor_.SetTrue(node, kPreserveUnknown);
    std::string text = TypesText(seen);
    if (!why.empty()) text.append(", ").append(why);
    editor_.Added(place.Inside(kPreserveUnknown), text + ": all of it is kept", seen.objects);
  }

  void AddProperties(Value& node, const ObservedShape& seen,
                     const std::vector<std::string_view>& unknown, const SchemaPlace& place) {
    if (SchemaAt(node, "properties") == nullptr) editor_.Set(node, "properties", Value::Object());
    SchemaMaker maker(prefer_, editor_);
    for (const std::string_view field : unknown) {
      const Value property = maker.Make(field, *seen.Field(field), place.Property(field));
      editor_.Set(*node.Find("properties"), editor_.arena().Copy(field), property);
    }
  }

  Prefer prefer_;
  SchemaEditor& editor_;
};

}  // namespace

void CompleteSchema(Value& root, const ObservedShape& seen, Prefer prefer, const SchemaPlace& place,
                    SchemaEditor& editor) {
  Completion(prefer, editor)
      .Complete(root, "", seen.objects == 0 ? nullptr : &seen, NodeLevel::kRoot, place);
}

}  // namespace kube::suggest
