#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kube/json/json.h"
#include "kube/suggest/observed_shape.h"
#include "kube/suggest/schema_change.h"

namespace kube::suggest {

/// How fields are specified.
enum class Prefer : std::uint8_t {
  kFields,    ///< each of them, as deep as they go
  kPreserve,  ///< by one x-kubernetes-preserve-unknown-fields at the highest place
};

/// The type of a schema for all values that were seen, nulls aside: a type of JSON schema, or
/// x-kubernetes-int-or-string. Absent where no single one fits.
std::optional<std::string_view> OnlyTypeOf(const ObservedShape& seen);
/// True if all values that were seen, nulls aside, are of this type of JSON schema.
bool AreAllOf(const ObservedShape& seen, std::string_view type);

/// More than these no person wants as properties that are added to one place.
inline constexpr std::size_t kMostAddedProperties = 60;

/// True if the keys of the objects, but for those of `properties`, look like those of a map, which
/// users choose: they have values of one type, and there are many, each in few objects; or such as
/// no field is called. Keys that nearly all objects have are fields.
bool IsMap(std::string_view name, const ObservedShape& seen,
           const json::Value* properties = nullptr);

/// The shape of all values of a map's keys, as if they were one. Null pointer where it has no keys.
/// In how many objects something is below several keys is not known.
std::unique_ptr<ObservedShape> ValuesOf(const ObservedShape& seen);

/// Makes schemas of what was seen, and notes each as added. Nothing is required, nothing narrower
/// than a type: values that were not seen may come.
class SchemaMaker {
 public:
  SchemaMaker(Prefer prefer, SchemaEditor& editor) : prefer_(prefer), editor_(editor) {}

  /// `name` is that of the field, for which no schema is there yet.
  json::Value Make(std::string_view name, const ObservedShape& seen, const SchemaPlace& place);
  /// The same for all values of a map.
  json::Value MakeValues(const ObservedShape& values, const SchemaPlace& place);
  /// What takes any value and keeps all of it, where `seen` was there, and why.
  json::Value MakeAny(const ObservedShape& seen, const SchemaPlace& place, std::string_view why);

 private:
  json::Value MakeTyped(std::string_view name, std::string_view type, const ObservedShape& seen,
                        const SchemaPlace& place);
  json::Value MakeObject(std::string_view name, const ObservedShape& seen,
                         const SchemaPlace& place);
  json::Value MakeArray(std::string_view name, const ObservedShape& seen, const SchemaPlace& place);

  Prefer prefer_;
  SchemaEditor& editor_;
};

/// What was seen, for a comment: "string", "integer, null", "map of strings".
std::string TypesText(const ObservedShape& seen);

}  // namespace kube::suggest
