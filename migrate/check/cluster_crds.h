#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/release.h"
#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/meta/field_choice.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/proof.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/proposals.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// "apiextensions.k8s.io/v1" of "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", which
/// FindCrdsTarget gives.
std::string ApiVersionOfTarget(std::string_view target);

/// The name of an object as a server shows it; empty where it has none.
std::string NameOfItem(const kube::json::Value& item);

/// Reads a copy of an item of a list of CRDs, which does not say itself that it is one:
/// `api_version` is that of the list. Errors as kube::crd::ReadCrd.
kube::base::Result<kube::crd::Crd, std::string> ReadListedCrd(const kube::json::Value& item,
                                                              const std::string& api_version);

/// Which CRDs of a cluster are meant, and what is done with them.
struct ClusterCrdOptions {
  std::vector<std::string> names{};      ///< in any form kubectl knows; empty: all, or the proposed
  std::vector<std::string> ignored{};    ///< none of these
  std::string selector{};                ///< only those with these labels
  bool is_limited_to_proposals = false;  ///< where `names` is empty
  bool finds_beside = false;             ///< ClusterCrds::beside
  bool skip_objects = false;             ///< of no CRD
  bool all_objects = false;              ///< of every CRD
  bool keep_paths = false;               ///< CrdCheckOptions::keep_paths
  bool keep_manifests = false;           ///< CrdCheckOptions::keep_manifest, where objects are read
  std::optional<kube::meta::FieldChoice> opened{};  ///< CrdCheckOptions::opened
  bool checks_validity = false;                     ///< CrdCheckOptions::checks_validity
  /// Gives CrdCheckOptions::proof of a CRD; several threads ask at once. May be empty.
  std::function<std::shared_ptr<const ObjectProof>(const kube::crd::Crd&)> find_proof{};
};

/// The CRDs of a cluster, each with its checks.
struct ClusterCrds {
  std::string target;                     ///< where they are: ".../v1/customresourcedefinitions"
  std::map<std::string, LiveCrd> crds;    ///< by name
  std::vector<report::CrdReport> unread;  ///< those that could not be read, with the error
  /// Of the server; absent where it does not say, or nobody asked (without proposals,
  /// keep_manifests and checks_validity).
  std::optional<kube::base::Release> release{};
  /// With finds_beside, and without `names` and `selector`: what the server serves in the groups of
  /// the proposals beside them and `ignored`, by the names of CRDs, sorted. By discovery, which
  /// everybody may read, and which lacks CRDs of which no version is served.
  std::vector<std::string> beside{};
  bool is_complete = true;  ///< false: the run was stopped before all were read
};

/// What is said of a CRD that is named beside files which propose nothing for it.
inline constexpr char kNotInFiles[] =
    "the files of -f give no CRD of this name, so the cluster's was taken";

/// Where the CRDs of a server are, as ClusterCrds::target. Throws kube::base::Error if it cannot be
/// reached.
std::string FindCrdsTarget(kube::client::Client& client);

/// Reads CRDs, v1 where it is served, else v1beta1, and checks them; where there are proposals for
/// one those are checked instead, and the proposals for new CRDs too. CRDs that are named in full
/// are read one by one, others are looked for among all. A proposal for a CRD of the server that
/// the selector leaves out is left out too.
///
/// Throws kube::base::Error if the server cannot be reached, if CRDs cannot be listed, and for a
/// name that no CRD, or more than one, answers to, and an ignored one that more than one does.
ClusterCrds ReadClusterCrds(const ClusterCrdOptions& options,
                            std::vector<cluster::Proposal> proposals,
                            cluster::ClusterReader& reader);

/// The release of the server, by /version; absent where it does not say.
std::optional<kube::base::Release> AskRelease(kube::client::Client& client);

}  // namespace migrate::check
