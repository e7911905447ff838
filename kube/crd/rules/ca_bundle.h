#pragma once

#include <string>
#include <string_view>

namespace kube::crd::rules {

/// Why the API server cannot use the authorities in a CA bundle, in its words (apiserver
/// pkg/util/webhook, ValidateCABundle); empty where it can. A certificate counts as one if it has
/// the outer form of one: what is in it is not looked at.
std::string CaBundleProblem(std::string_view pem);

}  // namespace kube::crd::rules
