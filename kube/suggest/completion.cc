#include "kube/suggest/completion.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kube/suggest/node_mending.h"

namespace kube::suggest {
namespace {

using json::Value;

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
    MendNode(node, seen, level, place, editor_);
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
    const Value* keys = node.Find("x-kubernetes-list-map-keys", json::Type::kArray);
    const Value* items = node.Find("items", json::Type::kObject);
    const Value* properties =
        items == nullptr ? nullptr : items->Find("properties", json::Type::kObject);
    if (keys == nullptr || properties == nullptr) return false;
    const Value* required = items->Find("required", json::Type::kArray);
    return std::ranges::all_of(keys->elements(), [&](const Value& key) {
      const auto is_key = [&key](const Value& name) { return json::Equal(name, key); };
      const Value* property = key.is_string() ? properties->Find(key.text()) : nullptr;
      return property != nullptr &&
             (property->Find("default") != nullptr ||
              (required != nullptr && std::ranges::any_of(required->elements(), is_key)));
    });
  }

  void AddFields(Value& node, std::string_view name, const ObservedShape& seen, NodeLevel level,
                 const SchemaPlace& place, bool is_kept) {
    if (IsTrue(node, kIntOrString) || SchemaAt(node, "additionalProperties") != nullptr) return;
    if (const Value* additional = node.Find("additionalProperties")) {
      if (additional->is_bool()) return KeepValues(node, seen, place);
    }
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
    const Value* properties = node.Find("properties");
    std::vector<std::string_view> unknown;
    for (const auto& [field, shape] : seen.fields) {
      if (IsResource(node, level) && IsTypeMeta(field)) continue;
      if (properties == nullptr || properties->Find(field) == nullptr) unknown.push_back(field);
    }
    return unknown;
  }

  // The server prunes inside of the values of a map of anything, and drops what is null.
  void KeepValues(Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const auto values = ValuesOf(seen);
    if (values == nullptr || (values->types & (kArray | kObject | kNull)) == 0) return;
    if (const Value* properties = node.Find("properties"); properties && !properties->empty()) {
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
