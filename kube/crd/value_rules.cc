#include "kube/crd/value_rules.h"

#include <algorithm>
#include <type_traits>

#include "kube/crd/keyword_changes.h"
#include "kube/schema/embedded_resource_validation.h"
#include "kube/schema/keyword_checks.h"
#include "kube/schema/keywords.h"
#include "kube/schema/list_type_validation.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/value_validation.h"

namespace kube::crd {
namespace {

using schema::PatternChecks;
using schema::SchemaProps;

bool Passes(const json::Value& value, const SchemaProps& schema, PatternChecks& patterns) {
  return schema::ValidateValue(value, schema, "", patterns).empty();
}

// A schema that asks for the type alone.
SchemaProps TypeOnly(const SchemaProps& schema, bool with_format) {
  SchemaProps type;
  type.type = schema.type;
  type.x_int_or_string = schema.x_int_or_string;
  type.nullable = schema.nullable;
  if (with_format) type.format = schema.format;
  return type;
}

// `own` with the keyword of `kind` from `schema`, where it is a number, text or boolean.
SchemaProps WithKeyword(SchemaProps own, const SchemaProps& schema, ChangeKind kind) {
  std::size_t number = 0;
  schema::ForEachKeyword([&]<typename T>(const schema::Keyword<T>& keyword) {
    const bool is_of_kind = number++ == static_cast<std::size_t>(kind);
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (is_of_kind) own.*keyword.member = schema.*keyword.member;
    }
  });
  return own;
}

// A limit that its type cannot hold is an error of its own.
bool SatisfiesLimit(const json::Value& value, const SchemaProps& schema, ChangeKind kind,
                    PatternChecks& patterns) {
  SchemaProps own = TypeOnly(schema, true);
  if (!value.is_number() || !Passes(value, own, patterns)) return true;
  own.exclusive_minimum = schema.exclusive_minimum;
  own.exclusive_maximum = schema.exclusive_maximum;
  return Passes(value, WithKeyword(std::move(own), schema, kind), patterns);
}

bool SatisfiesAlternatives(const json::Value& value, const SchemaProps& schema, ChangeKind kind,
                           PatternChecks& patterns) {
  const auto passes = [&](const SchemaProps& one) { return Passes(value, one, patterns); };
  switch (kind) {
    case ChangeKind::kAllOf:
      return std::ranges::all_of(schema.all_of, passes);
    case ChangeKind::kAnyOf:
      return schema.any_of.empty() || std::ranges::any_of(schema.any_of, passes);
    case ChangeKind::kOneOf:
      return schema.one_of.empty() || std::ranges::count_if(schema.one_of, passes) == 1;
    default:
      return !schema.not_schema || !passes(*schema.not_schema);
  }
}

// Duplicates are looked for in objects.
bool HasNoDuplicates(const json::Value& value, const SchemaProps& schema) {
  json::Arena arena;
  json::Value object = json::Value::Object();
  object.Set("value", value, arena);
  SchemaProps wrapper;
  wrapper.properties.emplace_back("value", SchemaProps());
  SchemaProps& list = wrapper.properties.back().second;
  list.x_list_type = schema.x_list_type;
  list.x_list_map_keys = schema.x_list_map_keys;
  return schema::ValidateListTypes(object, wrapper, "").empty();
}

bool HasNoDuplicatesInside(const json::Value& value, const SchemaProps& schema) {
  if (value.is_object()) return schema::ValidateListTypes(value, schema, "").empty();
  const SchemaProps* items = schema.ItemsSchema();
  return HasNoDuplicates(value, schema) &&
         (items == nullptr || std::ranges::all_of(value.elements(), [&](const json::Value& one) {
            return HasNoDuplicatesInside(one, *items);
          }));
}

bool IsFitResource(const json::Value& value, const SchemaProps& schema) {
  if (!schema.x_embedded_resource) return true;
  schema::StructuralSchema resource;
  resource.embedded_resource = true;
  return schema::ValidateEmbeddedResources(value, resource, "").empty();
}

}  // namespace

bool HasType(const json::Value& value, const SchemaProps& schema, PatternChecks& patterns) {
  // A list may be right by the format alone.
  return Passes(value, TypeOnly(schema, false), patterns) ||
         Passes(value, TypeOnly(schema, true), patterns);
}

bool Satisfies(const json::Value& value, const SchemaProps& schema, ChangeKind kind,
               PatternChecks& patterns) {
  switch (kind) {
    case ChangeKind::kType:
    case ChangeKind::kNullable:
      return HasType(value, schema, patterns);
    case ChangeKind::kFormat:
      return Passes(value, TypeOnly(schema, true), patterns);
    case ChangeKind::kEnum:
      return !schema.enum_values || schema::IsInEnum(value, *schema.enum_values);
    case ChangeKind::kMinimum:
    case ChangeKind::kMaximum:
    case ChangeKind::kMultipleOf:
      return SatisfiesLimit(value, schema, kind, patterns);
    case ChangeKind::kListType:
    case ChangeKind::kListMapKeys:
      return !value.is_array() || HasNoDuplicates(value, schema);
    case ChangeKind::kEmbeddedResource:
      return IsFitResource(value, schema);
    case ChangeKind::kAllOf:
    case ChangeKind::kAnyOf:
    case ChangeKind::kOneOf:
    case ChangeKind::kNot:
      return SatisfiesAlternatives(value, schema, kind, patterns);
    default:
      return Passes(value, WithKeyword({}, schema, kind), patterns);
  }
}

namespace {

// What a server that has rules says to a write that changes nothing.
bool BreaksRules(const json::Value& value, const schema::RuleValidator* rules) {
  return rules != nullptr && !rules->Validate(value, "", {.old = &value}).errors.empty();
}

}  // namespace

PartRules::PartRules(const SchemaProps& schema, base::Release server)
    : schema_(schema),
      rules_(server < schema::kFirstRuleRelease
                 ? nullptr
                 : schema::RuleValidator::Make(schema, schema.x_embedded_resource, server)) {
  const auto is_resource = [](const SchemaProps& any) { return any.x_embedded_resource; };
  if (!schema::AnySchema(schema, is_resource) || schema::ConversionError(schema)) return;
  resources_ = schema::MakeStructural(schema, arena_);
}

bool PartRules::AreKept(const json::Value& value, PatternChecks& patterns) const {
  return Passes(value, schema_, patterns) && HasNoDuplicatesInside(value, schema_) &&
         (!resources_ || schema::ValidateEmbeddedResources(value, *resources_, "").empty()) &&
         !BreaksRules(value, rules_.get());
}

ChangedRules::ChangedRules(const SchemaProps& live, const SchemaProps& proposed, bool is_resource,
                           base::Release server)
    : going_{&live, RulesBeside(live, proposed)}, coming_{&proposed, RulesBeside(proposed, live)} {
  if (server < schema::kFirstRuleRelease) return;
  for (Side* side : {&going_, &coming_}) {
    side->validator =
        schema::RuleValidator::MakeOf(side->rules, *side->schema, is_resource, server);
  }
}

// Where the value is wrong by itself the server does not come to rules.
bool ChangedRules::Side::Refuses(const json::Value& value, PatternChecks& patterns) const {
  return BreaksRules(value, validator.get()) && Passes(value, *schema, patterns);
}

bool ChangedRules::ChangeAnswer(const json::Value& now, const json::Value& then,
                                PatternChecks& patterns) const {
  return going_.Refuses(now, patterns) != coming_.Refuses(then, patterns);
}

bool IsContained(const json::Value& value, const json::Value& other) {
  if (value.type() != other.type() || value.is_null()) return value.type() == other.type();
  if (value.is_object()) {
    const Members members(other, value.size());
    return std::ranges::all_of(value.members(), [&](const json::Member& member) {
      const json::Value* there = members.Find(member.key.text());
      return there != nullptr && IsContained(member.value, *there);
    });
  }
  if (value.is_array()) {
    return std::ranges::equal(value.elements(), other.elements(), IsContained);
  }
  return json::Equal(value, other);
}

}  // namespace kube::crd
