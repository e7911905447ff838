#include "migrate/restore/list_elements.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace migrate::restore {
namespace {

using kube::json::Member;
using kube::json::Value;
using kube::schema::SchemaProps;

const SchemaProps* ElementSchema(const SchemaProps* list) {
  return list == nullptr ? nullptr : list->ItemsSchema();
}

bool HasLostAt(const Value& backup, const Value* left, MemberIndex& index, std::size_t depth) {
  if (left == nullptr) return true;
  if (depth == kDeepest || backup.type() != left->type()) return !kube::json::Equal(backup, *left);
  for (const Member& member : backup.members()) {
    const Value* below = index.Find(*left, member.key.text());
    if (HasLostAt(member.value, below, index, depth + 1)) return true;
  }
  // Pruning removes no elements.
  if (backup.is_array() && backup.size() != left->size()) return true;
  for (std::size_t i = 0; i < backup.elements().size(); ++i) {
    if (HasLostAt(backup.elements()[i], &left->elements()[i], index, depth + 1)) return true;
  }
  return false;
}

bool IsAsPrunedAt(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
                  MemberIndex& index, std::size_t depth);

// A server drops nulls of fields that are not nullable.
bool AreMissingNull(const Value& left, const Value& live, MemberIndex& index) {
  return std::ranges::all_of(left.members(), [&](const Member& member) {
    return member.value.is_null() || index.Find(live, member.key.text()) != nullptr;
  });
}

// What pruning took, and whether nobody else has set it: as it was, or by default.
bool IsBackOrDefault(const Value& before, const Value& live, const SchemaProps* schema,
                     MemberIndex& index, std::size_t depth) {
  return IsDefault(live, schema) ||
         IsAsPrunedAt(before, {.is_known = true, .value = &before}, live, schema, index, depth);
}

bool AreMembersAsPruned(const Value& backup, Pruned pruned, const Value& live,
                        const SchemaProps* schema, MemberIndex& index, std::size_t depth) {
  std::size_t met = 0;  // of what pruning left
  for (const Member& member : live.members()) {
    const std::string_view key = member.key.text();
    const Value* before = index.Find(backup, key);
    const Pruned left = pruned.Member(key, index);
    if (left.value != nullptr) ++met;
    const SchemaProps* below = MemberSchema(schema, key);
    if (before == nullptr) {
      if (!IsDefault(member.value, below)) return false;
    } else if (pruned.is_known && left.value == nullptr) {
      // By it elements would be told apart that pruning has made alike.
      if (!IsBackOrDefault(*before, member.value, below, index, depth + 1)) return false;
    } else if (!IsAsPrunedAt(*before, left, member.value, below, index, depth + 1)) {
      return false;
    }
  }
  return !pruned.is_known || met == pruned.value->size() ||
         AreMissingNull(*pruned.value, live, index);
}

bool IsAsPrunedAt(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
                  MemberIndex& index, std::size_t depth) {
  // A default takes the place of a null.
  if (backup.is_null() && IsDefault(live, schema)) return true;
  if (backup.type() != live.type()) return false;
  if (depth == kDeepest) return kube::json::Equal(backup, live);
  if (backup.is_object()) return AreMembersAsPruned(backup, pruned, live, schema, index, depth);
  if (!backup.is_array()) return kube::json::Equal(backup, live);
  if (backup.size() != live.size()) return false;
  for (std::size_t i = 0; i < backup.elements().size(); ++i) {
    if (!IsAsPrunedAt(backup.elements()[i], pruned.Element(i), live.elements()[i],
                      ElementSchema(schema), index, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool ContainsAt(const Value& value, const Value& part, MemberIndex& index, std::size_t depth) {
  if (value.type() != part.type()) return false;
  if (depth == kDeepest || (!part.is_object() && !part.is_array())) {
    return kube::json::Equal(value, part);
  }
  for (const Member& member : part.members()) {
    const Value* there = index.Find(value, member.key.text());
    if (there == nullptr || !ContainsAt(*there, member.value, index, depth + 1)) return false;
  }
  if (part.is_array() && value.size() != part.size()) return false;
  for (std::size_t i = 0; i < part.elements().size(); ++i) {
    if (!ContainsAt(value.elements()[i], part.elements()[i], index, depth + 1)) return false;
  }
  return true;
}

// The values of the keys, in their order; a missing one is its default, if it has one.
std::string KeysOf(const Value& element, const SchemaProps& list) {
  std::string text;
  for (const std::string_view key : *list.x_list_map_keys) {
    const Value* value = element.Find(key);
    const SchemaProps* schema = MemberSchema(list.ItemsSchema(), key);
    if (value == nullptr && schema != nullptr && schema->default_value) {
      value = &*schema->default_value;
    }
    text += value == nullptr ? "" : kube::json::Print(*value);
    text += '\n';
  }
  return text;
}

// Absent: two have the same.
std::optional<std::map<std::string, std::size_t>> IndexByKeys(const Value& array,
                                                              const SchemaProps& list) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < array.elements().size(); ++i) {
    if (!index.emplace(KeysOf(array.elements()[i], list), i).second) return std::nullopt;
  }
  return index;
}

}  // namespace

Pruned Pruned::Member(std::string_view key, MemberIndex& index) const {
  return {is_known, value == nullptr ? nullptr : index.Find(*value, key)};
}

Pruned Pruned::Element(std::size_t index) const {
  const bool has_it = value != nullptr && index < value->elements().size();
  return {is_known, has_it ? &value->elements()[index] : nullptr};
}

const SchemaProps* MemberSchema(const SchemaProps* schema, std::string_view key) {
  if (schema == nullptr) return nullptr;
  if (const SchemaProps* property = schema->FindProperty(key)) return property;
  return schema->additional_properties ? schema->additional_properties->schema.get() : nullptr;
}

bool IsDefault(const Value& value, const SchemaProps* schema) {
  return schema != nullptr && schema->default_value &&
         kube::json::Equal(value, *schema->default_value);
}

bool HasLost(const Value& backup, const Value* left, MemberIndex& index) {
  return HasLostAt(backup, left, index, 0);
}

bool IsAsPruned(const Value& backup, Pruned pruned, const Value& live, const SchemaProps* schema,
                MemberIndex& index) {
  return IsAsPrunedAt(backup, pruned, live, schema, index, 0);
}

bool Contains(const Value& value, const Value& part, MemberIndex& index) {
  return ContainsAt(value, part, index, 0);
}

std::optional<std::vector<std::optional<std::size_t>>> MatchByKeys(const Value& backup,
                                                                   const Value& live,
                                                                   const SchemaProps* list) {
  if (list == nullptr || list->x_list_type != "map" || !list->x_list_map_keys) return std::nullopt;
  const auto of_backup = IndexByKeys(backup, *list);
  const auto of_live = IndexByKeys(live, *list);
  if (!of_backup || !of_live) return std::nullopt;
  std::vector<std::optional<std::size_t>> matches(backup.elements().size());
  for (const auto& [keys, i] : *of_backup) {
    const auto found = of_live->find(keys);
    if (found != of_live->end()) matches[i] = found->second;
  }
  return matches;
}

}  // namespace migrate::restore
