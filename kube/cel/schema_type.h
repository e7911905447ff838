#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "kube/cel/type.h"
#include "kube/cel/value.h"

namespace kube::cel {

struct SchemaType;

/// A field of an object.
struct SchemaField {
  std::string name;  ///< as expressions write it
  std::string key;   ///< as it stands in the object
  const SchemaType* type = nullptr;
};

/// How a JSON value is read by expressions, and how large it can be: apiserver/pkg/cel.DeclType.
struct SchemaType {
  enum class Kind : std::uint8_t {
    kDyn,  ///< by what it is: no format, no fields
    kBool,
    kInt,
    kDouble,
    kString,
    kBytes,     ///< base64
    kDate,      ///< a timestamp
    kDateTime,  ///< a timestamp
    kDuration,  ///< as Go or strfmt write them
    kList,      ///< of `element`
    kSet,       ///< a list without order
    kListMap,   ///< a list whose elements are known by `map_keys`
    kMap,       ///< from strings to `element`
    kObject,    ///< `fields`
  };

  Kind kind = Kind::kDyn;
  TypeRef type = nullptr;
  const SchemaType* element = nullptr;
  std::vector<SchemaField> fields;  ///< sorted by name
  std::vector<std::string> map_keys;
  /// The most elements, entries, characters or bytes; of what has no limit, what a request can
  /// hold.
  std::int64_t max_size = 0;
  std::int64_t min_serialized_size = 0;

  const SchemaField* Field(std::string_view name) const;
  const SchemaField* Key(std::string_view key) const;
};

/// The value as expressions see it. Reads in place; `schema` null: dyn.
Value ReadJson(const json::Value& json, const SchemaType* schema);

}  // namespace kube::cel
