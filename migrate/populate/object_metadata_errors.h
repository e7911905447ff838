#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/meta/field_error.h"

namespace migrate::populate {

/// What is wrong with a name, of kube/meta/names.h.
using NameProblems = std::vector<std::string> (*)(std::string_view name);

/// Why an API server refuses `metadata`, which passed through ObjectMeta, of an object that is in
/// no namespace (apimachinery pkg/api/validation, ValidateObjectMeta). A name has to be there: what
/// a server would make of generateName cannot be known.
std::vector<kube::meta::FieldError> ClusterMetadataErrors(const kube::json::Value& metadata,
                                                          NameProblems name_problems);

}  // namespace migrate::populate
