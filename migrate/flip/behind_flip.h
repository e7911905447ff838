#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "kube/client/client.h"
#include "kube/system/clock.h"
#include "migrate/backup/known_writes.h"
#include "migrate/crds/live_crd.h"
#include "migrate/flip/enable_pruning.h"
#include "migrate/state/migration_state.h"
#include "migrate/sweep/migration_observer.h"

namespace migrate::flip {

/// What is left to be done once pruning is on, for the run that has turned it on and for a later
/// one. All that it refers to must outlive it; `stop` may be the null pointer.
struct BehindFlip {
  const crds::LiveCrd& live;
  const EnablePruningOptions& options;
  const std::atomic<bool>* stop;
  state::StateFolder& folder;
  sweep::MigrationObserver& observer;
  kube::client::Client& client;
  const kube::system::Clock& clock;

  /// With `waits`, waits until every server is seen to prune, and at least as long as any change of
  /// a CRD may take, and notes in `folder` what was written by then. `known` may be the null
  /// pointer where nothing is known of writes. With kDone the result tells what is to be held.
  EnabledPruning Finish(state::MigrationState state,
                        std::shared_ptr<const backup::KnownWrites> known, bool waits) const;

 private:
  EnabledPruning NoteSettled(state::MigrationState& state) const;
  EnabledPruning Wait(const state::MigrationState& state, const backup::KnownWrites* known) const;
  EnabledPruning WaitForReads(const state::MigrationState& state,
                              const backup::KnownWrites* known) const;
};

/// The error of a run that was interrupted behind the flip.
inline constexpr char kInterruptedBehindFlip[] = "interrupted; pruning is on";

/// The error of a run that broke behind the flip by an exception with this text.
std::string BrokenBehindFlip(const std::string& what);

/// Goes on behind the flip after a run that ended there (any MigrationState::Phase but kBeforeFlip,
/// pruning is on): what is held is known from `folder`, the wait is done where it was not seen to
/// its end (kBackupComplete). An object stays held until somebody writes it, as the server prunes
/// it then, or until `rewrite_unbacked`. Where the schemas are no longer those of the backup nobody
/// knows what it lacks: every object is held that was not written since. Where the backup is not
/// there any more before all is rewritten it refuses, but with `rewrite_unbacked`. Throws
/// kube::Error where the state cannot be read; what breaks later is in the result.
EnabledPruning ResumePruning(const crds::LiveCrd& crd, const EnablePruningOptions& options,
                             state::StateFolder& folder, sweep::MigrationObserver& observer,
                             kube::client::Client& client, const kube::system::Clock& clock);

}  // namespace migrate::flip
