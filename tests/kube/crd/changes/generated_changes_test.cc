#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "kube/crd/object_changes.h"
#include "kube/schema/defaulting.h"
#include "kube/schema/object_validation.h"
#include "tests/support/test_schema.h"

// Pairs of generated schemas and objects: nothing that becomes invalid is missed, and what counts
// as touched is what a second, slow reading of the rules finds.
namespace kube::crd {
namespace generated_changes_test {

using json::Value;
using schema::PatternChecks;
using schema::SchemaProps;
using Random = std::mt19937;

std::size_t Pick(Random& random, std::size_t count) { return random() % count; }
bool OneIn(Random& random, std::size_t count) { return Pick(random, count) == 0; }
template <typename T>
T OneOf(Random& random, std::initializer_list<T> all) {
  return all.begin()[Pick(random, all.size())];
}

/// A schema that can be changed and printed.
struct Node {
  std::string type;  // "" is int-or-string
  std::map<std::string, std::string> keywords{};
  std::map<std::string, Node> properties{};
  std::set<std::string> required{};
  std::vector<Node> below{};  // items or additionalProperties: one or none

  std::string Print() const {
    std::string text = "{";
    const auto add = [&text](const std::string& key, const std::string& value) {
      text += (text.size() == 1 ? "\"" : ",\"") + key + "\":" + value;
    };
    type.empty() ? add("x-kubernetes-int-or-string", "true") : add("type", '"' + type + '"');
    for (const auto& [key, value] : keywords) add(key, value);
    if (!properties.empty()) {
      std::string all;
      for (const auto& [name, node] : properties) {
        all += (all.empty() ? "{\"" : ",\"") + name + "\":" + node.Print();
      }
      add("properties", all + "}");
    }
    if (!required.empty()) {
      std::string all;
      for (const std::string& name : required) all += (all.empty() ? "[\"" : ",\"") + name + "\"";
      add("required", all + "]");
    }
    if (!below.empty()) add(type == "array" ? "items" : "additionalProperties", below[0].Print());
    return text + "}";
  }
};

const std::vector<std::string> kNames = {"a", "b", "c"};

void AddKeyword(Node& node, Random& random) {
  const std::string number = std::to_string(Pick(random, 4));
  if (OneIn(random, 5)) node.keywords["nullable"] = "true";
  if (node.type == "string") {
    switch (Pick(random, 6)) {
      case 0:
        node.keywords["enum"] = OneOf(random, {R"(["x"])", R"(["x","xy"])", R"(["abc"])"});
        break;
      case 1:
        node.keywords["minLength"] = number;
        break;
      case 2:
        node.keywords["maxLength"] = number;
        break;
      case 3:
        node.keywords["pattern"] = OneOf(random, {R"("^x")", R"("c$")"});
        break;
      case 4:
        node.keywords["format"] = R"("date")";
        break;
      default:
        node.keywords["default"] = OneOf(random, {R"("x")", R"("abc")"});
    }
  } else if (node.type == "integer" || node.type == "number") {
    switch (Pick(random, 5)) {
      case 0:
        node.keywords["minimum"] = number;
        break;
      case 1:
        node.keywords["maximum"] = number;
        break;
      case 2:
        node.keywords["enum"] = OneOf(random, {"[1,2]", "[2]", "[0,3]"});
        break;
      case 3:
        node.keywords["multipleOf"] = OneOf(random, {"1", "2", "3"});
        break;
      default:
        node.keywords["default"] = OneOf(random, {"1", "2"});
    }
  } else if (node.type == "array") {
    switch (Pick(random, 3)) {
      case 0:
        node.keywords["minItems"] = number;
        break;
      case 1:
        node.keywords["maxItems"] = number;
        break;
      default:
        node.keywords["x-kubernetes-list-type"] = OneOf(random, {R"("set")", R"("atomic")"});
    }
  } else if (node.type == "object") {
    switch (Pick(random, 4)) {
      case 0:
        node.keywords["minProperties"] = number;
        break;
      case 1:
        node.keywords["maxProperties"] = number;
        break;
      case 2:
        node.keywords[OneOf(random, {"anyOf", "oneOf"})] =
            R"([{"required":["a"]},{"required":["b"]}])";
        break;
      default:
        node.keywords["not"] = R"({"required":["a","c"]})";
    }
  }
}

Node MakeNode(Random& random, std::size_t depth) {
  Node node{.type = OneOf<std::string>(random, {"string", "string", "integer", "number", "boolean",
                                                "", "object", "array", "object", "object"})};
  if (depth == 0 && (node.type == "object" || node.type == "array")) node.type = "string";
  if (OneIn(random, 2)) AddKeyword(node, random);
  if (node.type == "array" || (node.type == "object" && OneIn(random, 4))) {
    node.below.push_back(MakeNode(random, depth - 1));
  } else if (node.type == "object") {
    for (const std::string& name : kNames) {
      if (OneIn(random, 3)) continue;
      node.properties.emplace(name, MakeNode(random, depth - 1));
      if (OneIn(random, 5)) node.required.insert(name);
    }
    if (OneIn(random, 4)) node.keywords["x-kubernetes-preserve-unknown-fields"] = "true";
  }
  return node;
}

void Mutate(Node& node, Random& random, std::size_t depth) {
  if (OneIn(random, 10)) node = MakeNode(random, depth);
  if (OneIn(random, 3)) AddKeyword(node, random);
  if (OneIn(random, 4) && !node.keywords.empty()) node.keywords.erase(node.keywords.begin());
  if (OneIn(random, 6) && !node.properties.empty()) {
    node.required.erase(node.properties.begin()->first);
    node.properties.erase(node.properties.begin());
  }
  if (OneIn(random, 6) && node.type == "object" && node.below.empty() && depth > 0) {
    node.properties.insert_or_assign(kNames[Pick(random, 3)], MakeNode(random, depth - 1));
  }
  if (OneIn(random, 6) && !node.properties.empty()) {
    node.required.insert(node.properties.rbegin()->first);
  }
  for (auto& [name, child] : node.properties) {
    if (OneIn(random, 2)) Mutate(child, random, depth == 0 ? 0 : depth - 1);
  }
  if (!node.below.empty() && OneIn(random, 2))
    Mutate(node.below[0], random, depth == 0 ? 0 : depth - 1);
}

std::string Scalar(const std::string& type, Random& random) {
  if (type == "integer") return std::to_string(Pick(random, 5));
  if (type == "number") return OneOf<std::string>(random, {"0.5", "1", "2", "3.5"});
  if (type == "boolean") return OneOf<std::string>(random, {"true", "false"});
  if (type.empty() && OneIn(random, 2)) return std::to_string(Pick(random, 5));
  return OneOf<std::string>(random, {R"("x")", R"("xy")", R"("abc")", R"("2026-11-24")"});
}

std::string MakeValue(const Node& node, Random& random) {
  if (OneIn(random, 15)) return OneOf<std::string>(random, {"null", "1", R"("x")", "{}"});
  std::string text;
  if (node.type == "array") {
    for (std::size_t i = Pick(random, 4); i > 0; --i) {
      text += (text.empty() ? "[" : ",") + MakeValue(node.below[0], random);
    }
    return text.empty() ? "[]" : text + "]";
  }
  if (node.type != "object") return Scalar(node.type, random);
  for (const std::string& name : kNames) {
    const auto property = node.properties.find(name);
    std::string value;
    if (property != node.properties.end() && !OneIn(random, 4)) {
      value = MakeValue(property->second, random);
    } else if (!node.below.empty() && OneIn(random, 2)) {
      value = MakeValue(node.below[0], random);
    } else if (OneIn(random, 5)) {
      value = Scalar("string", random);
    }
    if (!value.empty()) text += (text.empty() ? "{\"" : ",\"") + name + "\":" + value;
  }
  return text.empty() ? "{}" : text + "}";
}

// What preserves unknown fields may have none.
void DropDefaults(Node& node) {
  node.keywords.erase("default");
  for (auto& [name, child] : node.properties) DropDefaults(child);
  for (Node& child : node.below) DropDefaults(child);
}

std::string RootSchema(const Node& spec) {
  return R"({"type":"object","properties":{"spec":)" + spec.Print() + "}}";
}

/// The rules once more, in the plainest way: by the words of the report, value by value.
class SlowReading {
 public:
  SlowReading(const SchemaProps& live, const SchemaProps& proposed)
      : live_(live), proposed_(proposed) {}

  bool IsTouched(const Change& change, const Value& now, const Value& then) {
    change_ = &change;
    return Visit(now, &then, &live_, &proposed_, change.path, true);
  }

  /// Whether all of `less` is in `more`.
  static bool Has(const Value& less, const Value& more) {
    if (less.is_object() && more.is_object()) {
      return std::ranges::all_of(less.members(), [&](const json::Member& member) {
        const Value* there = more.Find(member.key.text());
        return there && Has(member.value, *there);
      });
    }
    if (less.is_array() && more.is_array()) {
      if (less.size() != more.size()) return false;
      for (std::size_t i = 0; i < less.size(); ++i) {
        if (!Has(less.elements()[i], more.elements()[i])) return false;
      }
      return true;
    }
    return json::Print(less) == json::Print(more);
  }

 private:
  /// Goes down the path; `then` may be missing, as may a schema.
  bool Visit(const Value& now, const Value* then, const SchemaProps* live,
             const SchemaProps* proposed, std::string rest, bool is_root = false) {
    const std::string own = rest;
    if (rest.empty()) return IsTouchedValue(now, then, *live, *proposed);
    if (rest.starts_with("[*]")) {
      if (!now.is_array() || then == nullptr || !then->is_array()) return false;
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (Visit(now.elements()[i], &then->elements()[i], live->ItemsSchema(),
                  proposed->ItemsSchema(), rest.substr(3))) {
          return true;
        }
      }
      return false;
    }
    if (rest[0] == '.') rest.erase(0, 1);
    const std::size_t end = std::min(rest.find('.'), rest.find('['));
    const std::string name = rest.substr(0, end);
    const std::string below = end == std::string::npos ? "" : rest.substr(end);
    if (!now.is_object() || then == nullptr || !then->is_object()) return false;
    if (below.empty() && IsAboutMember(*change_)) {
      return IsTouchedMember(now, *then, *live, *proposed, name);
    }
    for (const json::Member& member : now.members()) {
      const std::string key(member.key.text());
      const bool is_named =
          live->FindProperty(key) || proposed->FindProperty(key) || (is_root && key != "spec");
      if (name == "*" ? is_named : key != name) continue;
      if (Visit(member.value, then->Find(key), ChildOf(*live, key), ChildOf(*proposed, key),
                below)) {
        return true;
      }
    }
    return false;
  }

  static bool IsAboutMember(const Change& change) {
    return change.kind == ChangeKind::kRequired || change.kind == ChangeKind::kDefault ||
           change.kind == ChangeKind::kFieldAdded || change.kind == ChangeKind::kFieldRemoved ||
           change.kind == ChangeKind::kAdditionalProperties;
  }

  static const SchemaProps* ChildOf(const SchemaProps& schema, std::string_view key) {
    if (const SchemaProps* property = schema.FindProperty(key)) return property;
    return schema.additional_properties ? schema.additional_properties->schema.get() : nullptr;
  }

  static bool IsValid(const Value& value, const SchemaProps& schema) {
    PatternChecks patterns([] { return std::chrono::nanoseconds(0); });
    json::Arena arena;
    const schema::StructuralSchema structural = schema::MakeStructural(schema, arena);
    return schema::ErrorsOfCreate(value, {schema, structural}, patterns).empty() &&
           ListsAreFine(value, schema);
  }

  // Below a value that is no object nobody looks for duplicates.
  static bool ListsAreFine(const Value& value, const SchemaProps& schema) {
    if (!value.is_array()) return true;
    if (schema.x_list_type == "set" && HasTwice(value)) return false;
    return std::ranges::all_of(
        value.elements(), [&](const Value& one) { return IsValid(one, *schema.ItemsSchema()); });
  }

  static bool HasTwice(const Value& list) {
    std::set<std::string> seen;
    return !std::ranges::all_of(
        list.elements(), [&](const Value& one) { return seen.insert(json::Print(one)).second; });
  }

  bool IsTouchedMember(const Value& now, const Value& then, const SchemaProps& live,
                       const SchemaProps& proposed, const std::string& name) {
    const Value *before = now.Find(name), *after = then.Find(name);
    switch (change_->kind) {
      case ChangeKind::kFieldRemoved:
        return before != nullptr;
      case ChangeKind::kRequired:
        return change_->to == "required" && after == nullptr;
      case ChangeKind::kDefault:
        return before == nullptr || json::Print(*before) == change_->from ||
               (before->is_null() && after && !after->is_null());
      case ChangeKind::kFieldAdded:
        return before &&
               !(after && Has(*before, *after) && IsValid(*after, *ChildOf(proposed, name)));
      default:
        if (!change_->breaking) return false;
        return std::ranges::any_of(now.members(), [&](const json::Member& member) {
          const std::string_view key = member.key.text();
          if (live.FindProperty(key) || proposed.FindProperty(key)) return false;
          const Value* left = then.Find(key);
          const SchemaProps* child = ChildOf(proposed, key);
          return !left || !Has(member.value, *left) || (child && !IsValid(*left, *child));
        });
    }
  }

  bool IsTouchedValue(const Value& now, const Value* then, const SchemaProps& live,
                      const SchemaProps& proposed) {
    const ChangeKind kind = change_->kind;
    if (kind == ChangeKind::kPreserveUnknownFields) {
      if (change_->from != "true" || !now.is_object() || !then || !then->is_object()) return false;
      return std::ranges::any_of(now.members(), [&](const json::Member& member) {
        const std::string_view key = member.key.text();
        return !live.FindProperty(key) && !proposed.FindProperty(key) && !then->Find(key);
      });
    }
    if (!change_->breaking && kind != ChangeKind::kFormat) return false;
    if (kind == ChangeKind::kNullable && !now.is_null()) return false;
    if (kind == ChangeKind::kType && now.is_null() && live.nullable != proposed.nullable)
      return false;
    if (!Fits(now, live, kind)) return false;
    const bool is_null_gone = now.is_null() && (!then || !then->is_null());
    if (is_null_gone) return kind == ChangeKind::kNullable || kind == ChangeKind::kType;
    if (!then) return true;
    if (kind == ChangeKind::kFormat && live.type != proposed.type &&
        !Fits(*then, proposed, ChangeKind::kType)) {
      return false;
    }
    return !Fits(*then, proposed, kind);
  }

  static bool IsOfType(const Value& value, const SchemaProps& schema) {
    const bool is_integer = value.is_number() && json::AsInt64(value);
    if (value.is_null()) return schema.nullable;
    if (schema.x_int_or_string) return value.is_string() || is_integer;
    if (schema.type == "integer") return is_integer;
    if (schema.type == "number") return value.is_number();
    if (schema.type == "boolean") return value.is_bool();
    if (schema.type == "string") {
      // Lists beside a format: kube-openapi's own way.
      return value.is_string() || (value.is_array() && !schema.format.empty());
    }
    return schema.type == "object" ? value.is_object() : value.is_array();
  }

  static bool HasAll(const Value& value, const SchemaProps& schema) {
    return !value.is_object() || std::ranges::all_of(*schema.required, [&](std::string_view name) {
      return value.Find(name) != nullptr;
    });
  }

  static bool Fits(const Value& value, const SchemaProps& schema, ChangeKind kind) {
    const auto alternatives = [&](const auto& list) {
      return std::ranges::count_if(list,
                                   [&](const SchemaProps& one) { return HasAll(value, one); });
    };
    switch (kind) {
      case ChangeKind::kType:
      case ChangeKind::kNullable:
        return IsOfType(value, schema);
      case ChangeKind::kEnum:
        return !schema.enum_values ||
               std::ranges::any_of(*schema.enum_values, [&](const Value& one) {
                 return value.is_number() && one.is_number()
                            ? json::AsDouble(value) == json::AsDouble(one) ||
                                  (json::AsInt64(one) && static_cast<std::int64_t>(*json::AsDouble(
                                                             value)) == *json::AsInt64(one))
                            : json::Print(one) == json::Print(value);
               });
      case ChangeKind::kMinimum:
        return !schema.minimum || !value.is_number() || !IsOfType(value, schema) ||
               *json::AsDouble(value) >= *schema.minimum;
      case ChangeKind::kMaximum:
        return !schema.maximum || !value.is_number() || !IsOfType(value, schema) ||
               *json::AsDouble(value) <= *schema.maximum;
      case ChangeKind::kMultipleOf: {
        if (!schema.multiple_of || !value.is_number() || !IsOfType(value, schema)) return true;
        const double times = *json::AsDouble(value) / *schema.multiple_of;
        return times == static_cast<double>(static_cast<std::int64_t>(times));
      }
      case ChangeKind::kFormat:
        if (schema.format.empty()) return IsOfType(value, schema);
        return IsOfType(value, schema) &&
               (!value.is_string() || schema.type != "string" || value.text() == "2026-11-24");
      case ChangeKind::kListType:
        return !value.is_array() || schema.x_list_type != "set" || !HasTwice(value);
      case ChangeKind::kAnyOf:
        return schema.any_of.empty() || alternatives(schema.any_of) > 0;
      case ChangeKind::kOneOf:
        return schema.one_of.empty() || alternatives(schema.one_of) == 1;
      case ChangeKind::kNot:
        return !schema.not_schema ||
               (value.is_object() ? !HasAll(value, *schema.not_schema) : false);
      default:
        return FitsNamed(value, schema, NameOf(kind));
    }
  }

  static bool FitsNamed(const Value& value, const SchemaProps& schema, std::string_view name) {
    const auto size =
        static_cast<std::int64_t>(value.is_string() ? value.text().size() : value.size());
    if (name == "minLength") {
      return !value.is_string() || !schema.min_length || size >= *schema.min_length;
    }
    if (name == "maxLength") {
      return !value.is_string() || !schema.max_length || size <= *schema.max_length;
    }
    if (name == "pattern") {
      return !value.is_string() || schema.pattern.empty() ||
             std::regex_search(std::string(value.text()), std::regex(std::string(schema.pattern)));
    }
    if (name == "minItems") {
      return !value.is_array() || !schema.min_items || size >= *schema.min_items;
    }
    if (name == "maxItems") {
      return !value.is_array() || !schema.max_items || size <= *schema.max_items;
    }
    if (name == "minProperties") {
      return !value.is_object() || !schema.min_properties || size >= *schema.min_properties;
    }
    if (name == "maxProperties") {
      return !value.is_object() || !schema.max_properties || size <= *schema.max_properties;
    }
    FAIL("no rule for " << name);
    return true;
  }

  const SchemaProps& live_;
  const SchemaProps& proposed_;
  const Change* change_ = nullptr;
};

/// One pair of schemas and what is generated for it.
class Situation {
 public:
  /// `preserves`: the live CRD preserves unknown fields.
  Situation(unsigned seed, bool preserves)
      : preserves_(preserves),
        random_(seed),
        live_node_(MakeNode(random_, 3)),
        proposed_node_(live_node_) {
    if (preserves) DropDefaults(live_node_);
    Mutate(proposed_node_, random_, 3);
    live_ = std::make_unique<support::TestSchema>(RootSchema(live_node_));
    proposed_ = std::make_unique<support::TestSchema>(RootSchema(proposed_node_));
    live_structural_ = schema::MakeStructural(live_->props, arena_);
    proposed_structural_ = schema::MakeStructural(proposed_->props, arena_);
    difference_ = CompareSchemas({live_->props, proposed_->props, preserves}, "v1", list_);
  }

  /// Returns how many objects became invalid.
  int CheckObjects() {
    int invalid = 0;
    for (int i = 0; i < 20; ++i) invalid += CheckObject();
    return invalid;
  }

 private:
  bool CheckObject() {
    const std::string spec = MakeValue(OneIn(random_, 2) ? live_node_ : proposed_node_, random_);
    json::Document object;
    REQUIRE_FALSE(object.Parse(
        R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"a"},"spec":)" + spec + "}"));
    json::Arena arena;
    Value now = json::CopyForChange(object.root(), arena);
    if (!preserves_ && !schema::ReadBySchema(now, &live_structural_, arena)) return false;
    Value then = json::CopyForChange(now, arena);
    if (!schema::ReadBySchema(then, &proposed_structural_, arena)) return false;
    const std::set<std::size_t> touching = Touching(now, then);
    INFO(live_node_.Print() << "\n" << proposed_node_.Print() << "\n" << json::Print(now));
    SlowReading slow(live_->props, proposed_->props);
    for (std::size_t i = 0; i < list_.changes().size(); ++i) {
      const Change& change = list_.changes()[i];
      INFO(change.path << " " << NameOf(change.kind) << " " << change.from << " -> " << change.to);
      CHECK(touching.contains(i) == slow.IsTouched(change, now, then));
    }
    const bool becomes_invalid =
        IsValid(now, *live_, live_structural_) && !IsValid(then, *proposed_, proposed_structural_);
    const bool loses = preserves_ && !SlowReading::Has(now, then);
    if (becomes_invalid && !loses) CHECK_FALSE(touching.empty());
    return becomes_invalid;
  }

  std::set<std::size_t> Touching(const Value& now, const Value& then) {
    if (!difference_) return {};
    PatternChecks patterns([] { return std::chrono::nanoseconds(0); });
    std::vector<std::size_t> numbers;
    FindTouching({now, then}, *difference_, patterns, numbers);
    return {numbers.begin(), numbers.end()};
  }

  static bool IsValid(const Value& object, const support::TestSchema& schema,
                      const schema::StructuralSchema& structural) {
    PatternChecks patterns([] { return std::chrono::nanoseconds(0); });
    return schema::ErrorsOfCreate(object, {schema.props, structural}, patterns).empty();
  }

  bool preserves_;
  Random random_;
  Node live_node_, proposed_node_;
  std::unique_ptr<support::TestSchema> live_, proposed_;
  json::Arena arena_;
  schema::StructuralSchema live_structural_, proposed_structural_;
  ChangeList list_;
  std::unique_ptr<SchemaDifference> difference_;
};

TEST_CASE("No object becomes invalid without a change that touches it, and all counts are right",
          "[crd][changes]") {
  const bool preserves = GENERATE(false, true);
  int invalid = 0;
  for (unsigned seed = 0; seed < 300; ++seed) invalid += Situation(seed, preserves).CheckObjects();
  CHECK(invalid > 150);  // else nothing was proven
}

}  // namespace generated_changes_test
}  // namespace kube::crd
