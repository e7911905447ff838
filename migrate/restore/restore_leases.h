#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "migrate/migration/crd_lease.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::restore {

/// The Leases by which a restore and migrations of the same CRDs know of each other, on whatever
/// machines. They are given back at the end.
class RestoreLeases {
 public:
  /// All must outlive it.
  RestoreLeases(const migration::LeaseOptions& options, const rewrite::MigrationSession& session)
      : options_(options), session_(session) {}

  /// Takes that of one more CRD, for which it waits as migration::CrdLease does. Returns why
  /// nothing may be written; empty: it may, or the session was stopped. That others would not be
  /// seen is a warning.
  std::string Take(const std::string& crd_name, const std::string& crd_uid);
  /// Of whichever was taken: as migration::CrdLease::CheckLease.
  std::optional<std::string> CheckLease();

 private:
  const migration::LeaseOptions& options_;
  const rewrite::MigrationSession& session_;
  std::vector<std::unique_ptr<migration::CrdLease>> taken_;
};

}  // namespace migrate::restore
