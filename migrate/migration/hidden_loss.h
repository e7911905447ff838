#pragma once

#include <string>

#include "migrate/check/live_crd.h"
#include "migrate/migration/migration.h"
#include "migrate/rewrite/migration_observer.h"

namespace migrate::migration {

/// Tells what etcd may hold of the objects of a CRD that prunes already (flip/hidden_fields.h).
/// Whoever asks for pruning (MigrationOptions::enable_pruning) thinks that it is off and that a
/// backup will be made, and is asked, but for a dry run. `list_target`: path of the objects' list.
///
/// Returns why the run must not go on; empty: it may, or the session was stopped.
std::string AskHiddenLoss(const check::LiveCrd& crd, const std::string& list_target,
                          const MigrationOptions& options,
                          const rewrite::MigrationSession& session);

}  // namespace migrate::migration
