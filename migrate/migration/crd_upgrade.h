#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/crd/crd.h"
#include "migrate/cluster/proposals.h"

namespace migrate::migration {

/// The CRD of a file that comes with pruning, in the place of the bare change.
struct CrdUpgrade {
  std::string source;  ///< the file
  std::string patch;   ///< PruningTarget::patch: what `kubectl apply` sends, and pruning
  kube::crd::Crd crd;  ///< what it makes of the CRD, but that unknown fields are preserved still
  /// As CrdShape, of `crd`; what the server stores of it differs in nothing that these look at.
  std::uint64_t schemas = 0, kept_fields = 0;
};

/// Makes `proposal` ready to replace `live`, which preserves unknown fields; one of v1beta1 in the
/// form of v1. The server is asked by a dry run what it would store; with `asks` false, or where a
/// webhook allows no dry run, that is foretold.
///
/// The error says why it cannot be: the server refuses it, the file keeps unknown fields preserved,
/// or the storage version moves, for which objects have to be rewritten on both sides.
kube::base::Result<CrdUpgrade, std::string> PrepareUpgrade(const cluster::Proposal& proposal,
                                                           const kube::crd::Crd& live,
                                                           const std::string& target, bool asks,
                                                           kube::client::Client& client);

}  // namespace migrate::migration
