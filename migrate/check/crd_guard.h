#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"

namespace migrate::check {

// What a CRD looks like, and whether it still does.

/// What must stay as it is of a CRD while its objects are migrated.
struct CrdShape {
  std::string uid;
  std::int64_t generation = 0;
  bool preserves_unknown_fields = false;
  std::string storage_version;
  std::uint64_t schemas = 0;  ///< a hash of the schemas, by which the server prunes
  /// A hash of what pruning looks at of them (apiextensions-apiserver
  /// pkg/apiserver/schema/pruning, and the null values that defaulting drops): the same where a
  /// change of the schemas only lets more values be valid, or fewer.
  std::uint64_t kept_fields = 0;
};

CrdShape ShapeOf(const kube::crd::Crd& crd);

/// Why `crd` is no longer what `expected` says; absent if it still is. Of several changes the one
/// that explains the others.
std::optional<std::string> CheckCrdUnchanged(const CrdShape& expected, const kube::crd::Crd& crd);

/// Why what was read of the objects of a CRD does not hold for it as it is `now`, in words for a
/// check; empty if it does. Other changes than these do not matter to what was read.
std::string FindChangeWhileRead(const CrdShape& expected, const kube::json::Value& now);

/// A CRD's change may be taken for noticed by every API server after this time.
inline constexpr std::chrono::seconds kNoticed{5};

/// How long to wait from `now` on until every API server may be taken to have noticed the last
/// change of a CRD's spec: five seconds from that change, as metadata.managedFields tell it, and
/// never more, whatever the clocks say. Zero where they do not tell.
///
/// A server that has not noticed a change stores objects as before it, and takes them for stored as
/// they should be, so that no later pass over the same server would show it (k/k#130235). Usually
/// it takes a fraction of a second.
std::chrono::system_clock::duration TimeUntilNoticed(const kube::json::Value& crd,
                                                     std::chrono::system_clock::time_point now);

/// The same by what we have seen ourselves, as managedFields do not tell of every change: five
/// seconds from `seen`, MigrationState::generation_seen, on.
std::chrono::system_clock::duration TimeUntilNoticed(std::int64_t seen,
                                                     std::chrono::system_clock::time_point now);

/// A time as MigrationState::generation_seen.
std::int64_t Milliseconds(std::chrono::system_clock::time_point time);

/// The change of a CRD that is gone, and its objects with it.
inline constexpr char kCrdDeleted[] = "the CustomResourceDefinition was deleted";

/// Watches one CRD, for SweepOptions::find_change.
class CrdGuard {
 public:
  /// `target` is that of the CRD. What `session` refers to must outlive it.
  CrdGuard(std::string target, CrdShape expected, const kube::client::Session& session)
      : target_(std::move(target)), expected_(std::move(expected)), session_(session) {}

  const CrdShape& expected() const { return expected_; }
  /// Reads the CRD and compares; of one that has the resource version that was compared before only
  /// the metadata is read. Where it cannot be read it is tried again for two minutes, while
  /// requests that are under way go on; then, and at once where the right is missing, that is the
  /// change. Absent if nothing has changed, or the run is to be stopped (Session::is_stopped tells
  /// which). Throws what Client::Poll throws.
  std::optional<std::string> CheckCrdUnchanged();

 private:
  bool IsAsSeen();
  kube::base::Result<std::optional<std::string>, kube::client::CallError> Compare();

  std::string target_;
  CrdShape expected_;
  std::string seen_version_;  // resource version in which it was as expected; empty: none yet
  const kube::client::Session session_;
};

}  // namespace migrate::check
