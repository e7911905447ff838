#pragma once

#include <functional>
#include <string>

#include "kube/client/kubeconfig_file.h"
#include "kube/client/session.h"

namespace plugin::command {

/// By what a cluster of a fleet is told from others.
struct ClusterIdentity {
  std::string uid{};      ///< of the namespace kube-system; empty: it may not be read
  std::string address{};  ///< the URL, and the proxy and the name for TLS by which it is reached
  std::string way{};      ///< the cluster and the user of the kubeconfig

  /// Both are the same way to the same place: contexts that differ in their namespace alone.
  bool IsSameWayAs(const ClusterIdentity& other) const;
  /// Both may be one cluster: their uids are the same or, where one of them is not known, their
  /// addresses. That proves nothing: a cluster that was made of a snapshot has the same uid, a
  /// server may say any, and what is behind an address may depend on who asks.
  bool MayBe(const ClusterIdentity& other) const;
};

/// That of the cluster to which `context` of the kubeconfig leads, with the uid that was read
/// there.
ClusterIdentity ClusterIdentityOf(const std::string& context, const std::string& uid,
                                  const kube::client::Kubeconfig& kubeconfig);

/// The Lease by which ProveSameCluster does so; the same for all fleets.
inline constexpr char kFleetLease[] = "kubectl-prune-fleet";

/// What became of a try to prove that two ways lead to one cluster.
struct SameClusterProof {
  enum class Result {
    kSame,        ///< what was written just now by the one way was read by the other
    kOther,       ///< it was not there
    kNotWritten,  ///< nothing could be written: `why`
    kNotRead,     ///< the other one does not let it be read: `why`
  };
  Result result = Result::kNotWritten;
  std::string why{};  ///< for people
};

/// Writes a Lease by the one way, with a holder of `make_holder` that nobody can know before, and
/// reads it by the other; again where somebody else has written it meanwhile, and once more after
/// what may pass (MayPass). The Lease stays. Needs the rights to get, create and update Leases, of
/// the reader that to get them. Ends by `until` on the clock of the sessions. What is wrong with a
/// session, as that it has no credentials, is a `why`; nothing is thrown for it.
SameClusterProof ProveSameCluster(const kube::client::Session& writer,
                                  const kube::client::Session& reader,
                                  const std::string& lease_namespace,
                                  const std::function<std::string()>& make_holder,
                                  kube::base::Clock::TimePoint until);

}  // namespace plugin::command
