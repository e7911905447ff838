#include "migrate/migration/after_pruning_on.h"

#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/settle.h"
#include "migrate/rewrite/known_writes.h"

namespace migrate::migration {
namespace {

using rewrite::KnownWrites;

constexpr char kHeldBySchema[] =
    "it is not in the backup, nobody has written it since pruning was turned on, and the schemas "
    "prune other fields than those that the backup was made for";

bool IsPruningUnknown(const rewrite::MigrationState& state) {
  return state.pruning_on_resource_version.empty() && state.settled_resource_version.empty();
}

// Of a backup that is still needed: until all objects are rewritten.
bool IsBackupGone(const rewrite::MigrationState& state) {
  std::error_code ignored;
  return state.phase != rewrite::MigrationState::Phase::kHolding && !state.backup.empty() &&
         !std::filesystem::is_regular_file(state.backup, ignored);
}

// The null pointer where nothing is known.
std::shared_ptr<KnownWrites> ReadKnownWrites(const rewrite::RunState& state) {
  auto known = KnownWrites::Read(state.known_writes());
  return known ? std::make_shared<KnownWrites>(*std::move(known)) : nullptr;
}

// What the backup has of the objects it has whole, whatever the schemas prune now.
std::shared_ptr<KnownWrites> BackedUpWrites(const rewrite::RunState& state) {
  std::error_code ignored;
  const bool is_there = std::filesystem::is_regular_file(state.noted().backup, ignored);
  std::shared_ptr<KnownWrites> known = is_there ? ReadKnownWrites(state) : nullptr;
  if (known == nullptr) return std::make_shared<KnownWrites>();
  known->KeepBackedUp();
  return known;
}

// Where the answer to the write that turns pruning on was lost with the run that asked for it.
std::string FindPruningOnVersion(const check::LiveCrd& live, const KnownWrites& known,
                                 kube::client::Client& client) {
  const auto crd = check::GetCrd(
      client, check::FindCrdsTarget(client) + "/" + kube::client::UrlEscape(live.identity.name));
  if (!crd || crd->uid != live.shape.uid || crd->generation != known.generation() + 1) return "";
  return crd->resource_version;
}

PruningTurnedOn Interrupted() {
  return PruningTurnedOn::End(report::Outcome::kInterrupted, kInterruptedAfterPruningOn);
}

/// What is known of the objects when pruning is on.
struct Knowledge {
  std::vector<rewrite::LosingObject> losing;
  std::shared_ptr<const KnownWrites> writes;  ///< the null pointer: nothing is known of writes
};

PruningTurnedOn WaitForReads(const PruningRun& run, const PruningOptions& options,
                             const Knowledge& known) {
  SettleOptions settle{.collection = run.crd.ObjectsTarget(""),
                       .is_namespaced = run.crd.is_namespaced,
                       .losing = known.losing,
                       .timeout = options.settle_timeout};
  if (known.writes != nullptr) {
    settle.is_unchanged = [&known](std::string_view uid, std::string_view resource_version) {
      return known.writes->Contains(uid, resource_version);
    };
  }
  const Settled settled = WaitUntilPruning(settle, run.session);
  switch (settled.step) {
    case Settled::Step::kDone:
    case Settled::Step::kNothingTells:
      if (!settled.message.empty()) run.session.observer.OnLine(settled.message);
      return {};
    case Settled::Step::kInterrupted:
      return Interrupted();
    case Settled::Step::kForbidden:
      return PruningTurnedOn::End(
          report::Outcome::kError,
          "pruning is on, but whether every API server prunes cannot be seen (" + settled.message +
              "); nothing was rewritten; with the right to get these objects the same "
              "command goes on from here");
    case Settled::Step::kTimedOut:
      break;
  }
  return PruningTurnedOn::End(
      report::Outcome::kError,
      "pruning is on, but not every API server prunes yet (" + settled.message +
          "); nothing was rewritten; run the same command again, with a longer "
          "--settle-timeout if need be");
}

// What reads show is true of the servers that were met by them.
PruningTurnedOn Wait(const PruningRun& run, const PruningOptions& options, const Knowledge& known) {
  const kube::base::Clock::TimePoint noticed =
      run.session.clock.Now() + run.state.TimeUntilNoticed(options.now());
  PruningTurnedOn ended = WaitForReads(run, options, known);
  if (ended.outcome == report::Outcome::kDone && !cluster::PauseUntil(noticed, run.session)) {
    return Interrupted();
  }
  return ended;
}

// Until a server has noticed that pruning is on it stores what it is sent unpruned, and shows it
// pruned from then on: what was written up to here may have lost something that nobody has seen.
PruningTurnedOn NoteSettled(const PruningRun& run) {
  const auto list = run.session.client.Get(cluster::WithChunk(run.crd.ObjectsTarget(""), 1, ""));
  if (!list) {
    return PruningTurnedOn::End(
        report::Outcome::kError,
        "pruning is on, but the objects cannot be listed: " + list.error().message + kGoesOn);
  }
  const kube::json::Value* metadata = (*list)->root().Find("metadata");
  run.state.NoteSettled(metadata == nullptr ? run.state.noted().settled_resource_version
                                            : std::string(metadata->FindText("resourceVersion")));
  return {};
}

PruningTurnedOn Finish(const PruningRun& run, const PruningOptions& options, Knowledge known,
                       bool waits) {
  const rewrite::MigrationState& state = run.state.noted();
  const auto settle = [&] {
    PruningTurnedOn settled;
    if (waits) settled = Wait(run, options, known);
    // A run over some of the objects may have noted it, and rewritten these since.
    const bool is_to_note =
        (waits && state.settled_resource_version.empty()) || IsPruningUnknown(state);
    return settled.outcome == report::Outcome::kDone && is_to_note ? NoteSettled(run) : settled;
  };
  // It is noted before others are waited for: what is written from then on is no longer doubtful.
  PruningTurnedOn ended = waits ? cluster::WhileOthersWork(run.session, settle) : settle();
  ended.backup = state.backup;
  if (ended.outcome != report::Outcome::kDone || options.rewrite_unbacked) return ended;
  // Neither a backup nor what it knows: the earlier run was one without.
  if (known.writes == nullptr && state.backup.empty()) return ended;
  if (known.writes == nullptr) known.writes = std::make_shared<KnownWrites>();
  ended.is_held = rewrite::HoldUnknown(known.writes, state.settled_resource_version.empty()
                                                         ? state.pruning_on_resource_version
                                                         : state.settled_resource_version);
  return ended;
}

PruningTurnedOn Resume(const PruningRun& run, const PruningOptions& options) {
  const rewrite::MigrationState& state = run.state.noted();
  const bool waits = state.phase == rewrite::MigrationState::Phase::kBackupComplete;
  Knowledge known{state.losing, ReadKnownWrites(run.state)};
  if (state.pruning_on_resource_version.empty() && known.writes != nullptr) {
    run.state.NotePruningFoundOn(FindPruningOnVersion(run.crd, *known.writes, run.session.client));
  }
  const bool prunes_the_same =
      state.schemas == run.crd.shape.schemas || state.kept_fields == run.crd.shape.kept_fields;
  if (prunes_the_same) return Finish(run, options, std::move(known), waits);
  known.losing.clear();
  if (known.writes == nullptr && state.backup.empty()) {
    return Finish(run, options, std::move(known), waits);
  }
  run.session.observer.OnLine(
      "Warning: " + run.name() +
      ": the schemas prune other fields since the backup was made; objects that are not in it, "
      "and that nobody has written since pruning was turned on, are held");
  known.writes = BackedUpWrites(run.state);
  PruningTurnedOn ended = Finish(run, options, std::move(known), waits);
  ended.held_because = kHeldBySchema;
  return ended;
}

}  // namespace

PruningTurnedOn WaitAfterPruningOn(const PruningRun& run, const PruningOptions& options) {
  Knowledge known{run.state.noted().losing, nullptr};
  if (!options.no_backup) known.writes = ReadKnownWrites(run.state);
  return Finish(run, options, std::move(known), /*waits=*/true);
}

std::string BrokenAfterPruningOn(const std::string& what) {
  return "pruning is on, but this run broke off: " + what +
         "\nthe same command, with the same --state-dir, goes on from here";
}

PruningTurnedOn ResumePruning(const PruningRun& run, const PruningOptions& options) {
  const rewrite::MigrationState& state = run.state.noted();
  if (IsBackupGone(state) && !options.rewrite_unbacked && !options.no_backup) {
    return PruningTurnedOn::End(
        report::Outcome::kError,
        "pruning is on, and the backup " + state.backup +
            " is not there any more; objects that are not rewritten yet still have their "
            "fields in etcd; nothing was rewritten; put the backup back, or go on without it "
            "by --rewrite-unbacked");
  }
  try {
    return Resume(run, options);
  } catch (const std::exception& error) {
    PruningTurnedOn ended =
        PruningTurnedOn::End(report::Outcome::kError, BrokenAfterPruningOn(error.what()));
    ended.backup = state.backup;
    return ended;
  }
}

}  // namespace migrate::migration
