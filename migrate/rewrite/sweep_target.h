#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "kube/base/clock.h"
#include "kube/json/json.h"
#include "migrate/check/object_mutation.h"
#include "migrate/cluster/entry_cleaner.h"
#include "migrate/cluster/stale_entries.h"

namespace migrate::rewrite {

/// Which objects a sweep writes, and how.
struct SweepTarget {
  std::string group, version, plural;
  bool is_namespaced = true;
  std::string namespace_{};  ///< only of this namespace; empty: all
  std::string label_selector{}, field_selector{};
  bool dry_run = false;    ///< every write with dryRun=All
  bool by_update = false;  ///< GET and PUT where RBAC allows no patch
  /// Tells our own writes from those of others: kRewritten is then only what was not stored as it
  /// should be, kUnchanged also what another writer has stored since it was listed.
  bool ignores_other_writers = false;
  /// How long an object is tried again (RetryBudget).
  kube::base::Clock::Duration patience = std::chrono::minutes(3);
  /// Entries of managedFields that it chooses are cleaned by the write; the null pointer: they stay
  /// as they are.
  std::shared_ptr<const cluster::EntryCleaner> cleaner{};

  /// Objects are changed by it as they are written; the null pointer: they are not.
  std::shared_ptr<const check::ObjectMutation> mutation{};
  /// With `mutation`: is given each object as it was read, before the write that changes it is
  /// sent. May be empty. What it throws ends the sweep.
  std::function<void(const kube::json::Value&)> on_mutation{};

  /// By which entries are stale; the null pointer where that does not matter.
  const cluster::KnownVersions* known() const { return cleaner ? &cleaner->known() : nullptr; }
};

/// One of the objects that are named, as --retry-from does.
struct ObjectName {
  std::string namespace_, name;
};

}  // namespace migrate::rewrite
