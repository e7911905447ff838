#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "kube/suggest/schema_fixes.h"

namespace kube::suggest {
namespace {

using json::Type;
using json::Value;

constexpr std::array<std::string_view, 3> kJunctors{"allOf", "anyOf", "oneOf"};

/// Whether less is checked than before.
enum class Effect : bool { kSame, kLooser };

Effect operator|(Effect a, Effect b) {
  return a == Effect::kLooser || b == Effect::kLooser ? Effect::kLooser : Effect::kSame;
}

bool IsOnlyType(const Value& schema, std::string_view type) {
  return schema.size() == 1 && schema.FindText("type") == type;
}

// anyOf: [{type: integer}, {type: string}], which may stand beside x-kubernetes-int-or-string.
bool IsIntOrStringPattern(std::span<const Value> any_of) {
  return any_of.size() == 2 && IsOnlyType(any_of[0], "integer") && IsOnlyType(any_of[1], "string");
}

/// What a structural schema says of values whose type is one of several.
std::string_view Joined(std::string_view a, std::string_view b) {
  const auto are = [&](std::string_view one, std::string_view other) {
    return (a == one && b == other) || (a == other && b == one);
  };
  if (a == b) return a;
  if (are("integer", "number")) return "number";
  if (are("integer", "string") || are(kIntOrString, "integer") || are(kIntOrString, "string"))
    return kIntOrString;
  return kPreserveUnknown;
}

// Of all schemas of a list; empty where one of them takes any type.
std::string_view JoinedType(const Value& list) {
  std::string_view joined;
  for (const Value& schema : list.elements()) {
    const std::string_view type = schema.FindText("type");
    if (type.empty()) return "";
    joined = joined.empty() ? type : Joined(joined, type);
  }
  return joined;
}

// Keywords that say nothing of values of another type, so that they may stand beside both.
bool IsOfOneType(std::string_view keyword, std::string_view type) {
  constexpr std::array<std::string_view, 3> kOfStrings{"maxLength", "minLength", "pattern"};
  constexpr std::array<std::string_view, 5> kOfIntegers{"exclusiveMaximum", "exclusiveMinimum",
                                                        "maximum", "minimum", "multipleOf"};
  return type == "string" ? std::ranges::count(kOfStrings, keyword) > 0
                          : std::ranges::count(kOfIntegers, keyword) > 0;
}

/// True where a nested schema says what none may say, so that something has to move.
bool HasForbidden(const Value& schema) {
  constexpr std::array<std::string_view, 12> kForbidden{"type",
                                                        "title",
                                                        "description",
                                                        "default",
                                                        "nullable",
                                                        kPreserveUnknown,
                                                        kIntOrString,
                                                        kEmbedded,
                                                        "additionalProperties",
                                                        "x-kubernetes-list-type",
                                                        "x-kubernetes-list-map-keys",
                                                        "x-kubernetes-map-type"};
  const auto is_there = [&schema](std::string_view keyword) {
    return !schema.At(keyword).is_null();
  };
  if (std::ranges::any_of(kForbidden, is_there)) return true;
  for (const std::string_view keyword : {"items", "not"}) {
    const Value* below = schema.Find(keyword, Type::kObject);
    if (below != nullptr && HasForbidden(*below)) return true;
  }
  if (const Value* properties = schema.Find("properties", Type::kObject)) {
    if (properties->Find("metadata") != nullptr) return true;
    for (const json::Member& member : properties->members()) {
      if (member.value.is_object() && HasForbidden(member.value)) return true;
    }
  }
  return std::ranges::any_of(kJunctors, [&schema](std::string_view junctor) {
    return std::ranges::any_of(schema.At(junctor).elements(), [](const Value& one) {
      return one.is_object() && HasForbidden(one);
    });
  });
}

/// Where a nested schema stands.
struct Nesting {
  std::string_view junctor;  ///< the innermost one around it
  bool is_root;              ///< of the node
  bool is_of_root;           ///< of the root of the whole schema, all of which has to be complete
  bool is_exact;             ///< only allOf is around it, so that it holds for each value

  Nesting In(std::string_view inner) const {
    return {inner, is_root, is_of_root, is_exact && inner == "allOf"};
  }
  Nesting Below() const { return {junctor, false, is_of_root, is_exact}; }
  std::string Out() const { return " moved out of " + std::string(junctor); }
  std::string Dropped() const {
    return " dropped from " + std::string(junctor) + ": less is checked";
  }
};

class Lifting {
 public:
  explicit Lifting(SchemaEditor& editor) : editor_(editor) {}

  void LiftNode(Value& node, const SchemaPlace& place, bool is_root) {
    if (!IsTrue(node, kIntOrString)) JoinIntAndString(node, place);
    const Nesting nesting{"", is_root, is_root, true};
    for (const std::string_view junctor : kJunctors) {
      LiftList(node, node, place, nesting.In(junctor));
    }
    LiftNot(node, node, place, nesting);
    LiftChildren(node, place);
  }

 private:
  void LiftChildren(Value& node, const SchemaPlace& place) {
    if (Value* properties = SchemaAt(node, "properties")) {
      for (json::Member& member : properties->members()) {
        if (member.value.is_object())
          LiftNode(member.value, place.Property(member.key.text()), false);
      }
    }
    if (Value* items = SchemaAt(node, "items")) LiftNode(*items, place.Elements(), false);
    if (Value* values = SchemaAt(node, "additionalProperties")) {
      LiftNode(*values, place.Values(), false);
    }
  }

  // One schema for integers and one for strings, with what holds for these types alone.
  void JoinIntAndString(Value& node, const SchemaPlace& place) {
    if (!node.FindText("type").empty()) return;
    for (const std::string_view junctor : {"anyOf", "oneOf"}) {
      const Value* list = node.Find(junctor, Type::kArray);
      if (list == nullptr || !AreIntAndString(*list, node)) continue;
      const Value both = *list;
      node.Erase(junctor);
      for (const Value& schema : both.elements()) {
        for (const json::Member& member : schema.members()) {
          if (member.key.text() != "type") editor_.Set(node, member.key.text(), member.value);
        }
      }
      editor_.SetTrue(node, kIntOrString);
      editor_.Fixed(place, std::string(kIntOrString) + ": true in the place of " +
                               std::string(junctor) + " with both types");
      return;
    }
  }

  static bool AreIntAndString(const Value& list, const Value& node) {
    if (list.size() != 2) return false;
    std::set<std::string_view> types;
    for (const Value& schema : list.elements()) {
      const std::string_view type = schema.FindText("type");
      if (type != "integer" && type != "string") return false;
      types.insert(type);
      for (const json::Member& member : schema.members()) {
        const std::string_view keyword = member.key.text();
        if (keyword == "type") continue;
        if (!IsOfOneType(keyword, type) || node.Find(keyword) != nullptr) return false;
      }
    }
    return types.size() == 2;
  }

  // `holder` has the junctor; it is the node, or a schema nested in it.
  Effect LiftList(Value& node, Value& holder, const SchemaPlace& place, const Nesting& nesting) {
    const std::string_view junctor = nesting.junctor;
    const Value* list = holder.Find(junctor, Type::kArray);
    if (list == nullptr) return Effect::kSame;
    const bool is_of_node = &node == &holder;
    const bool may_be_pattern = IsTrue(node, kIntOrString) && is_of_node;
    if (may_be_pattern && junctor == "anyOf" && IsIntOrStringPattern(list->elements()))
      return Effect::kSame;
    if (is_of_node && junctor != "allOf") TakeTypeOfAll(node, *list, place, nesting);
    Effect effect = Effect::kSame;
    const std::size_t size = list->size();
    for (std::size_t i = 0; i < size; ++i) {
      // The node may be the holder of the list, and grow: a schema is taken out meanwhile.
      Value schema = holder.Find(junctor)->elements()[i];
      const bool is_pattern = may_be_pattern && junctor == "allOf" && i == 0 &&
                              IsIntOrStringPattern(schema.At("anyOf").elements());
      if (is_pattern || !schema.is_object()) continue;
      effect = effect | LiftNested(node, schema, place, nesting);
      holder.Find(junctor)->elements()[i] = schema;
    }
    CleanList(holder, junctor, effect, place);
    return effect;
  }

  // What each of the schemas asks for may be asked outside of them.
  void TakeTypeOfAll(Value& node, const Value& list, const SchemaPlace& place,
                     const Nesting& nesting) {
    const std::string_view joined = JoinedType(list);
    if (joined.empty() || !IsUntyped(node)) return;
    if (joined == kIntOrString || joined == kPreserveUnknown) {
      editor_.SetTrue(node, joined);
      return editor_.Fixed(place, std::string(joined) + ": true in the place of the types in " +
                                      std::string(nesting.junctor));
    }
    editor_.SetText(node, "type", joined);
    editor_.Fixed(place, "type: " + std::string(joined) + nesting.Out());
  }

  Effect LiftNot(Value& node, Value& holder, const SchemaPlace& place, const Nesting& nesting) {
    const Value* found = SchemaAt(holder, "not");
    if (found == nullptr) return Effect::kSame;
    Value schema = *found;
    const Effect effect = LiftNested(node, schema, place, nesting.In("not"));
    if (effect == Effect::kSame) {
      editor_.Set(holder, "not", schema);
    } else {
      holder.Erase("not");
      editor_.Fixed(place, "not removed, as a structural schema cannot say all of it");
    }
    return effect;
  }

  // An empty schema among others of anyOf takes everything; of oneOf, more than one may fit now.
  void CleanList(Value& holder, std::string_view junctor, Effect effect, const SchemaPlace& place) {
    Value* list = ListAt(holder, junctor);
    if (list == nullptr) return;
    if (junctor == "allOf") {
      std::size_t kept = 0;
      for (Value& schema : list->elements()) {
        if (!schema.is_object() || !schema.empty()) list->elements()[kept++] = schema;
      }
      list->Truncate(kept);
      if (kept == 0) holder.Erase(junctor);
      return;
    }
    if (junctor == "oneOf" && effect == Effect::kSame) return;
    const bool takes_all = std::ranges::any_of(
        list->elements(), [](const Value& s) { return s.is_object() && s.empty(); });
    const Value schemas = *list;
    if (takes_all || junctor == "oneOf") holder.Erase(junctor);
    if (takes_all) {
      editor_.Fixed(place, std::string(junctor) + " removed, as one of its schemas takes all now");
    }
    if (takes_all || junctor == "anyOf") return;
    editor_.Fixed(place, "anyOf in the place of oneOf: less is checked, as several may fit now");
    if (holder.Find("anyOf") == nullptr) return editor_.Set(holder, "anyOf", schemas);
    Value any_of = Value::Object();
    editor_.Set(any_of, "anyOf", schemas);
    if (holder.Find("allOf") == nullptr) editor_.Set(holder, "allOf", Value::Array());
    holder.Find("allOf")->Append(any_of, editor_.arena());
  }

  Effect LiftNested(Value& node, Value& schema, const SchemaPlace& place, const Nesting& nesting) {
    Effect effect = TakeType(node, schema, place, nesting);
    TakeTexts(schema, place, nesting);
    effect = effect | TakeLooser(node, schema, place, nesting);
    effect = effect | TakeStricter(node, schema, place, nesting);
    effect = effect | TakeAdditionalProperties(node, schema, place, nesting);
    for (const std::string_view inner : kJunctors) {
      effect = effect | LiftList(node, schema, place, nesting.In(inner));
    }
    effect = effect | LiftNot(node, schema, place, nesting);
    return effect | LiftNestedChildren(node, schema, place, nesting);
  }

  Effect LiftNestedChildren(Value& node, Value& schema, const SchemaPlace& place,
                            const Nesting& nesting) {
    Effect effect = Effect::kSame;
    // The server asks for what the root's own validations name alone.
    if (!nesting.is_of_root && !HasForbidden(schema)) return effect;
    const auto is_moved = [&nesting](const Value& below) {
      return nesting.is_of_root || HasForbidden(below);
    };
    const bool is_kept = IsTrue(node, kPreserveUnknown);
    if (Value* items = SchemaAt(schema, "items"); items != nullptr && is_moved(*items)) {
      Value& own = Specified(node, "items", place.Elements(), nesting, is_kept);
      effect = effect | LiftNested(own, *items, place.Elements(), nesting.Below());
      if (items->empty()) schema.Erase("items");
    }
    Value* properties = SchemaAt(schema, "properties");
    if (properties == nullptr) return effect;
    if (properties->Erase("metadata")) {
      editor_.Fixed(place, "metadata" + nesting.Dropped());
      effect = Effect::kLooser;
    }
    if (SchemaAt(node, "properties") == nullptr) {
      if (SchemaAt(node, "additionalProperties") != nullptr && !properties->empty()) {
        editor_.Left(place, "a key of this map is named in " + std::string(nesting.junctor));
        return effect;
      }
      editor_.Set(node, "properties", Value::Object());
    }
    for (json::Member& member : properties->members()) {
      if (!member.value.is_object()) continue;
      if (!is_moved(member.value)) continue;
      const SchemaPlace below = place.Property(member.key.text());
      Value& own = Specified(*node.Find("properties"), member.key.text(), below, nesting, is_kept);
      effect = effect | LiftNested(own, member.value, below, nesting.Below());
    }
    DropEmpty(schema);
    return effect;
  }

  // Properties of which nothing is said any more.
  void DropEmpty(Value& schema) {
    Value& properties = *schema.Find("properties");
    Value kept = Value::Object();
    for (const json::Member& member : properties.members()) {
      if (!member.value.is_object() || !member.value.empty())
        editor_.Set(kept, member.key.text(), member.value);
    }
    if (kept.empty()) {
      schema.Erase("properties");
    } else {
      properties = kept;
    }
  }

  // What is at `key` of the structural part, which is made where it is missing. What was kept whole
  // while it was not specified stays so.
  Value& Specified(Value& holder, std::string_view key, const SchemaPlace& place,
                   const Nesting& nesting, bool is_kept) {
    if (Value* found = SchemaAt(holder, key)) return *found;
    editor_.Fixed(place, "specified outside of " + std::string(nesting.junctor) + ", too");
    Value made = Value::Object();
    if (is_kept) editor_.SetTrue(made, kPreserveUnknown);
    editor_.Set(holder, key, made);
    return *holder.Find(key);
  }

  static bool IsUntyped(const Value& node) {
    return node.FindText("type").empty() && !IsTrue(node, kIntOrString) &&
           !IsTrue(node, kPreserveUnknown);
  }

  Effect TakeType(Value& node, Value& schema, const SchemaPlace& place, const Nesting& nesting) {
    const std::string type(schema.FindText("type"));
    if (type.empty()) return Effect::kSame;
    schema.Erase("type");
    if (node.FindText("type") == type) {
      editor_.Fixed(place, "type: " + type + " is said outside of " + std::string(nesting.junctor) +
                               " alone");
      return Effect::kSame;
    }
    if (IsUntyped(node) && nesting.is_exact) {
      editor_.SetText(node, "type", type);
      editor_.Fixed(place, "type: " + type + nesting.Out());
      return Effect::kSame;
    }
    editor_.Fixed(place, "type: " + type + nesting.Dropped());
    return Effect::kLooser;
  }

  void TakeTexts(Value& schema, const SchemaPlace& place, const Nesting& nesting) {
    for (const std::string_view keyword : {"description", "title", "default"}) {
      if (!schema.Erase(keyword)) continue;
      editor_.Fixed(place, std::string(keyword) + " removed from " + std::string(nesting.junctor));
    }
  }

  // What makes more values valid.
  Effect TakeLooser(Value& node, Value& schema, const SchemaPlace& place, const Nesting& nesting) {
    Effect effect = Effect::kSame;
    for (const std::string_view keyword : {std::string_view("nullable"), kPreserveUnknown}) {
      if (!IsTrue(schema, keyword)) continue;
      schema.Erase(keyword);
      // What is not to be so makes nothing else so.
      if (nesting.junctor == "not") {
        editor_.Fixed(place, std::string(keyword) + nesting.Dropped());
        effect = Effect::kLooser;
        continue;
      }
      editor_.Fixed(place, std::string(keyword) + nesting.Out());
      if (keyword == kPreserveUnknown || !nesting.is_root) editor_.SetTrue(node, keyword);
      if (keyword != kPreserveUnknown) effect = Effect::kLooser;
    }
    return effect;
  }

  // What makes fewer valid moves where it holds for each value.
  Effect TakeStricter(Value& node, Value& schema, const SchemaPlace& place,
                      const Nesting& nesting) {
    constexpr std::array<std::string_view, 5> kKeywords{
        kEmbedded, kIntOrString, "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
        "x-kubernetes-map-type"};
    Effect effect = Effect::kSame;
    for (const std::string_view keyword : kKeywords) {
      const Value* found = schema.Find(keyword);
      if (found == nullptr) continue;
      const Value value = *found;
      schema.Erase(keyword);
      const bool is_free =
          node.Find(keyword) == nullptr && (keyword != kIntOrString || IsUntyped(node));
      if (nesting.is_exact && is_free) {
        editor_.Set(node, keyword, value);
        editor_.Fixed(place, std::string(keyword) + nesting.Out());
        continue;
      }
      // An embedded resource keeps all of its fields.
      if (keyword == kEmbedded) editor_.SetTrue(node, kPreserveUnknown);
      editor_.Fixed(place, std::string(keyword) + nesting.Dropped());
      effect = Effect::kLooser;
    }
    return effect;
  }

  Effect TakeAdditionalProperties(Value& node, Value& schema, const SchemaPlace& place,
                                  const Nesting& nesting) {
    const Value* found = schema.Find("additionalProperties");
    if (found == nullptr) return Effect::kSame;
    const Value value = *found;
    schema.Erase("additionalProperties");
    const Value* properties = node.Find("properties");
    const bool is_free = node.Find("additionalProperties") == nullptr && !nesting.is_root &&
                         (properties == nullptr || properties->empty());
    const bool is_no = value.is_bool() && !value.AsBool();
    if (nesting.is_exact && is_free && !is_no && schema.Find("properties") == nullptr) {
      editor_.Set(node, "additionalProperties", value);
      editor_.Fixed(place, "additionalProperties" + nesting.Out());
      return Effect::kSame;
    }
    if (!is_no && node.Find("additionalProperties") == nullptr)
      editor_.SetTrue(node, kPreserveUnknown);
    editor_.Fixed(place, "additionalProperties" + nesting.Dropped());
    return Effect::kLooser;
  }

  SchemaEditor& editor_;
};

}  // namespace

void LiftNestedValidations(Value& root, const SchemaPlace& place, SchemaEditor& editor) {
  Lifting(editor).LiftNode(root, place, true);
}

}  // namespace kube::suggest
