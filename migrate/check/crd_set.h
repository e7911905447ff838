#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/check/crd_check.h"
#include "migrate/check/crd_names.h"

namespace migrate::check {

/// The CRDs of a run, found by the group and kind of an object. May be used by several threads.
class CrdSet {
 public:
  struct Entry {
    report::Place place;  ///< decides which comes first
    std::unique_ptr<CrdCheck> check;
    CrdIdentity identity;
    bool selected = true;  ///< false: left out of the report, its objects are passed over
  };

  /// Adds a CRD.
  void Add(const report::Place& place, std::unique_ptr<CrdCheck> check, CrdIdentity identity);

  /// The CRDs for objects of this group and kind, in the order of reading; empty if there is none.
  std::vector<const Entry*> Find(std::string_view group, std::string_view kind) const;

  /// Leaves out all but the CRDs that `names` name and none that `ignored` does (IsNamed). Throws
  /// kube::base::Error for a name of `names` that fits no CRD or CRDs of different names.
  void Select(const std::vector<std::string>& names, const std::vector<std::string>& ignored);

  /// All entries, by name of the CRD, then in the order of reading.
  std::vector<const Entry*> Sorted() const;

 private:
  mutable std::shared_mutex mutex_;
  std::deque<Entry> entries_;  // entries do not move
  std::map<std::string, std::vector<Entry*>, std::less<>> by_kind_;
};

}  // namespace migrate::check
