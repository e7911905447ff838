#pragma once

#include <string>
#include <vector>

#include "kube/json/json.h"
#include "migrate/check/crd_check.h"

namespace migrate::check {

/// What pruning, once it is on, will do to single objects of a CRD that preserves unknown fields.
/// May be used by several threads.
class RewriteForecast {
 public:
  /// Objects are read and written in `read_version`. With `in_one_pass` they may be stored in any
  /// of status.storedVersions, and the worst case counts; otherwise they are stored in the storage
  /// version. `check` must outlive it.
  RewriteForecast(const CrdCheck& check, const std::string& read_version, bool in_one_pass);

  /// True if a field or null goes from the object, or a default comes to it, when it is rewritten;
  /// also if it cannot be read any more. What the server alone looks after is not counted.
  bool Changes(const kube::json::Value& object) const;

  /// The fields that no read in the read version shows once the server prunes, as it records them;
  /// sorted. Of very many some, and none that is longer than 4 KiB.
  std::vector<std::string> LosingPaths(const kube::json::Value& object) const;

 private:
  bool ChangesFrom(const kube::json::Value& object, const std::string& stored_version) const;

  const kube::crd::CustomResourceServer& server_;
  std::string group_, storage_version_, read_version_;
  std::vector<std::string> stored_versions_;  // that an object may be stored in
  std::vector<std::string> read_by_;          // versions whose schema prunes every read
};

}  // namespace migrate::check
