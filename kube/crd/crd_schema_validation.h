#pragma once

#include <string_view>
#include <vector>

#include "kube/crd/crd_cel_validation.h"
#include "kube/crd/crd_rules.h"
#include "kube/meta/field_error.h"
#include "kube/schema/schema_props.h"

/// The rules of openAPIV3Schema that have nothing to do with being structural
/// (ValidateCustomResourceDefinitionOpenAPISchema).
namespace kube::crd {

/// Checks `schema` and all schemas in it. Paths start at `path`. `cel` checks the expressions of
/// rules, which the server does only where `schema` is structural and its defaults are right; null:
/// they are not checked.
std::vector<meta::FieldError> ValidateCrdSchema(const schema::SchemaProps& schema,
                                                std::string_view path, const CrdRules& rules,
                                                CelValidator* cel);

/// Checks what a status subresource asks of the root of a schema: all validation must be below.
std::vector<meta::FieldError> ValidateRootBesideStatus(const schema::SchemaProps& schema,
                                                       std::string_view path);

/// True without a type, too.
bool HasValidType(const schema::SchemaProps& schema);
/// True for a list of type set whose items are lists or objects that can be changed in part.
bool IsSetOfCompounds(const schema::SchemaProps& schema);
/// What is wrong with the items of a list of type set or map: nullable items, keys that may be
/// missing or null.
std::vector<meta::FieldError> FindMapKeyErrors(const schema::SchemaProps& schema,
                                               std::string_view path);

/// Checks x-kubernetes-validations of one schema as far as it needs no CEL.
void ValidateValidationRules(const schema::SchemaProps& schema, std::string_view path,
                             std::vector<meta::FieldError>& errors);

// crd_list_rules.cc
/// Checks x-kubernetes-list-type, -list-map-keys and -map-type of one schema.
void ValidateListAndMapTypes(const schema::SchemaProps& schema, std::string_view path,
                             const CrdRules& rules, std::vector<meta::FieldError>& errors);

}  // namespace kube::crd
