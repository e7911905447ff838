#include "kube/schema/validation/glance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "kube/base/same_text.h"
#include "kube/base/utf8.h"
#include "kube/schema/format/formats.h"
#include "kube/schema/schema_walk.h"

namespace kube::schema::validation {
namespace {

// Below this every whole number is a float64.
constexpr double kExact = 9007199254740992.0;

enum TypeBit : unsigned {
  kStringBit = 1,
  kIntegerBit = 2,
  kNumberBit = 4,
  kBooleanBit = 8,
  kObjectBit = 16,
  kArrayBit = 32,
  kAnyBit = 63,
};

// 0 for what is no type.
unsigned BitOf(std::string_view type) {
  if (type == "string") return kStringBit;
  if (type == "integer") return kIntegerBit;
  if (type == "number") return kNumberBit | kIntegerBit;
  if (type == "boolean") return kBooleanBit;
  if (type == "object") return kObjectBit;
  return type == "array" ? unsigned{kArrayBit} : 0;
}

unsigned TypesOf(const SchemaProps& schema) {
  if (schema.x_int_or_string) return kStringBit | kIntegerBit;
  return schema.type.empty() ? kAnyBit : BitOf(schema.type);
}

bool HasDefault(const SchemaProps& schema) {
  return AnySchema(schema, [](const SchemaProps& any) { return any.default_value.has_value(); });
}

// Whether pruning keeps the field, so that it counts for what is required.
bool Keeps(const SchemaProps& main, std::string_view name) {
  return main.FindProperty(name) != nullptr || main.additional_properties != nullptr;
}

bool IsRangeOf(std::string_view format, std::int64_t number) {
  if (format == "int32") {
    return number >= std::numeric_limits<std::int32_t>::min() &&
           number <= std::numeric_limits<std::int32_t>::max();
  }
  return format.empty() || format == "int64";
}

// kube-openapi finds fault with a limit that the type of the number cannot hold.
bool IsLimitOf(const SchemaProps& schema, const std::optional<double>& limit) {
  if (!limit || schema.type == "number") return true;
  if (std::trunc(*limit) != *limit || std::abs(*limit) > kExact) return false;
  return IsRangeOf(schema.format, static_cast<std::int64_t>(*limit));
}

// What a look at the values does not tell, or what depends on what pruning takes and defaults add.
bool IsBeyondAGlance(const SchemaProps& schema, const SchemaProps& main) {
  const bool has_alternatives = !schema.all_of.empty() || !schema.any_of.empty();
  const bool forbids = schema.additional_properties && !schema.additional_properties->allows &&
                       !schema.additional_properties->schema;
  const bool wants_what_goes =
      schema.required && !std::ranges::all_of(*schema.required, [&main](std::string_view name) {
        return Keeps(main, name);
      });
  const bool lists_others =
      schema.enum_values && !std::ranges::all_of(*schema.enum_values, &json::Value::is_string);
  const bool has_odd_format = !schema.format.empty() && schema.type != "string" &&
                              schema.type != "integer" && schema.type != "number";
  const bool has_odd_limit =
      !IsLimitOf(schema, schema.minimum) || !IsLimitOf(schema, schema.maximum);
  return has_odd_format || has_odd_limit || !schema.one_of.empty() || schema.not_schema ||
         schema.x_embedded_resource || schema.unique_items || schema.min_properties ||
         schema.max_properties || schema.multiple_of || forbids || wants_what_goes ||
         lists_others || (schema.items && !schema.items->schema) ||
         (has_alternatives && HasDefault(schema));
}

}  // namespace

struct ValidityGlance::Node {
  const SchemaProps& schema;
  unsigned types = 0;
  bool is_beyond = false;
  PropertyIndex index{};
  std::vector<std::pair<std::string_view, std::unique_ptr<const Node>>> properties{};
  std::unique_ptr<const Node> items{}, additional{};
  std::vector<std::unique_ptr<const Node>> all_of{}, any_of{};
  std::vector<std::string_view> required{};  // but for what has a default

  const Node* FindProperty(std::string_view name) const {
    if (properties.empty()) return nullptr;
    if (!index.empty()) {
      const auto number = index.Find(
          name, [&](std::size_t i) { return base::SameText(properties[i].first, name); });
      return number ? properties[*number].second.get() : nullptr;
    }
    const auto found = std::ranges::lower_bound(
        properties, name, {}, [](const auto& property) { return property.first; });
    return found != properties.end() && found->first == name ? found->second.get() : nullptr;
  }
};

ValidityGlance::ValidityGlance(const SchemaProps& schema) : root_(MakeNode(schema, schema)) {}
ValidityGlance::~ValidityGlance() = default;
ValidityGlance::ValidityGlance(ValidityGlance&&) noexcept = default;

// `main` is the schema that specifies the fields where `schema` is one of its alternatives.
std::unique_ptr<const ValidityGlance::Node> ValidityGlance::MakeNode(const SchemaProps& schema,
                                                                     const SchemaProps& main) {
  auto node = std::make_unique<Node>(Node{.schema = schema, .types = TypesOf(schema)});
  node->is_beyond = IsBeyondAGlance(schema, main);
  if (node->is_beyond) return node;
  const bool is_main = &schema == &main;
  const auto below = [is_main](const SchemaProps& child, const SchemaProps* specified) {
    return MakeNode(child, is_main || specified == nullptr ? child : *specified);
  };
  std::vector<std::string_view> names;
  for (const auto& [name, property] : schema.properties) {
    node->properties.emplace_back(name, below(property, main.FindProperty(name)));
    names.push_back(name);
  }
  node->index = PropertyIndex(names);
  if (const SchemaProps* items = schema.ItemsSchema()) {
    node->items = below(*items, main.ItemsSchema());
  }
  if (schema.additional_properties && schema.additional_properties->schema) {
    const SchemaPropsOrBool* specified = main.additional_properties.get();
    node->additional = below(*schema.additional_properties->schema,
                             specified == nullptr ? nullptr : specified->schema.get());
  }
  for (const SchemaProps& part : schema.all_of) node->all_of.push_back(MakeNode(part, main));
  for (const SchemaProps& part : schema.any_of) node->any_of.push_back(MakeNode(part, main));
  if (!schema.required) return node;
  for (const std::string_view name : *schema.required) {
    const SchemaProps* property = main.FindProperty(name);
    if (property == nullptr || !property->default_value) node->required.push_back(name);
  }
  return node;
}

bool ValidityGlance::IsValid(const json::Value& object, PatternChecks& patterns) const {
  return Fits(object, *root_, patterns);
}

bool ValidityGlance::Fits(const json::Value& value, const Node& node, PatternChecks& patterns) {
  if (node.is_beyond) return false;
  const auto fits = [&](const std::unique_ptr<const Node>& part) {
    return Fits(value, *part, patterns);
  };
  if (!std::ranges::all_of(node.all_of, fits)) return false;
  if (!node.any_of.empty() && !std::ranges::any_of(node.any_of, fits)) return false;
  switch (value.type()) {
    case json::Type::kNull:  // dropped, replaced by a default, or wrong
      return false;
    case json::Type::kBool:
      return (node.types & kBooleanBit) != 0 && node.schema.format.empty() &&
             !node.schema.enum_values;
    case json::Type::kNumber:
      return !node.schema.enum_values && FitsNumber(value, node);
    case json::Type::kString:
      return (node.types & kStringBit) != 0 && FitsText(value.text(), node, patterns);
    case json::Type::kArray:
      return (node.types & kArrayBit) != 0 && !node.schema.enum_values &&
             FitsArray(value, node, patterns);
    case json::Type::kObject:
      break;
  }
  return (node.types & kObjectBit) != 0 && !node.schema.enum_values &&
         FitsObject(value, node, patterns);
}

bool ValidityGlance::FitsText(std::string_view text, const Node& node, PatternChecks& patterns) {
  const SchemaProps& schema = node.schema;
  if (schema.max_length || schema.min_length) {
    const std::int64_t size = base::utf8::CountCharacters(text);
    if (size > schema.max_length.value_or(size) || size < schema.min_length.value_or(size)) {
      return false;
    }
  }
  if (schema.enum_values) {
    const auto is_text = [text](const json::Value& value) { return value.text() == text; };
    if (!std::ranges::any_of(*schema.enum_values, is_text)) return false;
  }
  if (!schema.pattern.empty()) {
    const std::uint64_t undecided = patterns.undecided();
    if (patterns.Mismatch(schema.pattern, text) || patterns.undecided() != undecided) return false;
  }
  return schema.format.empty() || !format::IsKnownFormat(schema.format) ||
         format::MatchesFormat(schema.format, text);
}

bool ValidityGlance::FitsNumber(const json::Value& number, const Node& node) {
  const SchemaProps& schema = node.schema;
  const auto integer = json::AsInt64(number);
  if ((node.types & (integer ? kIntegerBit : kNumberBit)) == 0) return false;
  const bool is_any = node.types == kAnyBit;
  if (is_any && (schema.minimum || schema.maximum || !schema.format.empty())) return false;
  if (integer ? !IsRangeOf(schema.format, *integer) : !schema.format.empty()) return false;
  if (!schema.minimum && !schema.maximum) return true;
  const auto real = json::AsDouble(number);
  return real && std::abs(*real) < kExact &&
         (!schema.minimum || *real > *schema.minimum ||
          (*real == *schema.minimum && !schema.exclusive_minimum)) &&
         (!schema.maximum || *real < *schema.maximum ||
          (*real == *schema.maximum && !schema.exclusive_maximum));
}

bool ValidityGlance::FitsArray(const json::Value& array, const Node& node,
                               PatternChecks& patterns) {
  const SchemaProps& schema = node.schema;
  const auto size = static_cast<std::int64_t>(array.size());
  if (schema.min_items && size < *schema.min_items) return false;
  if (schema.max_items && size > *schema.max_items) return false;
  return node.items == nullptr ||
         std::ranges::all_of(array.elements(), [&](const json::Value& element) {
           return Fits(element, *node.items, patterns);
         });
}

bool ValidityGlance::FitsObject(const json::Value& object, const Node& node,
                                PatternChecks& patterns) {
  for (const json::Member& member : object.members()) {
    const Node* property = node.FindProperty(member.key.text());
    if (property == nullptr) property = node.additional.get();
    if (property != nullptr && !Fits(member.value, *property, patterns)) return false;
  }
  constexpr std::size_t kMostLookUps = 10'000;
  return node.required.size() * object.size() <= kMostLookUps &&
         std::ranges::all_of(node.required, [&object](std::string_view name) {
           return object.Find(name) != nullptr;
         });
}

}  // namespace kube::schema::validation
