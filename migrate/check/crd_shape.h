#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/crd/crd.h"
#include "kube/json/json.h"

/// What a CRD looks like, and whether it still does.
namespace migrate::check {

/// What must stay as it is of a CRD while its objects are migrated.
struct CrdShape {
  std::string uid;
  std::int64_t generation = 0;
  bool preserves_unknown_fields = false;
  std::string storage_version;
  std::uint64_t schemas = 0;  ///< a hash of the schemas, by which the server prunes
  /// A hash of what pruning looks at of them (apiextensions-apiserver
  /// pkg/apiserver/schema/pruning, and the null values that defaulting drops): the same where a
  /// change of the schemas only lets more values be valid, or fewer.
  std::uint64_t kept_fields = 0;
};

CrdShape ShapeOf(const kube::crd::Crd& crd);

/// Why `crd` is no longer what `expected` says; absent if it still is. Of several changes the one
/// that explains the others.
std::optional<std::string> CheckCrdUnchanged(const CrdShape& expected, const kube::crd::Crd& crd);

/// Why what was read of the objects of a CRD does not hold for it as it is `now`, in words for a
/// check; empty if it does. Other changes than these do not matter to what was read.
std::string FindChangeWhileRead(const CrdShape& expected, const kube::json::Value& now);

}  // namespace migrate::check
