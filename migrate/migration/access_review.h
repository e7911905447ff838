#pragma once

#include <string>
#include <vector>

#include "kube/client/client.h"

namespace migrate::migration {

/// What somebody wants to do, as a SelfSubjectAccessReview names it.
struct Access {
  std::string verb;
  std::string group, resource;
  std::string subresource{};
  std::string namespace_{};  ///< empty: in all, or cluster-scoped
  std::string name{};        ///< empty: any

  bool operator==(const Access&) const = default;
};

/// Asks the API server for each of them, for all at once. False if it says that we may not; true
/// also where it cannot be asked, or is not sure: the request itself will tell.
std::vector<bool> AskWhetherAllowed(const std::vector<Access>& accesses,
                                    kube::client::Client& client);

}  // namespace migrate::migration
