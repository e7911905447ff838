#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/migration/settle_rounds.h"
#include "migrate/rewrite/migration_state.h"

namespace migrate::migration {

struct SettleOptions {
  std::string collection;  ///< target of the list in all namespaces: "/apis/g/v1/widgets"
  bool is_namespaced = true;
  std::vector<rewrite::DoomedObject> doomed;
  kube::base::Clock::Duration timeout{};
  /// True if what etcd holds of an object as of this write surely has its doomed fields; empty:
  /// that is not known, and taken for granted.
  std::function<bool(std::string_view uid, std::string_view resource_version)> is_unchanged{};
};

struct Settled {
  enum class Step {
    kDone,          ///< the server prunes
    kNothingTells,  ///< there is no object, or none any more, that could show it
    kForbidden,     ///< objects may not be read
    kTimedOut,      ///< a read still shows a doomed field, or was not answered
    kInterrupted,
  };
  Step step = Step::kDone;
  std::string message;  ///< for people: "waiting until the server prunes: 5 of 5 reads pruned (2.1
                        ///< s)", or what the last round showed
};

/// Waits until the server prunes what it reads, as SettleRounds decides it.
Settled WaitUntilPruning(const SettleOptions& options, const kube::client::Session& session);

}  // namespace migrate::migration
