#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "migrate/check/crd_check.h"
#include "migrate/check/crd_names.h"
#include "migrate/check/crd_shape.h"
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

/// What is to be known of a server's CRD before its objects are read; without checks.
LiveCrd DescribeLiveCrd(const kube::crd::Crd& crd);

/// True if the objects of the CRD have something to tell by default: it preserves unknown fields,
/// or some may be stored in another version than the storage version.
bool ObjectsMatter(const kube::crd::Crd& crd);

}  // namespace migrate::check
