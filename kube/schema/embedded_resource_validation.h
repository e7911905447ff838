#pragma once

#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"
#include "kube/schema/structural.h"

namespace kube::schema {

/// Checks apiVersion, kind and metadata of the embedded resources in `value`, as
/// objectmeta.Validate does (apiextensions pkg/apiserver/schema/objectmeta/validation.go). The root
/// counts as one where `schema` says so or with `is_resource_root`. Paths start at `path`; the
/// order is that of the value.
std::vector<meta::FieldError> ValidateEmbeddedResources(const json::Value& value,
                                                        const StructuralSchema& schema,
                                                        std::string_view path,
                                                        bool is_resource_root = false);

}  // namespace kube::schema
