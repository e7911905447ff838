#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "kube/base/clock.h"
#include "migrate/rewrite/migration_state.h"

namespace migrate::migration {

/// Decides by reads of doomed objects whether every server prunes. No I/O.
///
/// In each round up to five objects are read, each over a connection of its own, as servers behind
/// a load balancer notice the change of a CRD one after the other; after five rounds in a row in
/// which no read showed a doomed field pruning counts as on.
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

  SettleRounds(std::vector<rewrite::DoomedObject> doomed, kube::base::Clock::TimePoint now,
               kube::base::Clock::Duration timeout);

  Step step() const { return step_; }
  kube::base::Clock::TimePoint due() const { return due_; }
  kube::base::Clock::TimePoint deadline() const { return deadline_; }
  /// The objects of the next round; never none with kRead.
  std::vector<const rewrite::DoomedObject*> objects() const;
  /// What the round showed, one for each of objects().
  void OnRound(const std::vector<Seen>& seen, kube::base::Clock::TimePoint now);
  /// How many rounds in a row showed no doomed field.
  int rounds() const { return rounds_; }

 private:
  std::deque<rewrite::DoomedObject> doomed_;
  kube::base::Clock::TimePoint due_, deadline_;
  Step step_ = Step::kRead;
  int rounds_ = 0;
};

}  // namespace migrate::migration
