#pragma once

#include "kube/json/json.h"
#include "kube/suggest/schema_change.h"

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

}  // namespace kube::suggest
