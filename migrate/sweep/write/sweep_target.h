#pragma once

#include <string>

namespace migrate::sweep::write {

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
};

/// One of the objects that are named, as --retry-from does.
struct ObjectName {
  std::string namespace_, name;
};

}  // namespace migrate::sweep::write
