#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/check/crd_shape.h"

namespace migrate::check {

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
