#pragma once

#include <optional>

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

namespace migrate::owners {

/// What of `fields`, a fieldsV1 of some other version, can be said of objects by `schema`, that of
/// the whole object (the null pointer: nothing is specified); absent where that is nothing.
///
/// A path stays where the schema has it and what is owned below fits what is there: fields of
/// objects, elements by exactly the keys of a list of type map, or by values of the items' type of
/// one of type set. What the schema makes atomic is owned whole by whoever owned a part, as the
/// server has it where a type becomes atomic (structured-merge-diff, ReconcileFieldSetWithSchema).
/// Where unknown fields are preserved, by the schema or by the whole CRD (`preserves`), all fields
/// fit, and lists are atomic. All else is dropped, and so is what is below kMostLevels
/// (field_set.h).
///
/// `metadata` is the same in all versions and stays; apiVersion and kind are nobody's. The result
/// refers to `fields`.
std::optional<kube::json::Value> FitFields(const kube::json::Value& fields,
                                           const kube::schema::SchemaProps* schema, bool preserves,
                                           kube::json::Arena& arena);

}  // namespace migrate::owners
