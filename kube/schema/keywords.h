#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "kube/schema/schema_props.h"

/// The keywords of openAPIV3Schema, a row each. To add one, add its member to SchemaProps and its
/// row here, at the same place: both are in the order of the Go type. What code does with a keyword
/// follows from its row and from the type of its member:
///
/// - ReadSchemaProps, PrintGo and DeepEqual do with all what their overload for the type does.
/// - ConversionError and ValidateStructural refuse it where its flags do not allow it.
/// - ValidateValue checks what a kValue asks, in the function for values of its type; FastValidator
///   leaves objects to it where a schema has a kValue that is not kFast.
/// - crd::CompareKeywords tells what changed as `change` says, and crd::Satisfies which values that
///   concerns. crd::ChangeKind has a kind for each row.
/// - crd::ValidateRootBesideStatus refuses it at the root unless it is kBesideStatus.
/// - crd::FindUnknownKeys knows it, from release `since` on.
namespace kube::schema {

/// What a keyword is. Value validations are what is in allOf, anyOf, oneOf and not.
enum KeywordFlag : unsigned {
  kUnsupported = 1,     ///< allowed in no structural schema
  kGeneric = 2,         ///< not allowed in value validations
  kExtension = 4,       ///< as kGeneric; x-kubernetes-*
  kDocs = 8,            ///< allowed everywhere; says nothing of values
  kValue = 16,          ///< allowed everywhere; asks something of values
  kShape = 32,          ///< has the schemas of parts of the value
  kFast = 64,           ///< FastValidator checks it
  kBesideStatus = 128,  ///< allowed at the root of a schema with a status subresource
};

/// When a change of a keyword is breaking, as values may be invalid by the new schema alone.
enum class Stricter : std::uint8_t {
  kNotCompared,
  kMore,   ///< where the number is new or greater
  kLess,   ///< where the number is new or less
  kSet,    ///< where it is there: what two patterns have in common is not looked for
  kUnset,  ///< where it is not there any more
  kAlways,
  kOwn,  ///< KeywordComparer has a function for it (kube/crd/keyword_changes.cc)
};

struct KeywordChangeRule {
  Stricter stricter = Stricter::kNotCompared;
  std::string_view told_as{};  ///< its name in reports; empty: as in a schema
};

/// A row.
template <typename T>
struct Keyword {
  std::string_view name;     ///< in a schema
  std::string_view go_name;  ///< in Go's internal type
  T SchemaProps::*member;
  unsigned flags;
  KeywordChangeRule change{};
  std::string_view go_type{};  ///< in Go's v1 type, in messages; empty: by the type of the member
  int since = 0;               ///< Kubernetes 1.SINCE brought it; 0: all have it

  constexpr bool Is(unsigned any_of) const { return (flags & any_of) != 0; }
};

template <typename T>
constexpr Keyword<T> Row(std::string_view name, std::string_view go_name, T SchemaProps::*member,
                         unsigned flags, KeywordChangeRule change = {},
                         std::string_view go_type = {}, int since = 0) {
  return {name, go_name, member, flags, change, go_type, since};
}

namespace keyword_table {

using S = SchemaProps;
using enum Stricter;

inline constexpr std::tuple kKeywords{
    Row("id", "ID", &S::id, kUnsupported),
    Row("$schema", "Schema", &S::schema, kUnsupported, {}, "JSONSchemaURL"),
    Row("$ref", "Ref", &S::ref, kUnsupported),
    Row("description", "Description", &S::description, kGeneric | kBesideStatus),
    Row("type", "Type", &S::type, kGeneric | kBesideStatus, {kOwn}),
    Row("nullable", "Nullable", &S::nullable, kGeneric, {kUnset}),
    Row("format", "Format", &S::format, kValue | kFast | kBesideStatus, {kSet}),
    Row("title", "Title", &S::title, kGeneric | kBesideStatus),
    Row("default", "Default", &S::default_value, kGeneric),
    Row("maximum", "Maximum", &S::maximum, kValue | kFast | kBesideStatus, {kOwn}),
    Row("exclusiveMaximum", "ExclusiveMaximum", &S::exclusive_maximum,
        kValue | kFast | kBesideStatus),
    Row("minimum", "Minimum", &S::minimum, kValue | kFast | kBesideStatus, {kOwn}),
    Row("exclusiveMinimum", "ExclusiveMinimum", &S::exclusive_minimum,
        kValue | kFast | kBesideStatus),
    Row("maxLength", "MaxLength", &S::max_length, kValue | kFast | kBesideStatus, {kLess}),
    Row("minLength", "MinLength", &S::min_length, kValue | kFast | kBesideStatus, {kMore}),
    Row("pattern", "Pattern", &S::pattern, kValue | kFast | kBesideStatus, {kSet}),
    Row("maxItems", "MaxItems", &S::max_items, kValue | kFast | kBesideStatus, {kLess}),
    Row("minItems", "MinItems", &S::min_items, kValue | kFast | kBesideStatus, {kMore}),
    Row("uniqueItems", "UniqueItems", &S::unique_items, kValue | kBesideStatus, {kSet}),
    Row("multipleOf", "MultipleOf", &S::multiple_of, kValue | kBesideStatus, {kOwn}),
    Row("enum", "Enum", &S::enum_values, kValue | kFast, {kOwn}),
    Row("maxProperties", "MaxProperties", &S::max_properties, kValue, {kLess}),
    Row("minProperties", "MinProperties", &S::min_properties, kValue, {kMore}),
    Row("required", "Required", &S::required, kValue | kFast | kBesideStatus),
    Row("items", "Items", &S::items, kShape | kBesideStatus),
    Row("allOf", "AllOf", &S::all_of, kValue | kFast, {kSet}),
    Row("oneOf", "OneOf", &S::one_of, kValue, {kSet}),
    Row("anyOf", "AnyOf", &S::any_of, kValue | kFast, {kSet}),
    Row("not", "Not", &S::not_schema, kValue, {kSet}),
    Row("properties", "Properties", &S::properties, kShape | kBesideStatus),
    Row("additionalProperties", "AdditionalProperties", &S::additional_properties, kShape),
    Row("patternProperties", "PatternProperties", &S::pattern_properties, kUnsupported),
    Row("dependencies", "Dependencies", &S::dependencies, kUnsupported),
    Row("additionalItems", "AdditionalItems", &S::additional_items, kUnsupported),
    Row("definitions", "Definitions", &S::definitions, kUnsupported, {}, "JSONSchemaDefinitions"),
    Row("externalDocs", "ExternalDocs", &S::external_docs, kDocs | kBesideStatus),
    Row("example", "Example", &S::example, kDocs | kBesideStatus),
    Row("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields",
        &S::x_preserve_unknown_fields, kExtension | kBesideStatus,
        {kNotCompared, "preserveUnknownFields"}),
    Row("x-kubernetes-embedded-resource", "XEmbeddedResource", &S::x_embedded_resource, kExtension,
        {kAlways, "embeddedResource"}),
    Row("x-kubernetes-int-or-string", "XIntOrString", &S::x_int_or_string, kExtension),
    Row("x-kubernetes-list-map-keys", "XListMapKeys", &S::x_list_map_keys, kExtension,
        {kOwn, "listMapKeys"}),
    Row("x-kubernetes-list-type", "XListType", &S::x_list_type, kExtension, {kOwn, "listType"}),
    Row("x-kubernetes-map-type", "XMapType", &S::x_map_type, kExtension, {kOwn, "mapType"}),
    Row("x-kubernetes-validations", "XValidations", &S::x_validations, kExtension | kBesideStatus,
        {kOwn, "validations"}, {}, 23),
};

}  // namespace keyword_table
using keyword_table::kKeywords;
inline constexpr std::size_t kKeywordCount = std::tuple_size_v<decltype(kKeywords)>;

/// Calls `visit` with each row, in order.
template <typename Visit>
void ForEachKeyword(Visit visit) {
  std::apply([&visit](const auto&... keyword) { (visit(keyword), ...); }, kKeywords);
}

/// True if `predicate` holds for a row and the value that `schema` has of it.
template <typename Predicate>
bool AnyKeyword(const SchemaProps& schema, Predicate predicate) {
  return std::apply(
      [&](const auto&... keyword) { return (predicate(keyword, schema.*keyword.member) || ...); },
      kKeywords);
}

/// An array of what `get` returns for each row, in order.
template <typename Get>
constexpr auto OfEachKeyword(Get get) {
  return std::apply([&get](const auto&... keyword) { return std::array{get(keyword)...}; },
                    kKeywords);
}

/// The number of the row of `name`, which has one.
consteval std::size_t KeywordNumber(std::string_view name) {
  const auto names = OfEachKeyword([](const auto& keyword) { return keyword.name; });
  std::size_t number = 0;
  while (names.at(number) != name) ++number;
  return number;
}

/// Whether the value of a keyword says nothing: it is "", false, null or a list without elements.
bool IsEmpty(const auto& value) {
  if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return !value;
  }
}
inline bool IsEmpty(const std::optional<bool>& value) { return !value.value_or(false); }
template <typename T>
bool IsEmpty(const std::optional<std::vector<T>>& list) {
  return !list || list->empty();
}

}  // namespace kube::schema
