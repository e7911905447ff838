#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/client/session.h"
#include "migrate/cluster/list_watch.h"
#include "migrate/guard/guarded_crds.h"

namespace migrate::guard {

/// Keeps what is guarded as the cluster has it: lists the CRDs, and watches them from then on.
///
/// Needs the rights to list and to watch CRDs. For one thread, which lets the client poll.
class CrdWatch {
 public:
  /// Takes a line for people, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// `target` is that of the CRDs (check::FindCrdsTarget). `guarded`, and what `session` refers to,
  /// must outlive it.
  CrdWatch(GuardedCrds& guarded, std::string target, const kube::client::Session& session,
           LogFunction tell);

  /// Reads the CRDs for the first time. False: the session was stopped meanwhile. Throws
  /// kube::base::Error where they cannot be listed, and for a name of the selection that no CRD, or
  /// more than one, answers to.
  bool Begin();

  /// To be called several times a second. Where the watch has ended the CRDs are listed again, if
  /// need be every few seconds, and what was guarded stays so meanwhile: somebody is told once, and
  /// once it is over.
  void Advance() { watch_.Advance(); }

 private:
  class Taker;
  void HandleList();
  void HandleEvent(cluster::WatchEventType type, const kube::json::Value& object);

  GuardedCrds& guarded_;
  const std::string api_version_;  // of the CRDs of the list
  const kube::client::Session session_;
  const LogFunction tell_;
  std::shared_ptr<Taker> taker_;
  cluster::ListWatch watch_;
  bool has_begun_ = false;
};

}  // namespace migrate::guard
