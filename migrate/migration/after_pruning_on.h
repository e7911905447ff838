#pragma once

#include <string>

#include "migrate/migration/turn_pruning_on.h"

namespace migrate::migration {

/// What is left to be done once this run has turned pruning on, and the state has noted it: waits
/// until every server is seen to prune, and at least as long as any change of a CRD may take, and
/// notes what was written by then. With kDone the result tells what is to be held.
PruningTurnedOn WaitAfterPruningOn(const PruningRun& run, const PruningOptions& options);

/// The error of a run that was interrupted when pruning was on.
inline constexpr char kInterruptedAfterPruningOn[] = "interrupted; pruning is on";

/// The error of a run that broke when pruning was on, by an exception with this text.
std::string BrokenAfterPruningOn(const std::string& what);

/// Goes on where a run ended that had turned pruning on (any MigrationState::Phase but
/// kBeforePruning): what is held is known from the state, the wait is done where it was not seen to
/// its end (kBackupComplete). An object stays held until somebody writes it, as the server prunes
/// it then, or until `rewrite_unbacked`. Where the schemas prune other fields than when the backup
/// was made (CrdShape::kept_fields), objects that it does not have may lose something too: they are
/// held as well unless they were written since. Where the backup is not there any more before all
/// is rewritten it refuses, but with `rewrite_unbacked`. What breaks is in the result.
PruningTurnedOn ResumePruning(const PruningRun& run, const PruningOptions& options);

}  // namespace migrate::migration
