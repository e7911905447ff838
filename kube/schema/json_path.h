#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// A path like ".spec.map['a.b']" that leads to a schema.
struct JsonPathTarget {
  std::string first;  ///< the first name, as field.Path prints it
  std::string path;   ///< as field.Path prints it: "spec.map[a.b]"
  /// Null pointer where additionalProperties allow it without a schema.
  const SchemaProps* schema;
};

/// Follows a simple JSON path through properties and additionalProperties, as cel.ValidFieldPath
/// does (apiextensions pkg/apiserver/schema/cel/validation.go). The error is the server's, e.g.
/// "does not refer to a valid field".
///
/// `schema` may be the null pointer: then the form of the path is checked up to the place where the
/// server itself would stumble.
base::Result<JsonPathTarget, std::string> FollowJsonPath(std::string_view json_path,
                                                         const SchemaProps* schema,
                                                         bool allow_array_notation);

}  // namespace kube::schema
