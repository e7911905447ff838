#pragma once

#include <string>
#include <vector>

#include "kube/client/transport.h"

namespace kube::client {

/// The texts of all Warning headers with the code 299, in their order: what an API server warns of,
/// e.g. "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated ...".
///
/// Reads `299 agent "text" "date", 299 ...` (RFC 7234 5.5) as ParseWarningHeaders of apimachinery
/// pkg/util/net does: what does not fit that form or holds control characters is left out, together
/// with the rest of its header.
std::vector<std::string> WarningTexts(const ResponseHead& head);

}  // namespace kube::client
