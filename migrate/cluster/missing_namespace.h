#pragma once

#include <string>

#include "kube/client/client.h"

namespace migrate::cluster {

/// The API server's words for a namespace that does not exist: `namespaces "nosuch" not found`. A
/// list of objects in it is empty, and says nothing. Empty where the namespace exists, and where
/// that cannot be told: who may list its objects need not have the right to read it.
std::string DescribeMissingNamespace(const std::string& name, kube::client::Client& client);

}  // namespace migrate::cluster
