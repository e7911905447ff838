#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"

namespace kube::schema {

/// Checks the contents of `metadata`, which passed through ObjectMeta (object_meta.h), as
/// ValidateObjectMeta does (k8s.io/apimachinery/pkg/api/validation), but for name, generateName and
/// namespace. Paths start at `path`; the order is the server's, labels and annotations in that of
/// `metadata`.
std::vector<meta::FieldError> ValidateObjectMeta(const json::Value& metadata,
                                                 std::string_view path);
/// The same for an update, which may leave finalizers and the generation as they are.
std::vector<meta::FieldError> ValidateObjectMetaUpdate(const json::Value& metadata,
                                                       std::string_view path);

}  // namespace kube::schema
