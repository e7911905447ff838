#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/migration/turn_pruning_on.h"
#include "migrate/rewrite/migration_state.h"

namespace migrate::migration {

/// Decides by reads of objects that lose fields whether every server prunes. No I/O.
///
/// In each round up to five objects are read, each over a connection of its own, as servers behind
/// a load balancer notice the change of a CRD one after the other; after five rounds in a row in
/// which no read showed a field that pruning takes, pruning counts as on.
class SettleRounds {
 public:
  enum class Seen {
    kPruned,
    kUnpruned,
    kUnfit,     ///< the object is gone, another one of the same name, or was written since
    kNoAnswer,  ///< or none that tells
  };
  enum class Step {
    kRead,      ///< read objects() at due()
    kDone,      ///< every server seems to prune
    kNoneLeft,  ///< no object is left that could tell
    kTimedOut,
  };

  static constexpr int kRounds = 5;

  SettleRounds(std::vector<rewrite::LosingObject> losing, kube::base::Clock::TimePoint now,
               kube::base::Clock::Duration timeout);

  Step step() const { return step_; }
  kube::base::Clock::TimePoint due() const { return due_; }
  kube::base::Clock::TimePoint deadline() const { return deadline_; }
  /// The objects of the next round; never none with kRead.
  std::vector<const rewrite::LosingObject*> objects() const;
  /// What the round showed, one for each of objects().
  void OnRound(const std::vector<Seen>& seen, kube::base::Clock::TimePoint now);
  /// How many rounds in a row showed no field that pruning takes.
  int rounds() const { return rounds_; }

 private:
  std::deque<rewrite::LosingObject> losing_;
  kube::base::Clock::TimePoint due_, deadline_;
  Step step_ = Step::kRead;
  int rounds_ = 0;
};

struct SettleOptions {
  std::string collection;  ///< target of the list in all namespaces: "/apis/g/v1/widgets"
  bool is_namespaced = true;
  std::vector<rewrite::LosingObject> losing;
  kube::base::Clock::Duration timeout{};
  /// True if what etcd holds of an object as of this write surely has the fields that it loses;
  /// empty: that is not known, and taken for granted.
  std::function<bool(std::string_view uid, std::string_view resource_version)> is_unchanged{};
};

struct Settled {
  enum class Step {
    kDone,          ///< the server prunes
    kNothingTells,  ///< there is no object, or none any more, that could show it
    kForbidden,     ///< objects may not be read
    kTimedOut,      ///< a read still shows a field that pruning takes, or was not answered
    kInterrupted,
  };
  Step step = Step::kDone;
  std::string message;  ///< for people: "waiting until the server prunes: 5 of 5 reads pruned (2.1
                        ///< s)", or what the last round showed
};

/// Waits until the server prunes what it reads, as SettleRounds decides it.
Settled WaitUntilPruning(const SettleOptions& options, const kube::client::Session& session);

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
