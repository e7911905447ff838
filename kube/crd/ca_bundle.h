#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/crd/crd.h"
#include "kube/meta/field_error.h"

namespace kube::crd {

/// Why the API server cannot use the authorities in a CA bundle, in its words (apiserver
/// pkg/util/webhook, ValidateCABundle); empty where it can. A certificate counts as one if it has
/// the outer form of one: what is in it is not looked at.
std::string CaBundleProblem(std::string_view pem);

/// What a server that looks at it says of the CRD's conversion webhook; absent: nothing is wrong
/// with it, or it has none.
std::optional<meta::FieldError> CaBundleError(const Crd& crd);

}  // namespace kube::crd
