#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "migrate/cluster/stale_entries.h"
#include "migrate/report/check_report.h"
#include "migrate/report/field_tally.h"

namespace migrate::cluster {

/// Counts in how many objects there are entries of a kind, such as stale ones, by version and whose
/// they are.
///
/// One tally may be filled by each thread and all be merged: the result is the same in any order.
class StaleTally {
 public:
  /// So many are kept, the first by their order: whoever writes objects can name any managers.
  static constexpr std::size_t kMost = 1000;

  /// Counts the stale entries of `object`, whose place and name `counted` is; of kMostEntries
  /// alone. Returns how many there are.
  std::uint64_t AddStale(const kube::json::Value& object, const KnownVersions& known,
                         const report::CountedObject& counted);
  /// Counts an entry of an object. Those of one object come one after the other.
  void Add(const kube::json::Value& entry, const report::CountedObject& counted);
  void Merge(const StaleTally& other);

  /// Sorted by version, manager, operation and subresource, bytewise.
  std::vector<report::StaleEntry> Report() const;

 private:
  struct Key {
    std::string api_version, manager, operation, subresource;

    auto operator<=>(const Key&) const = default;
  };
  struct Count {
    std::uint64_t objects = 0;
    report::Place last_place{};  // of the object counted last
    std::vector<std::pair<report::Place, std::string>> examples{};
  };

  static void KeepFirst(Count& count);
  void DropLast();

  std::map<Key, Count> counts_;
};

}  // namespace migrate::cluster
