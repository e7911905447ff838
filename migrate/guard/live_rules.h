#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "kube/schema/structural.h"

namespace migrate::guard {

/// What the values of a CRD's objects have to be by the schemas that the cluster has now.
/// Immutable, for several threads.
class LiveRules {
 public:
  /// `live` is not needed afterwards. Throws kube::base::Error where it cannot be copied, as it
  /// never should be.
  explicit LiveRules(const kube::crd::Crd& live);

  /// Why the API server would refuse to create `object` in `version`, the first of its errors, in
  /// its words; empty: it would take it, or nobody can tell
  /// (kube::schema::ErrorsOfCreate).
  std::string FirstError(const kube::json::Value& object, std::string_view version) const;

 private:
  struct Version {
    std::string name;
    std::shared_ptr<const kube::schema::SchemaProps> props;
    kube::schema::StructuralSchema structural;
  };
  kube::crd::Crd crd_;
  kube::json::Arena arena_;        // of:
  std::vector<Version> versions_;  // whose schemas are structural
};

}  // namespace migrate::guard
