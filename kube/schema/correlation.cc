#include "kube/schema/correlation.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "kube/go/go_value.h"

namespace kube::schema {
namespace {

const SchemaProps* SchemaOfMember(std::string_view key, const SchemaProps& schema) {
  if (const SchemaProps* property = schema.FindProperty(key)) return property;
  const SchemaPropsOrBool* additional = schema.additional_properties.get();
  return additional == nullptr ? nullptr : additional->schema.get();
}

bool IsMapList(const SchemaProps& schema) {
  return schema.type == "array" && schema.x_list_type == "map" && schema.x_list_map_keys &&
         !schema.x_list_map_keys->empty();
}

bool IsScalar(const json::Value& value) {
  return value.is_bool() || value.is_number() || value.is_string();
}

// fmt's %f, by which keys beside others are told apart.
std::string PrintFixed(double real) {
  char text[512];
  const int size = std::snprintf(text, sizeof text, "%f", real);
  return {text, static_cast<std::size_t>(size)};
}

std::string IdentityBesideOthers(const json::Value& key) {
  if (!key.is_number()) return go::GoIdentity(key);
  const go::Number number = go::ReadNumber(key);
  return number.is_integer ? std::to_string(number.integer) : PrintFixed(number.real);
}

// Absent for an element that lacks one of the keys, or where one is no scalar.
std::optional<std::string> IdentityOf(const json::Value& element, const SchemaProps& schema) {
  if (!element.is_object()) return std::nullopt;
  const auto& names = *schema.x_list_map_keys;
  std::string identity;
  for (const std::string_view name : names) {
    const json::Value* key = element.Find(name);
    if (key == nullptr || !IsScalar(*key)) return std::nullopt;
    const std::string part = names.size() == 1 ? go::GoIdentity(*key) : IdentityBesideOthers(*key);
    identity.append(std::to_string(part.size())).append(":").append(part);
  }
  return identity;
}

}  // namespace

const json::Value* Correlation::OldMember(const json::Value& old, std::string_view key,
                                          const SchemaProps& schema) {
  return SchemaOfMember(key, schema) == nullptr ? nullptr : old_members_.Find(old, key);
}

const json::Value* Correlation::OldElement(const json::Value& old, const json::Value& element,
                                           const SchemaProps& schema) {
  if (!old.is_array() || !IsMapList(schema)) return nullptr;
  const std::optional<std::string> identity = IdentityOf(element, schema);
  if (!identity) return nullptr;
  const Elements& elements = ElementsOf(old, schema);
  const auto found = elements.find(*identity);
  return found == elements.end() ? nullptr : found->second;
}

// Of several with the same keys the first.
const Correlation::Elements& Correlation::ElementsOf(const json::Value& old,
                                                     const SchemaProps& schema) {
  const auto [found, is_new] = elements_.try_emplace(&old);
  if (!is_new) return found->second;
  for (const json::Value& element : old.elements()) {
    if (auto identity = IdentityOf(element, schema)) {
      found->second.emplace(*std::move(identity), &element);
    }
  }
  return found->second;
}

bool Correlation::IsUnchanged(const json::Value& value, const json::Value& old,
                              const SchemaProps& schema) {
  if (const auto known = known_.find(&value); known != known_.end()) return known->second;
  const bool is_unchanged = Compare(value, old, schema);
  known_.emplace(&value, is_unchanged);
  return is_unchanged;
}

bool Correlation::Compare(const json::Value& value, const json::Value& old,
                          const SchemaProps& schema) {
  if (value.is_array() && old.is_array()) return CompareLists(value, old, schema);
  if (value.is_object() && old.is_object()) return CompareObjects(value, old, schema);
  return go::GoDeepEqual(value, old);
}

bool Correlation::CompareLists(const json::Value& value, const json::Value& old,
                               const SchemaProps& schema) {
  if (value.size() != old.size()) return false;
  const SchemaProps* items = schema.ItemsSchema();
  if (schema.x_list_type != "map" || items == nullptr) return go::GoDeepEqual(value, old);
  return std::ranges::all_of(value.elements(), [&](const json::Value& element) {
    const json::Value* old_element = OldElement(old, element, schema);
    return old_element != nullptr && IsUnchanged(element, *old_element, *items);
  });
}

bool Correlation::CompareObjects(const json::Value& value, const json::Value& old,
                                 const SchemaProps& schema) {
  if (value.size() != old.size()) return false;
  return std::ranges::all_of(value.members(), [&](const json::Member& member) {
    const json::Value* old_member = OldMember(old, member.key.text(), schema);
    return old_member != nullptr &&
           IsUnchanged(member.value, *old_member, *SchemaOfMember(member.key.text(), schema));
  });
}

}  // namespace kube::schema
