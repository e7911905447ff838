#include "kube/schema/fast_validator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/formats.h"
#include "kube/schema/keywords.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {
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

// Whether the type is all that is asked of a text or boolean.
bool AsksForTypesAlone(const SchemaProps& schema) {
  return schema.all_of.empty() && schema.any_of.empty() && !schema.enum_values &&
         schema.format.empty() && schema.pattern.empty() && !schema.max_length &&
         !schema.min_length;
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

bool HasSlowKeyword(const SchemaProps& schema) {
  return AnyKeyword(schema, [](const auto& keyword, const auto& value) {
    return keyword.Is(kValue) && !keyword.Is(kFast) && !IsEmpty(value);
  });
}

// What a look at the values does not tell, or what depends on what pruning takes and defaults add.
bool NeedsFullValidation(const SchemaProps& schema, const SchemaProps& main) {
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
  return has_odd_format || has_odd_limit || HasSlowKeyword(schema) || schema.x_embedded_resource ||
         forbids || wants_what_goes || lists_others || (schema.items && !schema.items->schema) ||
         (has_alternatives && HasDefault(schema));
}

}  // namespace

struct FastValidator::Property {
  std::string_view name;
  std::unique_ptr<const Node> node;
  bool is_required = false;
};

struct FastValidator::Node {
  const SchemaProps& schema;
  unsigned types = 0;
  bool is_beyond = false;
  bool is_of_types_alone = false;  // a text or boolean of these types fits, whatever it is
  bool leaves_others = false;      // pruning does not take what is not in the schema
  bool is_root = false;
  PropertyIndex index{};
  std::vector<Property> properties{};
  std::unique_ptr<const Node> items{}, additional{};
  std::vector<std::unique_ptr<const Node>> all_of{}, any_of{};
  std::size_t required_properties = 0;              // but for what has a default, as the next
  std::vector<std::string_view> required_others{};  // that are no properties of this schema

  // As StructuralSchema::FindProperty.
  const Property* FindProperty(std::string_view name, std::size_t& likely) const {
    if (properties.empty()) return nullptr;
    if (!index.empty()) {
      const auto number = index.Find(
          name, likely, [&](std::size_t i) { return base::SameText(properties[i].name, name); });
      return number ? &properties[*number] : nullptr;
    }
    const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
    return found != properties.end() && found->name == name ? &*found : nullptr;
  }

  void Require(std::string_view name) {
    const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
    if (found == properties.end() || found->name != name) {
      required_others.push_back(name);
    } else if (!found->is_required) {
      found->is_required = true;
      ++required_properties;
    }
  }
};

FastValidator::FastValidator(const SchemaProps& schema) {
  std::unique_ptr<Node> root = MakeNode(schema, schema);
  root->is_root = true;
  root_ = std::move(root);
}
FastValidator::~FastValidator() = default;
FastValidator::FastValidator(FastValidator&&) noexcept = default;

// `main` is the schema that specifies the fields where `schema` is one of its alternatives.
std::unique_ptr<FastValidator::Node> FastValidator::MakeNode(const SchemaProps& schema,
                                                             const SchemaProps& main) {
  auto node = std::make_unique<Node>(Node{.schema = schema, .types = TypesOf(schema)});
  node->is_beyond = NeedsFullValidation(schema, main);
  if (node->is_beyond) return node;
  node->is_of_types_alone = AsksForTypesAlone(schema);
  const bool is_main = &schema == &main;
  // An alternative specifies nothing, so that nothing is lost by it. additionalProperties: true
  // keeps keys, but nothing below them, whatever is preserved.
  node->leaves_others = !is_main || (schema.Preserves() && !schema.additional_properties);
  const auto below = [is_main](const SchemaProps& child, const SchemaProps* specified) {
    return MakeNode(child, is_main || specified == nullptr ? child : *specified);
  };
  std::vector<std::string_view> names;
  for (const auto& [name, property] : schema.properties) {
    node->properties.push_back({name, below(property, main.FindProperty(name))});
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
    if (property == nullptr || !property->default_value) node->Require(name);
  }
  return node;
}

// Of one object.
class FastValidator::Walk {
 public:
  explicit Walk(PatternChecks& patterns) : patterns_(patterns) {}

  bool Fits(const json::Value& value, const Node& node);
  // Whether pruning leaves all that Fits has seen.
  bool is_all_specified() const { return is_all_specified_; }

 private:
  bool FitsText(std::string_view text, const Node& node);
  static bool FitsNumber(const json::Value& number, const Node& node);
  bool FitsArray(const json::Value& array, const Node& node);
  bool FitsObject(const json::Value& object, const Node& node);
  // `property`: the member's, or the null pointer.
  bool FitsMember(const json::Value& value, const Property* property, const Node& node);

  PatternChecks& patterns_;
  bool is_all_specified_ = true;
};

FastValidator::QuickResult FastValidator::Look(const json::Value& object,
                                               PatternChecks& patterns) const {
  Walk walk(patterns);
  const bool is_valid = walk.Fits(object, *root_);
  return {is_valid, is_valid && walk.is_all_specified()};
}

bool FastValidator::Walk::Fits(const json::Value& value, const Node& node) {
  if (node.is_beyond) return false;
  if (node.is_of_types_alone && (value.is_string() || value.is_bool())) {
    return (node.types & (value.is_string() ? kStringBit : kBooleanBit)) != 0;
  }
  const auto fits = [&](const std::unique_ptr<const Node>& part) { return Fits(value, *part); };
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
      return (node.types & kStringBit) != 0 && FitsText(value.text(), node);
    case json::Type::kArray:
      return (node.types & kArrayBit) != 0 && !node.schema.enum_values && FitsArray(value, node);
    case json::Type::kObject:
      break;
  }
  return (node.types & kObjectBit) != 0 && !node.schema.enum_values && FitsObject(value, node);
}

bool FastValidator::Walk::FitsText(std::string_view text, const Node& node) {
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
    const std::uint64_t undecided = patterns_.undecided();
    if (patterns_.Mismatch(schema.pattern, text) || patterns_.undecided() != undecided)
      return false;
  }
  return schema.format.empty() || !IsKnownFormat(schema.format) ||
         MatchesFormat(schema.format, text);
}

bool FastValidator::Walk::FitsNumber(const json::Value& number, const Node& node) {
  const SchemaProps& schema = node.schema;
  const auto integer = json::AsInt64(number);
  if ((node.types & (integer ? kIntegerBit : kNumberBit)) == 0) return false;
  const bool is_any = node.types == kAnyBit;
  if (is_any && (schema.minimum || schema.maximum || !schema.format.empty())) return false;
  if (integer ? !IsRangeOf(schema.format, *integer) : !schema.format.empty()) return false;
  if (!schema.minimum && !schema.maximum) return true;
  const auto real = integer ? std::optional(static_cast<double>(*integer)) : json::AsDouble(number);
  return real && std::abs(*real) < kExact &&
         (!schema.minimum || *real > *schema.minimum ||
          (*real == *schema.minimum && !schema.exclusive_minimum)) &&
         (!schema.maximum || *real < *schema.maximum ||
          (*real == *schema.maximum && !schema.exclusive_maximum));
}

bool FastValidator::Walk::FitsArray(const json::Value& array, const Node& node) {
  const SchemaProps& schema = node.schema;
  const auto size = static_cast<std::int64_t>(array.size());
  if (schema.min_items && size < *schema.min_items) return false;
  if (schema.max_items && size > *schema.max_items) return false;
  if (node.items == nullptr) {
    is_all_specified_ &= node.leaves_others || array.empty();
    return true;
  }
  return std::ranges::all_of(
      array.elements(), [&](const json::Value& element) { return Fits(element, *node.items); });
}

bool FastValidator::Walk::FitsObject(const json::Value& object, const Node& node) {
  std::size_t likely = 0, required = 0;
  for (const json::Member& member : object.members()) {
    const std::string_view key = member.key.text();
    const Property* property = node.FindProperty(key, likely);
    if (property != nullptr && property->is_required) ++required;
    const bool was_specified = is_all_specified_;
    if (!FitsMember(member.value, property, node)) return false;
    if (node.is_root && meta::IsTypeMetaOrMetadata(key)) is_all_specified_ = was_specified;
  }
  constexpr std::size_t kMostLookUps = 10'000;
  return required == node.required_properties &&
         node.required_others.size() * object.size() <= kMostLookUps &&
         std::ranges::all_of(node.required_others, [&object](std::string_view name) {
           return object.Find(name) != nullptr;
         });
}

bool FastValidator::Walk::FitsMember(const json::Value& value, const Property* property,
                                     const Node& node) {
  const Node* schema = property != nullptr ? property->node.get() : node.additional.get();
  if (schema != nullptr) return Fits(value, *schema);
  is_all_specified_ &= node.leaves_others;
  return true;
}

}  // namespace kube::schema
