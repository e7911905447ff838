#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/client/client.h"

namespace migrate::rewrite {

/// The uid of the namespace kube-system, which tells one cluster from the other; empty where there
/// is none, or it may not be read. Throws what Client::Get throws.
kube::base::Result<std::string, kube::client::CallError> FindClusterUid(
    kube::client::Client& client);

}  // namespace migrate::rewrite
