#include "migrate/rewrite/run_state.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "migrate/check/crd_guard.h"
#include "migrate/cluster/private_file.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using Phase = MigrationState::Phase;

constexpr char kSweeps[] = "sweeps";
constexpr char kPartialSweeps[] = "partial";
constexpr char kSweepsBeforePruning[] = "before";
constexpr char kKnownWrites[] = "known";
constexpr char kIdentities[] = "identities";
// Of the last ones alone a Lease may be left.
constexpr std::size_t kMostIdentities = 16;

void Remove(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

fs::path Make(fs::path folder) {
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::owner_all);
  return folder;
}

}  // namespace

RunState::RunState(const fs::path& state_dir, const std::string& cluster, RunOfCrd run,
                   std::chrono::system_clock::time_point now)
    : run_(std::move(run)),
      folder_(state_dir, cluster, run_.shape.uid, run_.crd_name),
      state_(folder_.Load()) {
  RequireAddress();
  if (run_.is_partial) {
    fs::remove_all(sweep_folder());
  } else {
    TakeOver();
    MigrationState next = state_;
    if (next.generation != run_.shape.generation) next.generation_seen = check::Milliseconds(now);
    SaveShape(std::move(next));
  }
}

void RunState::RequireAddress() {
  if (state_.address.empty() || state_.address == run_.address || HasBegunNothing()) return;
  if (!run_.may_take_over || run_.may_take_over(state_.address)) return;
  throw kube::base::Error("nothing was done: what a run has left that knew the cluster as " +
                          state_.address +
                          " stays as it is; with another --state-dir this one begins anew");
}

void RunState::TakeOver() {
  if (HoldsForCrd()) {
    goes_on_ = IsBegun();
    if (!state_.stored_before.empty()) run_.stored_versions = state_.stored_before;
    if (state_.phase == Phase::kHolding) Remove(sweep_folder());
  } else if (is_pruning_on()) {
    Remove(sweep_folder());
  } else {
    folder_.Clear();
    state_ = {};
  }
}

bool RunState::HoldsForCrd() const {
  if (state_.storage_version != run_.shape.storage_version) return false;
  if (state_.generation == run_.shape.generation) return true;
  // Turning pruning on moves it by one, and may be the last thing that the earlier run did.
  return state_.phase == Phase::kBackupComplete && is_pruning_on() &&
         state_.pruning_on_resource_version.empty() &&
         state_.generation + 1 == run_.shape.generation;
}

bool RunState::IsBegun() const {
  return is_pruning_on() || fs::exists(sweep_folder()) || fs::exists(folder_before_pruning());
}

bool RunState::HasBegunNothing() const {
  return state_.phase == Phase::kBeforePruning && state_.engine_migration.empty() &&
         !fs::exists(sweep_folder()) && !fs::exists(folder_before_pruning()) &&
         !fs::exists(known_writes());
}

bool RunState::is_pruning_on() const {
  return state_.phase != Phase::kBeforePruning && !run_.shape.preserves_unknown_fields;
}

std::chrono::system_clock::duration RunState::TimeUntilNoticed(
    std::chrono::system_clock::time_point now) const {
  const bool is_seen = state_.generation == run_.shape.generation;
  return check::TimeUntilNoticed(is_seen ? state_.generation_seen : 0, now);
}

void RunState::Save(MigrationState next) {
  folder_.Save(next);
  state_ = std::move(next);
}

void RunState::SaveShape(MigrationState next) {
  next.crd_uid = run_.shape.uid;
  next.generation = run_.shape.generation;
  next.storage_version = run_.shape.storage_version;
  next.stored_before = run_.stored_versions;
  next.address = run_.address;
  Save(std::move(next));
}

void RunState::NoteBackup(const std::string& backup, std::vector<LosingObject> losing,
                          const std::string& mutation) {
  MigrationState next = state_;
  next.phase = Phase::kBackupComplete;
  next.crd_uid = run_.shape.uid;
  next.generation = run_.shape.generation;
  next.schemas = run_.shape.schemas;
  next.kept_fields = run_.shape.kept_fields;
  next.backup = backup;
  next.mutation = mutation;
  next.pruning_on_resource_version.clear();
  next.settled_resource_version.clear();
  next.losing = std::move(losing);
  Save(std::move(next));
}

void RunState::NotePruningOn(const std::string& resource_version, std::int64_t generation,
                             std::chrono::system_clock::time_point now) {
  run_.shape.generation = generation;
  run_.shape.preserves_unknown_fields = false;
  MigrationState next = state_;
  next.generation = generation;
  next.generation_seen = check::Milliseconds(now);
  next.pruning_on_resource_version = resource_version;
  Save(std::move(next));
}

void RunState::NotePruningFoundOn(const std::string& resource_version) {
  MigrationState next = state_;
  next.pruning_on_resource_version = resource_version;
  Save(std::move(next));
}

void RunState::NoteSettled(const std::string& resource_version) {
  MigrationState next = state_;
  next.settled_resource_version = resource_version;
  Save(std::move(next));
}

void RunState::NoteRewriting(const check::CrdShape& shape) {
  if (run_.is_partial) return;
  run_.shape = shape;
  MigrationState next = state_;
  next.phase = Phase::kRewriting;
  SaveShape(std::move(next));
}

std::vector<std::string> RunState::earlier_identities() const {
  const auto text = kube::base::ReadFileText((folder_.path() / kIdentities).string());
  std::vector<std::string> identities;
  if (!text) return identities;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty()) identities.emplace_back(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return identities;
}

void RunState::NoteIdentity(const std::string& identity) {
  std::vector<std::string> earlier = earlier_identities();
  const std::size_t left_out = earlier.size() - std::min(earlier.size(), kMostIdentities - 1);
  earlier.erase(earlier.begin(), earlier.begin() + static_cast<std::ptrdiff_t>(left_out));
  std::string text;
  for (const std::string& one : earlier) text += one + "\n";
  cluster::ReplacePrivateFile(folder_.path() / kIdentities, text + identity + "\n");
}

void RunState::NoteEngine(const std::string& name) {
  MigrationState next = state_;
  next.engine_migration = name;
  Save(std::move(next));
}

fs::path RunState::sweep_folder() const {
  return folder_.path() / (run_.is_partial ? kPartialSweeps : kSweeps);
}

fs::path RunState::folder_before_pruning() const { return folder_.path() / kSweepsBeforePruning; }

fs::path RunState::MakeSweepFolder() const { return Make(sweep_folder()); }

fs::path RunState::MakeFolderBeforePruning() const { return Make(folder_before_pruning()); }

void RunState::ForgetBeforePruning() { Remove(folder_before_pruning()); }

fs::path RunState::known_writes() const { return folder_.path() / kKnownWrites; }

void RunState::Close(End end) {
  if (run_.is_partial) return Remove(sweep_folder());
  switch (end) {
    case End::kInTheMiddle:
      if (HasBegunNothing()) folder_.Clear();
      return;
    case End::kHolding:
      return KeepWithoutSweeps(Phase::kHolding);
    case End::kFailures:
      if (is_pruning_on()) return KeepWithoutSweeps(Phase::kRewriting);
      return folder_.Clear();
    case End::kDone:
      return folder_.Clear();
  }
}

void RunState::KeepWithoutSweeps(Phase phase) {
  Remove(sweep_folder());
  MigrationState next = state_;
  next.phase = phase;
  Save(std::move(next));
}

}  // namespace migrate::rewrite
