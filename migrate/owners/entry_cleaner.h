#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/owners/stale_entries.h"

namespace migrate::owners {

/// metadata.managedFields as they are to be, and how many entries were stale.
struct CleanedEntries {
  kube::json::Value entries;  ///< an array, maybe empty
  std::uint64_t changed = 0;
};

/// Says the stale entries of an object's managedFields (KnownVersions::ThatHoldAll) in the CRD's
/// storage version: each keeps
/// what fits that version's schema (field_fit.h), its manager, operation, subresource and time.
/// Where that manager has an entry of the storage version already, for the same operation and
/// subresource, it gets what both own and the later time. An entry of which nothing is left is
/// dropped. All other entries stay as they are, in their order.
///
/// Not changed after construction.
class EntryCleaner {
 public:
  /// Keeps a copy of the CRD, which has a storage version. Throws kube::base::Error where it cannot
  /// be read.
  explicit EntryCleaner(const kube::crd::Crd& crd);

  const KnownVersions& known() const { return known_; }

  /// Absent where no entry is stale, and for objects with more than kMostLevels (field_set.h),
  /// which no server has: they could not be printed. The result refers to `object`, `arena` and
  /// this.
  std::optional<CleanedEntries> Clean(const kube::json::Value& object,
                                      kube::json::Arena& arena) const;

 private:
  std::optional<kube::json::Value> Renamed(const kube::json::Value& entry,
                                           kube::json::Arena& arena) const;

  kube::crd::Crd crd_;
  const kube::crd::CrdVersion* storage_;
  std::string api_version_;  // of the storage version
  KnownVersions known_;
};

}  // namespace migrate::owners
