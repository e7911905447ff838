#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/json/json.h"

namespace migrate::check {

struct TransitionalCrds {
  std::vector<std::unique_ptr<kube::json::Document>> crds;  ///< in the order of reading
  std::vector<std::string> errors;  ///< what could not be read or made, and why
};

/// Makes the CRDs between two releases (kube::crd::MakeTransitional) of those in the files that
/// lack a version which the cluster may store objects in. `crd_names`: only of these; empty: of
/// all. Only reads. Throws kube::base::Error for a path that does not exist, for files without a
/// CRD, for a name that is none of theirs, and where the server cannot be reached.
TransitionalCrds FindTransitionalCrds(const std::vector<std::string>& filenames, bool recursive,
                                      const std::vector<std::string>& crd_names,
                                      const kube::client::Session& session);

}  // namespace migrate::check
