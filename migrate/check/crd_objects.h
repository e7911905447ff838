#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_names.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// A CRD of a server on its way through a check, or a proposal that the server has no CRD for.
struct LiveCrd {
  CrdIdentity identity;
  CrdShape shape;            ///< without uid: the server has none of this name
  std::string read_version;  ///< in which its objects are read; empty: no version is served
  bool is_namespaced = true;
  std::string not_served_because;  ///< of an established CRD empty; for messages
  /// Not established, though nothing is wrong with it: it was made just now, and nobody could write
  /// objects of it.
  bool is_new = false;
  bool reads_objects = false;
  /// The CRD itself, or each proposal for it. Empty from DescribeLiveCrd, and at least one else.
  std::vector<std::unique_ptr<CrdCheck>> checks;
  /// Of proposals, one for each of `checks`: what their files say, as JSON, until nobody needs it
  /// any more; and what `kubectl apply` of it would be answered.
  std::vector<std::string> manifests{};
  std::vector<report::ApplyReport> applies{};

  /// Where its objects are, in all namespaces or in one.
  std::string ObjectsTarget(const std::string& namespace_) const;
  /// The reports of all checks, with `error` and the verdict `unknown`.
  std::vector<report::CrdReport> FailedReports(const std::string& error) const;
};

/// LiveCrd::is_new.
bool IsNew(const kube::crd::Crd& crd);

/// What is to be known of a server's CRD before its objects are read; without checks.
LiveCrd DescribeLiveCrd(const kube::crd::Crd& crd);

/// True if the objects of the CRD have something to tell by default: it preserves unknown fields,
/// or some may be stored in another version than the storage version.
bool ObjectsMatter(const kube::crd::Crd& crd);

/// The message of an error, with what to do about it where it is about a missing version
/// (kube::client::kMissingVersion), or a conversion webhook that does not answer
/// (kube::client::kConversionWebhook).
std::string WithVersionAdvice(std::string message);

// Reads the objects of CRDs, and makes sure that they are these CRDs' objects.

/// Takes the objects of one CRD. What else is in the list is not handed on, but is a fault.
class CrdObjectTaker : public cluster::ItemTaker {
 public:
  CrdObjectTaker(const CrdIdentity& crd, std::size_t workers)
      : group_(crd.group + "/"), kind_(crd.names.kind), counts_(workers), foreign_(workers) {}

  void Handle(std::size_t worker, kube::json::Document& item, std::uint64_t number) final;
  std::string Fault() const final;  ///< names the kind of some item that is no object of the CRD

  /// How many objects were handed on.
  std::uint64_t count() const;

 protected:
  /// Is called by all workers at once.
  virtual void HandleObject(std::size_t worker, kube::json::Document& object,
                            std::uint64_t number) = 0;

 private:
  std::string group_, kind_;
  std::vector<std::uint64_t> counts_;  // by worker, as is the next
  std::vector<std::string> foreign_;
};

/// What to read of one CRD, and what became of it.
struct CrdObjects {
  const LiveCrd* crd;                    ///< has a read_version, or a reason why it is not served
  std::vector<cluster::ListJob> jobs{};  ///< with makers of a CrdObjectTaker

  // The result. At most one of the first two is set:

  std::string failure{};    ///< why what was taken does not count
  bool is_stopped = false;  ///< the run was stopped before all was read
  /// Why it is not known whether the CRD changed meanwhile, or why no objects were read of a CRD
  /// that is new; else empty.
  std::string note{};
};

/// Reads the objects, and after that each CRD again: what was taken is a failure where the CRD was
/// deleted or began to prune meanwhile, or where that cannot be told. So it is where an aggregated
/// server answers in place of the CRD's. Who may not read single CRDs gets a note instead.
///
/// `crds_target` is where CRDs are (ClusterCrds::target).
void ReadCrdObjects(std::vector<CrdObjects>& wanted, const std::string& crds_target,
                    cluster::ClusterReader& reader);

}  // namespace migrate::check
