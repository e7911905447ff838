#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/client/session.h"
#include "kube/crd/crd.h"

namespace migrate::crds {

/// What must stay as it is of a CRD while its objects are migrated.
struct CrdShape {
  std::string uid;
  std::int64_t generation = 0;
  bool preserves_unknown_fields = false;
  std::string storage_version;
  std::uint64_t schemas = 0;  ///< a hash of the schemas, by which the server prunes
};

CrdShape ShapeOf(const kube::crd::Crd& crd);

/// Why `crd` is no longer what `expected` says; absent if it still is. Of several changes the one
/// that explains the others.
std::optional<std::string> FindChange(const CrdShape& expected, const kube::crd::Crd& crd);

/// Watches one CRD, for SweepOptions::find_change.
class CrdGuard {
 public:
  /// `target` is that of the CRD. What `session` refers to must outlive it.
  CrdGuard(std::string target, CrdShape expected, const kube::client::Session& session)
      : target_(std::move(target)), expected_(std::move(expected)), session_(session) {}

  const CrdShape& expected() const { return expected_; }
  /// Reads the CRD and compares. Where it cannot be read it is tried again for two minutes, while
  /// requests that are under way go on; then, and at once where the right is missing, that is the
  /// change. Absent too if it is to be stopped.
  std::optional<std::string> FindChange() const;

 private:
  std::string target_;
  CrdShape expected_;
  const kube::client::Session session_;
};

}  // namespace migrate::crds
