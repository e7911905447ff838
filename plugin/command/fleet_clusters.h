#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/kubeconfig_file.h"
#include "kube/client/session.h"

/// Which clusters a fleet has: by which contexts they are reached, and which of them are the same.
namespace plugin::command {

/// The words of --contexts with the lines of FILE in the place of each @FILE: one name or pattern a
/// line; blank lines and those that begin with # say nothing. Throws kube::base::Error for a file
/// that cannot be read, or says nothing.
std::vector<std::string> ReadPatterns(const std::vector<std::string>& words);

/// The names of the contexts that some pattern names or matches, sorted bytewise, each once. In a
/// pattern * stands for any characters, ? for one, [a-z] for one of these. Throws kube::base::Error
/// for a pattern that chooses nothing: it lists the contexts that there are.
std::vector<std::string> ChooseContexts(const std::vector<std::string>& patterns,
                                        const kube::client::Kubeconfig& kubeconfig);

/// Why nothing can be said of a context by its name: it leads to no server that the kubeconfig
/// knows, so that what surrounds the program would say which one is asked. Empty: it does.
std::string WhyNowhere(const std::string& context, const kube::client::Kubeconfig& kubeconfig);

/// A name for a folder of `context`, which may hold anything: the same in every run, not that of
/// any other context, and none that leads elsewhere or is hidden. Names of letters, digits and
/// some marks are themselves; other bytes are percent-encoded: "arn:aws:eks:eu:1:cluster%2Fprod".
std::string ContextFolder(std::string_view context);

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
