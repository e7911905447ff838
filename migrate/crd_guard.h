#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/client.h"
#include "kube/crd.h"

namespace migrate {

/// What must stay as it is of a CRD while its objects are migrated.
struct CrdShape {
  std::string uid;
  std::int64_t generation = 0;
  bool preserves_unknown_fields = false;
  std::string storage_version;
  std::uint64_t schemas = 0;  ///< a hash of the schemas, by which the server prunes
};

CrdShape ShapeOf(const kube::Crd& crd);

/// Why `crd` is no longer what `expected` says; absent if it still is. Of several changes the one
/// that explains the others.
std::optional<std::string> FindChange(const CrdShape& expected, const kube::Crd& crd);

/// Watches one CRD, for SweepOptions::find_change.
class CrdGuard {
 public:
  /// `target` is that of the CRD. `client` must outlive it.
  CrdGuard(std::string target, CrdShape expected, kube::Client& client)
      : target_(std::move(target)), expected_(std::move(expected)), client_(client) {}

  const CrdShape& expected() const { return expected_; }
  /// Reads the CRD and compares. That it cannot be read for a moment is no change; that it is gone
  /// is one.
  std::optional<std::string> FindChange() const;

 private:
  std::string target_;
  CrdShape expected_;
  kube::Client& client_;
};

}  // namespace migrate
