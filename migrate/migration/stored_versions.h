#pragma once

#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/check/crd_shape.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::migration {

/// A CRD that is to be as it was.
struct ExpectedCrd {
  const std::string& target;  ///< its path
  const check::CrdShape& shape;
};

/// Brings status.storedVersions to what the run in `report` has proven, and says so there: trims
/// them, unless `report.kept_because` says why they stay. Then what the cluster has trimmed by its
/// own engine is put back; that it cannot be is a warning.
void EndStoredVersions(report::CrdMigration& report, const ExpectedCrd& crd,
                       const rewrite::MigrationSession& session);

/// How status.storedVersions is after an attempt to trim it.
struct TrimmedVersions {
  std::vector<std::string> after;  ///< what the server holds now, as far as it is known
  std::string kept_because;        ///< why it could not be trimmed; empty: it is just the storage
                                   ///< version
  bool is_changed = false;         ///< because the CRD is no longer what was expected
};

/// Sets status.storedVersions of the CRD at `target` to the storage version alone, if the CRD is
/// still what `expected` says. The write is guarded by the CRD's resourceVersion: after a conflict
/// or passing trouble of the server the CRD is read and compared again, a few times within half a
/// minute, unless the session is stopped. The server takes any names here, so the value is read
/// back.
///
/// Nothing else than this may be checked here: that every object was migrated and verified is for
/// the caller to know. Nothing is thrown for what the server says.
TrimmedVersions TrimStoredVersions(const std::string& target, const check::CrdShape& expected,
                                   const kube::client::Session& session);

/// The same, but sets `versions`: what a cluster has trimmed although it was not verified that no
/// object is stored in another version any more.
TrimmedVersions PutStoredVersionsBack(const std::string& target, const check::CrdShape& expected,
                                      const std::vector<std::string>& versions,
                                      const kube::client::Session& session);

}  // namespace migrate::migration
