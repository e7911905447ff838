#include "kube/suggest/node_mending.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "kube/suggest/observed_schema.h"

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
  const Value* values = node.Find("enum", json::Type::kArray);
  if (values == nullptr || values->empty()) return "";
  const std::string_view type = TypeName(values->elements()[0]);
  const bool are_alike = std::ranges::all_of(
      values->elements(), [type](const Value& value) { return TypeName(value) == type; });
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

class NodeMending {
 public:
  NodeMending(Value& node, const ObservedShape* seen, const SchemaPlace& place,
              SchemaEditor& editor)
      : node_(node),
        seen_(seen),
        place_(place),
        editor_(editor),
        may_lack_type_(IsTrue(node, kPreserveUnknown) || IsTrue(node, kIntOrString)) {}

  void Mend(NodeLevel level) {
    ReplaceUnknownType();
    MendAdditionalProperties(level);
    MendIntOrString();
    if (IsTrue(node_, kEmbedded)) MendEmbedded();
    if (level == NodeLevel::kRoot) MendRoot();
    MendType();
    MendItems();
    if (level == NodeLevel::kRoot || IsTrue(node_, kEmbedded)) MendTypeMeta();
  }

 private:
  void Preserve(std::string why) {
    editor_.SetTrue(node_, kPreserveUnknown);
    editor_.Mended(place_, std::move(why));
  }

  // A value that was null stays what it was where the node took any before.
  void KeepNulls() {
    const bool is_null = seen_ != nullptr && (seen_->types & kNull) != 0;
    if (!is_null || IsTrue(node_, "nullable")) return;
    editor_.SetTrue(node_, "nullable");
    editor_.Mended(place_, "nullable: true, as objects hold null");
  }

  // Beside properties it may not stand.
  void MendAdditionalProperties(NodeLevel level) {
    const Value* additional = node_.Find("additionalProperties");
    if (additional == nullptr) return;
    const bool keeps = additional->is_object() || (additional->is_bool() && additional->AsBool());
    const Value* properties = node_.Find("properties");
    const bool is_true = additional->is_bool() && additional->AsBool();
    const bool has_properties = properties != nullptr && !properties->empty() && !is_true;
    if (!has_properties && level != NodeLevel::kRoot && !IsTrue(node_, kEmbedded)) return;
    node_.Erase("additionalProperties");
    if (!keeps) return editor_.Mended(place_, "additionalProperties: false removed");
    Preserve(std::string(kPreserveUnknown) + ": true in the place of additionalProperties" +
             (is_true ? "" : ": values are no longer held against a schema"));
  }

  void MendIntOrString() {
    if (!IsTrue(node_, kIntOrString)) return;
    if (IsTrue(node_, kPreserveUnknown)) {
      node_.Erase(kPreserveUnknown);
      editor_.Mended(
          place_, std::string(kPreserveUnknown) + " removed: an integer or string has no fields");
    }
    const std::string type(node_.FindText("type"));
    if (type.empty()) return;
    if (type == "integer" || type == "string") {
      node_.Erase("type");
      editor_.Mended(place_, "type: " + type + " removed beside " + std::string(kIntOrString));
    }
  }

  void MendEmbedded() {
    const Value* properties = node_.Find("properties");
    if (!IsTrue(node_, kPreserveUnknown) && (properties == nullptr || properties->empty())) {
      Preserve(std::string(kPreserveUnknown) +
               ": true, as an embedded resource has no properties here");
    }
    SetType("object");
  }

  void MendRoot() {
    const bool is_nullable = IsTrue(node_, "nullable");
    if (node_.Erase("nullable") && is_nullable)
      editor_.Mended(place_, "nullable removed: no object is null");
    if (!may_lack_type_ || !node_.FindText("type").empty()) SetType("object");
  }

  void SetType(std::string_view type) {
    if (node_.FindText("type") == type) return;
    editor_.SetText(node_, "type", type);
    editor_.Mended(place_, "type: " + std::string(type));
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
      editor_.Mended(place_, "type: " + std::string(alias->type) + " in the place of " + type);
    } else {
      editor_.Mended(place_, "type: " + type + " removed, which is none");
    }
  }

  void MendType() {
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
    editor_.Mended(place_, std::string(kIntOrString) + ": true");
  }

  // Of another type are values that the keyword says nothing of, which were valid.
  bool FitsSeen(std::string_view type) const { return seen_ == nullptr || AreAllOf(*seen_, type); }

  void MendItems() {
    if (node_.FindText("type") != "array" || SchemaAt(node_, "items") != nullptr) return;
    if (node_.Find("items", json::Type::kArray) != nullptr) return;
    Value items = Value::Object();
    const bool is_seen = seen_ != nullptr && seen_->elements != nullptr;
    if (!is_seen) editor_.SetTrue(items, kPreserveUnknown);
    editor_.Set(node_, "items", items);
    editor_.Mended(place_, "items specified");
  }

  void MendTypeMeta() {
    MendProperty("apiVersion", "string");
    MendProperty("kind", "string");
    MendProperty("metadata", "object");
    Value* properties = SchemaAt(node_, "properties");
    Value* metadata = properties == nullptr ? nullptr : SchemaAt(*properties, "metadata");
    if (metadata != nullptr && !IsTrue(node_, kEmbedded)) MendMetadata(*metadata);
  }

  void MendProperty(std::string_view name, std::string_view type) {
    Value* properties = SchemaAt(node_, "properties");
    Value* property = properties == nullptr ? nullptr : SchemaAt(*properties, name);
    if (property == nullptr || property->FindText("type") == type) return;
    editor_.SetText(*property, "type", type);
    editor_.Mended(place_.Property(name), "type: " + std::string(type));
  }

  // Only its name and generateName may be restricted.
  void MendMetadata(Value& metadata) {
    const Value* properties = metadata.Find("properties");
    Value mended = Value::Object();
    editor_.SetText(mended, "type", "object");
    Value kept = Value::Object();
    for (const std::string_view name : {"generateName", "name"}) {
      const Value* property = properties == nullptr ? nullptr : properties->Find(name);
      if (property != nullptr) editor_.Set(kept, name, *property);
    }
    if (!kept.empty()) editor_.Set(mended, "properties", kept);
    if (json::Equal(WithoutEmpty(metadata), mended)) return;
    metadata = mended;
    editor_.Mended(place_.Property("metadata"),
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

void MendNode(Value& node, const ObservedShape* seen, NodeLevel level, const SchemaPlace& place,
              SchemaEditor& editor) {
  NodeMending(node, seen, place, editor).Mend(level);
}

}  // namespace kube::suggest
