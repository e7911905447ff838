#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_objects.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/proposals.h"
#include "migrate/migration/cluster_engine.h"
#include "migrate/migration/crd_lease.h"
#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/migration_observer.h"
#include "migrate/rewrite/run_state.h"

namespace migrate::migration {

/// What the migrations of all CRDs of a run share.
struct MigrationContext {
  const MigrationOptions& options;
  std::string crds_target;  ///< ClusterCrds::target
  std::string cluster;      ///< uid of the namespace kube-system; empty if unknown
  const rewrite::MigrationSession& session;
  kube::base::Clock::TimePoint found_at;            ///< when all CRDs had been read
  const std::vector<cluster::Proposal>& proposals;  ///< of MigrationOptions::filenames
  /// Nobody has taken up the StorageVersionMigration of a CRD: kAuto makes no other.
  std::atomic<bool>& is_engine_absent;
};

/// The CRD of a file that comes with pruning, in the place of the bare change.
struct CrdUpgrade {
  std::string source;  ///< the file
  std::string patch;   ///< PruningTarget::patch: what `kubectl apply` sends, and pruning
  kube::crd::Crd crd;  ///< what it makes of the CRD, but that unknown fields are preserved still
  /// As CrdShape, of `crd`; what the server stores of it differs in nothing that these look at.
  std::uint64_t schemas = 0, kept_fields = 0;
};

/// The CRD of a run: as the server has it, as a file makes it when pruning is turned on, and
/// whether it still is what it is to be. Everything but Read() is for one that was read.
class RunCrd {
 public:
  /// `target` is its path. What `session` refers to must outlive it.
  RunCrd(std::string target, const kube::client::Session& session);

  /// Reads it, also once more: as it is then it has to stay, with no upgrade and no change. Returns
  /// why it cannot be read.
  std::optional<std::string> Read();
  /// Reads it again, after pruning is on: all but its generation and pruning must be as before, or
  /// as the upgrade has it. Returns why that is not so or not known, with what to do.
  std::optional<std::string> ReadTurnedOn();
  /// It comes with pruning.
  void Upgrade(CrdUpgrade upgrade) { upgrade_ = std::move(upgrade); }

  bool is_read() const { return live_.has_value(); }
  const std::string& target() const { return target_; }
  const kube::crd::Crd& live() const { return *live_; }
  /// By which objects will be pruned, as long as pruning is off.
  const kube::crd::Crd& pruning() const { return upgrade_ ? upgrade_->crd : *live_; }
  /// PruningTarget::patch.
  std::string pruning_patch() const;
  /// Of the upgrade; 0: there is none.
  std::uint64_t upgraded_schemas() const { return upgrade_ ? upgrade_->schemas : 0; }

  /// What it is to be from now on.
  const check::CrdShape& expected() const { return guard_->expected(); }
  /// The same, but that its schemas are those that what is noted in the state folder is for.
  check::CrdShape noted_shape() const;
  /// As CrdGuard::CheckCrdUnchanged; once there is a change it stays.
  std::optional<std::string> CheckCrdUnchanged();
  bool has_changed() const { return change_.has_value(); }

 private:
  void Expect(check::CrdShape shape) { guard_.emplace(target_, std::move(shape), session_); }

  const std::string target_;
  const kube::client::Session session_;
  std::optional<kube::crd::Crd> live_;
  std::optional<CrdUpgrade> upgrade_;
  std::optional<check::CrdGuard> guard_;
  std::optional<std::string> change_;
};

/// One run over one CRD: what its steps (steps.h) share, and the account that they write. A step
/// that returns false has ended the run, and said why in `report`.
struct CrdRun {
  CrdRun(const MigrationContext& context, const check::LiveCrd& found);
  CrdRun(const CrdRun&) = delete;
  CrdRun& operator=(const CrdRun&) = delete;

  const rewrite::MigrationSession& session() const { return context.session; }
  const std::string& name() const { return found.identity.name; }
  bool is_dry_run() const { return options.dry_run != report::DryRun::kNone; }
  /// The run is to turn pruning on.
  bool turns_pruning_on() const {
    return options.enable_pruning && crd.live().preserve_unknown_fields;
  }

  void Line(const std::string& line) const { session().observer.OnLine(line); }
  /// For `return Fail(...)`.
  bool Fail(std::string why);
  /// False: the session was stopped, which ends the run.
  bool GoOn();

  /// Opens the state folder: what earlier runs have left. A dry run has its own, as it must neither
  /// use nor spoil what a true run has left. Brings `verify_from` forward where these know since
  /// when the CRD is as it is. Throws as RunState does.
  void OpenState(kube::base::Clock::TimePoint& verify_from);
  /// Closes it for a run that has ended in the middle; what cannot be written stays behind.
  void LeaveState();

  /// As CrdLease::CheckLease; absent also where there is no Lease.
  std::optional<std::string> CheckLease() { return lease ? lease->CheckLease() : std::nullopt; }
  /// The same, then RunCrd::CheckCrdUnchanged.
  std::optional<std::string> CheckCrdUnchanged();

  const MigrationContext& context;
  const MigrationOptions& options;
  const check::LiveCrd& found;  ///< as it was when all were read
  RunCrd crd;
  report::CrdMigration report;

  std::unique_ptr<cluster::TemporaryFolder> temporary{};  ///< holds `state` in a dry run
  std::unique_ptr<rewrite::RunState> state{};             ///< after OpenState()
  std::optional<CrdLease> lease{};                        ///< while it is held
  std::optional<EngineUse> engine{};                      ///< where the server has one of its own
};

/// A run over some of the objects of a CRD only.
bool IsPartial(const MigrationOptions& options);

/// The words for a change of a CRD that ends a run, with what to do about it.
std::string WithNextStep(const std::string& change, const std::string& crd_name);

/// What to do about a run that something ended which may have passed: on a line of its own.
std::string RunAnewAdvice(const report::CrdMigration& report);

}  // namespace migrate::migration
