#pragma once

#include <string>

#include "kube/client/client.h"

namespace migrate::migration {

/// What somebody wants to do, as a SelfSubjectAccessReview names it.
struct Access {
  std::string verb;
  std::string group, resource;
  std::string subresource{};
  std::string namespace_{};  ///< empty: in all, or cluster-scoped
  std::string name{};        ///< empty: any
};

/// Asks the API server. False if it says that we may not; true also where it cannot be asked, or is
/// not sure: the request itself will tell.
bool AskWhetherAllowed(const Access& access, kube::client::Client& client);

}  // namespace migrate::migration
