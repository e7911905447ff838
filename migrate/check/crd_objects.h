#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/json/json.h"
#include "migrate/check/crd_names.h"
#include "migrate/check/live_crd.h"
#include "migrate/cluster/cluster_reader.h"
#include "migrate/cluster/list_reader.h"

namespace migrate::check {

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
