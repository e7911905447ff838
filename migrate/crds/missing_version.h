#pragma once

#include <string>
#include <string_view>

namespace migrate::crds {

/// How an API server begins to answer where an object is stored in a version that its CRD no longer
/// has (apiextensions-apiserver pkg/apiserver/conversion/converter.go): no read or write of such an
/// object, nor a list that it is in, succeeds until the CRD has that version again.
inline constexpr std::string_view kMissingVersion =
    "request to convert CR from an invalid group/version";

/// The message of an error, with what to do about it where it is about a missing version.
std::string WithVersionAdvice(std::string message);

}  // namespace migrate::crds
