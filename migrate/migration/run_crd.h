#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "migrate/check/crd_guard.h"
#include "migrate/check/crd_shape.h"
#include "migrate/migration/crd_upgrade.h"

namespace migrate::migration {

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

}  // namespace migrate::migration
