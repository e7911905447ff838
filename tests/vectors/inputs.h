#pragma once

#include <optional>

#include "kube/crd/crd.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"
#include "tests/vectors/vector.h"

namespace vectors {

/// Reads input.schema. Absent where it is refused: a mismatch, unless the server refused it too
/// (`inputError`; the words may differ). Adds a mismatch where only the server did.
std::optional<kube::schema::SchemaProps> ReadSchema(const Vector& vector, Mismatches& mismatches);

/// The structural schema of input.schema; absent where there is a mismatch.
std::optional<kube::schema::StructuralSchema> ReadStructural(const Vector& vector,
                                                             kube::json::Arena& arena,
                                                             Mismatches& mismatches);

/// Reads a CRD, otherwise as ReadSchema.
std::optional<kube::crd::Crd> ReadCrd(const kube::json::Value& crd, const Vector& vector,
                                      Mismatches& mismatches);

/// What the CRD of a line is for that has only a schema: the type of its object, or
/// example.com/v1, Kind=Foo.
kube::meta::GroupVersionKind BareType(const Vector& vector);

/// input.crd, or where there is only a schema a CRD with this schema in its one version, as
/// BareType says.
std::optional<kube::crd::Crd> ReadCrdOrSchema(const Vector& vector, Mismatches& mismatches);

}  // namespace vectors
