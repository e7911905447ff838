#pragma once

#include <string>

namespace migrate::crds {

/// The message of an error, with what to do about it where it is about a missing version
/// (kube::client::kMissingVersion).
std::string WithVersionAdvice(std::string message);

}  // namespace migrate::crds
