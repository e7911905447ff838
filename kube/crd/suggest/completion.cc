#include "kube/crd/suggest/completion.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/suggest/node_mending.h"

namespace kube::crd::suggest {
namespace {

using json::Value;

// More than these no person wants as properties, beside those that there are.
constexpr std::size_t kMostAddedProperties = 60;

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

  void Complete(Value& node, std::string_view name, const ObservedShape* seen, NodeLevel level,
                const SchemaPlace& place) {
    MendNode(node, seen, level, place, editor_);
    CompleteChildren(node, name, seen, level, place);
    if (seen == nullptr) return;
    LeaveOtherTypes(node, *seen, place);
    if ((seen->types & kObject) != 0) AddFields(node, name, *seen, level, place);
  }

 private:
  void CompleteChildren(Value& node, std::string_view name, const ObservedShape* seen,
                        NodeLevel level, const SchemaPlace& place) {
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
               place.Elements());
    }
    if (Value* values = SchemaAt(node, "additionalProperties")) {
      const auto below = seen == nullptr ? nullptr : ValuesOf(*seen);
      Complete(*values, "", below.get(), NodeLevel::kField, place.Values());
    }
  }

  // Pruning takes what is inside of such values, and no schema that is valid for them can be
  // guessed.
  void LeaveOtherTypes(const Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const std::string_view type = node.FindText("type");
    const unsigned collections = seen.types & (kArray | kObject);
    if (type.empty() || collections == 0 || AreAllOf(seen, type)) return;
    if ((type == "object" && collections == kObject) || (type == "array" && collections == kArray))
      return;
    editor_.Left(place, "the schema says " + std::string(type) + ", and objects hold " +
                            TypesText(seen));
  }

  void AddFields(Value& node, std::string_view name, const ObservedShape& seen, NodeLevel level,
                 const SchemaPlace& place) {
    if (IsTrue(node, kPreserveUnknown) || SchemaAt(node, "additionalProperties") != nullptr) return;
    if (const Value* additional = node.Find("additionalProperties")) {
      if (additional->is_bool()) return KeepValues(node, seen, place);
    }
    if (const std::string_view type = node.FindText("type"); !type.empty() && type != "object")
      return;
    std::vector<std::string_view> unknown = UnknownFields(node, seen, level);
    const bool has_more = seen.other_values != nullptr;
    if (unknown.empty() && !has_more) return;
    const Value* properties = node.Find("properties");
    const bool has_properties = properties != nullptr && !properties->empty();
    const bool may_be_map = !has_properties && !IsResource(node, level);
    if (may_be_map && IsMap(name, seen)) return SpecifyMap(node, seen, place);
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

  // A map of anything keeps its keys, and prunes their values.
  void KeepValues(Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    const auto values = ValuesOf(seen);
    if (values == nullptr || (values->types & (kArray | kObject)) == 0) return;
    Value any = Value::Object();
    editor_.SetTrue(any, kPreserveUnknown);
    editor_.Set(node, "additionalProperties", any);
    editor_.Added(place.Values(), TypesText(*values) + ": all of it is kept", values->objects);
  }

  void SpecifyMap(Value& node, const ObservedShape& seen, const SchemaPlace& place) {
    SchemaMaker maker(prefer_, editor_);
    editor_.Set(node, "additionalProperties", maker.Make("", *ValuesOf(seen), place.Values()));
    node.Erase("properties");
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

void CompleteSchema(Value& root, const ObservedShape& seen, Prefer prefer,
                    const SchemaPlace& place, SchemaEditor& editor) {
  Completion(prefer, editor)
      .Complete(root, "", seen.objects == 0 ? nullptr : &seen, NodeLevel::kRoot, place);
}

}  // namespace kube::crd::suggest
