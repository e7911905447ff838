#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/member_index.h"
#include "kube/schema/schema_props.h"

/// What is left of a value, and which element of a list belongs to which of another one. Members
/// are found by an index that whoever compares keeps, as objects may be as large as a request.
namespace migrate::restore {

using kube::json::MemberIndex;

/// What pruning left of a value, as far as it is known.
struct Pruned {
  bool is_known = false;
  const kube::json::Value* value = nullptr;  ///< the null pointer where nothing was left of it

  /// That of a member or of an element.
  Pruned Member(std::string_view key, MemberIndex& index) const;
  Pruned Element(std::size_t index) const;
};

/// Deeper values are taken as a whole: nobody has such, and walks of this room recurse.
inline constexpr std::size_t kDeepest = 200;

/// The schema of a member of an object; the null pointer: nothing is said of it.
const kube::schema::SchemaProps* MemberSchema(const kube::schema::SchemaProps* schema,
                                              std::string_view key);
/// True if `value` is what the schema has for a default.
bool IsDefault(const kube::json::Value& value, const kube::schema::SchemaProps* schema);

/// True if pruning took something from `backup` or from a value in it. `left` is what it left.
bool HasLost(const kube::json::Value& backup, const kube::json::Value* left, MemberIndex& index);

/// True if `live` is what pruning left of `backup`, but for defaults and nulls that a server drops;
/// what it took is missing, there as it was, or there by default: another value of it is a change,
/// as it may be that of another element. Without knowledge of that: if `live` has nothing that
/// `backup` has not.
bool IsAsPruned(const kube::json::Value& backup, Pruned pruned, const kube::json::Value& live,
                const kube::schema::SchemaProps* schema, MemberIndex& index);

/// True if `value` has every value that `part` has: members of its objects may be more, lists have
/// the same length.
bool Contains(const kube::json::Value& value, const kube::json::Value& part, MemberIndex& index);

/// For each element of `backup` the index of its element in `live` by the keys that the schema of
/// the list declares (x-kubernetes-list-type: map); absent for one that is there no more. Absent as
/// a whole where it declares none, or two elements of one of the lists have the same keys.
std::optional<std::vector<std::optional<std::size_t>>> MatchByKeys(
    const kube::json::Value& backup, const kube::json::Value& live,
    const kube::schema::SchemaProps* list);

}  // namespace migrate::restore
