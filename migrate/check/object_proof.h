#pragma once

#include <functional>

#include "kube/json/json.h"
#include "migrate/report/check_report.h"

namespace migrate::check {

/// What is proven of the objects of a CRD that prunes, though no read shows it.
struct ObjectProof {
  report::Verified verified;  ///< what it rests on
  /// True if etcd has of `object`, as the server shows it, nothing that the schemas do not specify.
  /// May be called by several threads.
  std::function<bool(const kube::json::Value& object)> covers;
};

}  // namespace migrate::check
