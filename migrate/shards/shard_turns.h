#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/lease/crd_lease.h"
#include "migrate/shards/record_store.h"
#include "migrate/shards/shard_step.h"

namespace migrate::shards {

struct ShardTurnsOptions {
  Shard shard;
  std::string crd_name, crd_uid;
  std::string purpose;                            ///< ShardRecord::purpose
  lease::LeaseOptions lease;                      ///< with Leases
  std::vector<std::string> earlier_identities{};  ///< as lease::RequestOf takes them
  /// How long the others are waited for, as long as nothing is left to do here.
  std::chrono::nanoseconds patience = std::chrono::minutes(15);
  /// Reads the CRD. The error is for people.
  std::function<kube::base::Result<SeenCrd, std::string>()> look_at_crd;
};

/// What comes next for a shard.
struct Turn {
  enum class Kind {
    kPrepare,      ///< as ShardStep
    kClose,        ///< as ShardStep
    kFlip,         ///< it is announced: turn pruning on, as long as leads() says so
    kRewrite,      ///< as ShardStep
    kEnd,          ///< trim status.storedVersions, as long as leads() says so
    kLeave,        ///< there is nothing left to do
    kError,        ///< it cannot go on; `error` says why, and the next step
    kInterrupted,  ///< the session was stopped
  };
  Kind kind = Kind::kLeave;
  std::string error{};
  ShardRecord record{};  ///< what all share, as of the turn; an empty one before it was read
};

/// The way of one shard through a migration: asks what comes next, notes for all what was done, and
/// waits for others. What is to be done with objects and the CRD it leaves to its caller, who asks
/// for the next turn behind each.
class ShardTurns {
 public:
  using TellFunction = lease::CrdLease::TellFunction;

  /// All must outlive it.
  ShardTurns(ShardTurnsOptions options, const Records& records,
             const kube::client::Session& session, TellFunction tell);
  ShardTurns(const ShardTurns&) = delete;
  ShardTurns& operator=(const ShardTurns&) = delete;
  /// Gives the Leases back.
  ~ShardTurns();

  /// Takes the Lease of the shard, for which it waits as lease::CrdLease does, and takes part. To
  /// be called first, and once. Absent: it does; else kError or kInterrupted.
  std::optional<Turn> Begin();

  /// The next turn. Where others are waited for `keep_current` is called several times a second, if
  /// there is one; false: the open backup is not current any more, and is to be made anew.
  Turn Next(const std::function<bool()>& keep_current = {});

  // What was done in a turn:

  /// kPrepare: the backup has all objects, and is open.
  void OnOpen() { situation_.has_open_backup = true; }
  /// kClose: the backup is on the disk. `backup`: ShardPart::backup.
  void OnClosed(const Turn& turn, const std::string& backup);
  /// kFlip: the server has turned pruning on. Where that is not known nothing is to be said: the
  /// next turn looks.
  void OnFlip(const std::string& resource_version) { flip_version_ = resource_version; }
  /// kRewrite.
  void OnResult(ShardPart result);
  /// kEnd. `kept_because`: ShardRecord::kept_because.
  void OnEnd(const std::string& kept_because) { kept_because_ = kept_because; }

  /// In whatever turn: this shard gives up, which the others get to know if they can.
  void GiveUp(const std::string& why);

  /// This one still has its shard's Lease. A text: why not. As CrdLease::FindLoss.
  std::optional<std::string> FindLoss() { return own_ ? own_->FindLoss() : std::nullopt; }
  /// It has that of the CRD, by which one alone does what concerns all.
  bool leads();

 private:
  std::optional<Turn> TakeOwnLease();
  std::optional<Turn> Arrive();
  std::optional<Turn> LookForEnd();
  std::optional<Turn> Take(ShardStep step, const StoredRecord& read);
  std::optional<Turn> Note(const StoredRecord& read, ShardRecord next, ShardStep step);
  std::optional<Turn> Wait(ShardStep step, const ShardRecord& record,
                           const std::function<bool()>& keep_current);
  static Turn Error(std::string why);

  const ShardTurnsOptions options_;
  const Records& records_;
  const kube::client::Session session_;
  const TellFunction tell_;
  std::optional<lease::CrdLease> own_;               // of the shard
  std::optional<lease::Leases::Number> leadership_;  // of the CRD, held or sought
  ShardSituation situation_;
  std::string backup_, flip_version_;
  std::optional<ShardPart> result_;
  std::optional<std::string> kept_because_;  // present: what there was to do at the end is done
  std::optional<kube::system::Clock::TimePoint> waiting_since_;
  std::string told_;  // for whom it waits
};

}  // namespace migrate::shards
