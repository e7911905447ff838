#pragma once

#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {

/// Finds duplicates in the lists of `object` with x-kubernetes-list-type set or map, as the API
/// server does for custom resources (apiextensions pkg/apiserver/schema/listtype). Paths start at
/// `path`; sorted bytewise.
std::vector<meta::FieldError> ValidateListTypes(const json::Value& object,
                                                const SchemaProps& schema, std::string_view path);

}  // namespace kube::schema
