#include "migrate/flip/behind_flip.h"

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "migrate/crds/cluster_crds.h"
#include "migrate/crds/crd_request.h"
#include "migrate/crds/recent_change.h"
#include "migrate/flip/settle.h"
#include "migrate/lists/pager.h"
#include "migrate/lists/pause.h"

namespace migrate::flip {
namespace {

constexpr char kHeldBySchema[] =
    "nobody has written it since pruning was turned on, and the schemas are no longer those that "
    "the backup was made for";

bool IsFlipUnknown(const state::MigrationState& state) {
  return state.flip_resource_version.empty() && state.settled_resource_version.empty();
}

// Of a backup that is still needed: until all objects are rewritten.
bool IsBackupGone(const state::MigrationState& state) {
  std::error_code ignored;
  return state.phase != state::MigrationState::Phase::kHolding && !state.backup.empty() &&
         !std::filesystem::is_regular_file(state.backup, ignored);
}

EnabledPruning Interrupted() {
  return EnabledPruning::End(report::Outcome::kInterrupted, kInterruptedBehindFlip);
}

// Where the answer to the flip was lost with the run that asked for it.
std::string FindFlipVersion(const crds::LiveCrd& live, const backup::KnownWrites& known,
                            kube::client::Client& client) {
  const auto crd = crds::GetCrd(
      client, crds::FindCrdsTarget(client) + "/" + kube::client::UrlEscape(live.identity.name));
  if (!crd || crd->uid != live.shape.uid || crd->generation != known.generation() + 1) return "";
  return crd->resource_version;
}

}  // namespace

EnabledPruning BehindFlip::Finish(state::MigrationState state,
                                  std::shared_ptr<const backup::KnownWrites> known,
                                  bool waits) const {
  EnabledPruning ended;
  if (waits) ended = Wait(state, known.get());
  // A run over some of the objects may have noted it, and rewritten these since.
  const bool is_settled = waits && state.settled_resource_version.empty();
  if (ended.outcome == report::Outcome::kDone && (is_settled || IsFlipUnknown(state))) {
    ended = NoteSettled(state);
  }
  ended.backup = state.backup;
  if (ended.outcome != report::Outcome::kDone || options.rewrite_unbacked) return ended;
  // Neither a backup nor what it knows: the earlier run was one without.
  if (known == nullptr && state.backup.empty()) return ended;
  if (known == nullptr) known = std::make_shared<backup::KnownWrites>();
  ended.is_held = backup::HoldUnknown(std::move(known), state.settled_resource_version.empty()
                                                            ? state.flip_resource_version
                                                            : state.settled_resource_version);
  return ended;
}

// Until a server has noticed the flip it stores what it is sent unpruned, and shows it pruned
// from then on: what was written up to here may have lost something that nobody has seen.
EnabledPruning BehindFlip::NoteSettled(state::MigrationState& state) const {
  const auto list = client.Get(lists::WithChunk(live.ObjectsTarget(""), 1, ""));
  if (!list) {
    return EnabledPruning::End(
        report::Outcome::kError,
        "pruning is on, but the objects cannot be listed: " + list.error().message + kRunAgain);
  }
  const kube::json::Value* metadata = (*list)->root().Find("metadata");
  if (metadata != nullptr) {
    state.settled_resource_version = metadata->FindText("resourceVersion");
  }
  folder.Save(state);
  return {};
}

// What reads show is true of the servers that were met by them. State that is neither of the CRD as
// it was found nor, one on, as the flip has made it does not tell since when it is as it is.
EnabledPruning BehindFlip::Wait(const state::MigrationState& state,
                                const backup::KnownWrites* known) const {
  const std::int64_t seen =
      state.generation == live.shape.generation || state.generation == live.shape.generation + 1
          ? state.generation_seen
          : 0;
  const kube::system::Clock::TimePoint noticed =
      clock.Now() + crds::TimeUntilNoticed(seen, options.now());
  EnabledPruning ended = WaitForReads(state, known);
  if (ended.outcome == report::Outcome::kDone && !lists::PauseUntil(noticed, stop, client, clock)) {
    return Interrupted();
  }
  return ended;
}

EnabledPruning BehindFlip::WaitForReads(const state::MigrationState& state,
                                        const backup::KnownWrites* known) const {
  SettleOptions settle{.collection = live.ObjectsTarget(""),
                       .is_namespaced = live.is_namespaced,
                       .doomed = state.doomed,
                       .timeout = options.settle_timeout,
                       .stop = stop};
  if (known != nullptr) {
    settle.is_unchanged = [known](std::string_view uid, std::string_view resource_version) {
      return known->Contains(uid, resource_version);
    };
  }
  const Settled settled = WaitUntilPruning(settle, client, clock);
  switch (settled.step) {
    case Settled::Step::kDone:
    case Settled::Step::kNothingTells:
      if (!settled.message.empty()) observer.OnLine(settled.message);
      return {};
    case Settled::Step::kInterrupted:
      return Interrupted();
    case Settled::Step::kForbidden:
      return EnabledPruning::End(
          report::Outcome::kError,
          "pruning is on, but whether every API server prunes cannot be seen (" + settled.message +
              "); nothing was rewritten; with the right to get these objects the same "
              "command goes on from here");
    case Settled::Step::kTimedOut:
      break;
  }
  return EnabledPruning::End(
      report::Outcome::kError,
      "pruning is on, but not every API server prunes yet (" + settled.message +
          "); nothing was rewritten; run the same command again, with a longer "
          "--settle-timeout if need be");
}

namespace {

EnabledPruning Resume(state::MigrationState state, const crds::LiveCrd& crd,
                      const EnablePruningOptions& options, state::StateFolder& folder,
                      sweep::MigrationObserver& observer, kube::client::Client& client,
                      const kube::system::Clock& clock) {
  std::shared_ptr<const backup::KnownWrites> known;
  if (auto read = backup::KnownWrites::Read(folder.path())) {
    known = std::make_shared<backup::KnownWrites>(*std::move(read));
  }
  if (state.flip_resource_version.empty() && known != nullptr) {
    state.flip_resource_version = FindFlipVersion(crd, *known, client);
    folder.Save(state);
  }
  bool are_schemas_changed = false;
  if (state.schemas != crd.shape.schemas) {
    state.doomed.clear();
    if (known != nullptr || !state.backup.empty()) {
      known = std::make_shared<backup::KnownWrites>();
      are_schemas_changed = true;
      observer.OnLine("Warning: " + crd.identity.name +
                      ": the schemas were changed since the backup was made; objects that nobody "
                      "has written since pruning was turned on are not taken for backed up");
    }
  }
  EnabledPruning ended =
      BehindFlip{crd, options, options.stop, folder, observer, client, clock}.Finish(
          state, known, state.phase == state::MigrationState::Phase::kBackupComplete);
  if (are_schemas_changed) ended.held_because = kHeldBySchema;
  return ended;
}

}  // namespace

std::string BrokenBehindFlip(const std::string& what) {
  return "pruning is on, but this run broke off: " + what +
         "\nthe same command, with the same --state-dir, goes on from here";
}

EnabledPruning ResumePruning(const crds::LiveCrd& crd, const EnablePruningOptions& options,
                             state::StateFolder& folder, sweep::MigrationObserver& observer,
                             kube::client::Client& client, const kube::system::Clock& clock) {
  const state::MigrationState state = folder.Load();
  if (IsBackupGone(state) && !options.rewrite_unbacked && !options.no_backup) {
    return EnabledPruning::End(
        report::Outcome::kError,
        "pruning is on, and the backup " + state.backup +
            " is not there any more; objects that are not rewritten yet still have their "
            "fields in etcd; nothing was rewritten; put the backup back, or go on without it "
            "by --rewrite-unbacked");
  }
  try {
    return Resume(state, crd, options, folder, observer, client, clock);
  } catch (const std::exception& error) {
    EnabledPruning ended =
        EnabledPruning::End(report::Outcome::kError, BrokenBehindFlip(error.what()));
    ended.backup = state.backup;
    return ended;
  }
}

}  // namespace migrate::flip
