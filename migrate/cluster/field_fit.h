#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

namespace migrate::cluster {

// metadata.managedFields of versions that a CRD does not have: which they are, and the same said
// in a version that it has.

/// The parts of fieldsV1: "f:" a field, "k:" an element by its keys, "v:" an element by its value,
/// "." the thing itself, which is left out where nothing below is owned.
inline constexpr char kSelf[] = ".";

/// As deep as schemas are read; no object of a server is deeper by far.
inline constexpr std::size_t kMostLevels = 1000;

/// All that is owned by `one` or by `other`, two sets of fieldsV1; sorted where both have a part.
/// Refers to both. Where only one of them is an object that one; below kMostLevels that of `one`.
kube::json::Value UnionOf(const kube::json::Value& one, const kube::json::Value& other,
                          kube::json::Arena& arena);

/// How server-side apply merges what a schema is of: kube-openapi's conversion of schemas for it
/// (schemaconv), with the defaults of each kind.
enum class Merging : std::uint8_t {
  kAnything,
  kScalar,
  kFields,
  kAtomicFields,
  kAtomicList,
  kListByKeys,   ///< of type map
  kListByValues  ///< of type set
};

/// The null pointer is a schema that specifies nothing: anything.
Merging MergingOf(const kube::schema::SchemaProps* schema);

/// By which schemas fields of one version are said in another.
struct FieldSchemas {
  const kube::schema::SchemaProps* to;  ///< of the whole object; the null pointer: no schema
  /// Of the version that the fields are of. A field that has another JSON type there is dropped.
  /// The null pointer: that version is not known.
  const kube::schema::SchemaProps* from = nullptr;
  bool preserves = false;  ///< the CRD preserves unknown fields
};

/// What of `fields`, a fieldsV1 of some other version, can be said of objects by `schemas.to`;
/// absent where that is nothing.
///
/// A path stays where the schema has it and what is owned below fits what is there: fields of
/// objects, elements by exactly the keys of a list of type map, or by values of the items' type of
/// one of type set. What the schema makes atomic is owned whole by whoever owned a part, as the
/// server has it where a type becomes atomic (structured-merge-diff, ReconcileFieldSetWithSchema).
/// Where unknown fields are preserved, by the schema or by the whole CRD, all fields fit, and lists
/// are atomic. All else is dropped, and so is what is below kMostLevels.
///
/// `metadata` is the same in all versions and stays; apiVersion and kind are nobody's. The result
/// refers to `fields`.
std::optional<kube::json::Value> FitFields(const kube::json::Value& fields,
                                           const FieldSchemas& schemas, kube::json::Arena& arena);

}  // namespace migrate::cluster
