#pragma once

#include <string>

#include "kube/client/connection.h"

/// Flags as the next command needs them, each behind a blank and a word of a shell; without
/// secrets.
namespace plugin::command {

/// Those by which kubectl is the same user: " --as=alice".
std::string ImpersonationWords(const kube::client::ConnectionFlags& connection);

/// Those by which it is the same user of the same cluster: " --context=staging --as=alice".
std::string ConnectionWords(const kube::client::ConnectionFlags& connection);

}  // namespace plugin::command
