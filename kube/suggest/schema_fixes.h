#pragma once

#include <cstdint>

#include "kube/json/json.h"
#include "kube/suggest/observed_schema.h"
#include "kube/suggest/observed_shape.h"
#include "kube/suggest/schema_change.h"

/// How the schema of a version becomes structural, and specifies what objects hold.
namespace kube::suggest {

/// Moves out of allOf, anyOf, oneOf and not what a structural schema may only say outside of them
/// (apiextensions pkg/apiserver/schema/validation.go, validateNestedValueValidation) and specifies
/// outside what is only specified in them (complete.go).
///
/// Whatever object was valid is valid after: where a type or the like cannot be moved it is
/// dropped, by which less is checked, and said so. A oneOf becomes an anyOf then, as more of its
/// schemas may fit, and a `not` is dropped. x-kubernetes-validations stay where they are.
///
/// `root` is the schema of a version, at `place`.
void LiftNestedValidations(json::Value& root, const SchemaPlace& place, SchemaEditor& editor);

enum class NodeLevel : std::uint8_t { kRoot, kField, kElement };

/// Fixes what a structural schema has to say at one node itself (apiextensions
/// pkg/apiserver/schema/validation.go): its type, the items of an array, metadata, embedded
/// resources, and what excludes each other. Children are left to the caller.
///
/// A type that is missing is that of what else the schema says; else that of all values that were
/// `seen` (the null pointer: none); else the node takes any value, as before.
void FixNode(json::Value& node, const ObservedShape* seen, NodeLevel level,
             const SchemaPlace& place, SchemaEditor& editor);

/// Fixes each node of the structural part of `root` (FixNode) and specifies in it what
/// objects were `seen` to hold and pruning would remove (kube/schema/pruning.h). What is specified
/// already stays as it is: where objects hold another type than it says, a person has to look.
///
/// `root` is the schema of a version, at `place`.
void CompleteSchema(json::Value& root, const ObservedShape& seen, Prefer prefer,
                    const SchemaPlace& place, SchemaEditor& editor);

}  // namespace kube::suggest
