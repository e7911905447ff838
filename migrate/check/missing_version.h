#pragma once

#include <string>

namespace migrate::check {

/// The message of an error, with what to do about it where it is about a missing version
/// (kube::client::kMissingVersion), or a conversion webhook that does not answer
/// (kube::client::kConversionWebhook).
std::string WithVersionAdvice(std::string message);

}  // namespace migrate::check
