#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
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

}  // namespace migrate::migration
