#include "plugin/command/version.h"

#include "kube/client/user_agent.h"

namespace plugin::command {

const std::string_view kVersion = "v" KUBECTL_PRUNE_VERSION;  // from CMake's project()

std::string UserAgent() { return kube::client::UserAgent("kubectl-prune", kVersion); }

}  // namespace plugin::command
