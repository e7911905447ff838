#pragma once

#include <string>

#include "migrate/migration/turn_pruning_on.h"

namespace migrate::migration {

/// What is left to be done once this run has turned pruning on, and the state has noted it: waits
/// until every server is seen to prune, and at least as long as any change of a CRD may take, and
/// notes what was written by then. With kDone the result tells what is to be held.
PruningTurnedOn WaitBehindFlip(const PruningRun& run, const PruningOptions& options);

/// The error of a run that was interrupted behind the flip.
inline constexpr char kInterruptedBehindFlip[] = "interrupted; pruning is on";

/// The error of a run that broke behind the flip by an exception with this text.
std::string BrokenBehindFlip(const std::string& what);

/// Goes on behind the flip after a run that ended there (any MigrationState::Phase but kBeforeFlip,
/// pruning is on): what is held is known from the state, the wait is done where it was not seen to
/// its end (kBackupComplete). An object stays held until somebody writes it, as the server prunes
/// it then, or until `rewrite_unbacked`. Where the schemas prune other fields than when the backup
/// was made (CrdShape::kept_fields), objects that it does not have may lose something too: they are
/// held as well unless they were written since. Where the backup is not there any more before all
/// is rewritten it refuses, but with `rewrite_unbacked`. What breaks is in the result.
PruningTurnedOn ResumePruning(const PruningRun& run, const PruningOptions& options);

}  // namespace migrate::migration
