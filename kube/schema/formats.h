#pragma once

#include <string_view>

/// The string formats that custom resources are validated for (k8s.io/kube-openapi
/// pkg/validation/strfmt, apiextensions pkg/apiserver/validation/formats.go). Dashes in the name of
/// a format do not count: "date-time" is "datetime".
namespace kube::schema {

/// True if a format of this name is checked; all others are ignored.
bool IsKnownFormat(std::string_view format);
/// True if `text` is of the known format `format`.
bool MatchesFormat(std::string_view format, std::string_view text);

}  // namespace kube::schema
