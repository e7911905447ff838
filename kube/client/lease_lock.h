#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/gathered_call.h"
#include "kube/client/lease_record.h"
#include "kube/client/session.h"
#include "kube/json/json.h"

namespace kube::client {

inline constexpr std::string_view kLeases = "leases.coordination.k8s.io";

/// An object with which a Lease is deleted by the cluster; one without a namespace, or of the same.
struct LeaseOwner {
  std::string api_version, kind, name, uid;
};

/// One Lease in the cluster, read and written by one call at a time (client-go
/// tools/leaderelection/resourcelock/leaselock.go).
class LeaseLock : private client::GatheredCall {
 public:
  enum class Action : std::uint8_t { kGet, kCreate, kUpdate };
  /// Is called at the end of each call, from within Client::Poll; absent: it was done. May begin
  /// the next.
  using DoneFunction = std::function<void(const std::optional<CallError>& error)>;

  /// What `session` refers to must outlive it. `owner` is that of a Lease that is created.
  LeaseLock(std::string namespace_name, std::string name, const Session& session,
            DoneFunction on_done, std::optional<LeaseOwner> owner = std::nullopt);

  // Each begins a call; it is sent by the next Client::Poll, and never sent again by itself. One
  // that is under way is forgotten.

  void Get();
  void Create(const LeaseRecord& record);
  /// Replaces the spec of what was read or written last, as long as the server has just that.
  void Update(const LeaseRecord& record);
  /// Forgets a call that is under way: whether it is done is unknown. The next one does not trust
  /// the connection.
  void Abandon();

  using GatheredCall::is_under_way;
  /// What the last call does, or did, and when it was begun.
  Action action() const { return action_; }
  base::Clock::TimePoint begun_at() const { return begun_at_; }

  /// What the server had, as of the last call that was done. `spec_text` is all of the spec.
  const LeaseRecord& record() const { return record_; }
  const std::string& spec_text() const { return spec_text_; }

 private:
  void OnDone() override;
  void Begin(Action action, std::string method, const std::string& path, std::string body);
  std::optional<CallError> HandleAnswer();

  const std::string namespace_, name_;
  const Session session_;
  const DoneFunction on_done_;
  const std::optional<LeaseOwner> owner_;
  Action action_ = Action::kGet;
  std::string request_line_;
  base::Clock::TimePoint begun_at_{};
  bool is_connection_doubtful_ = false;
  json::Document lease_;
  LeaseRecord record_;
  std::string spec_text_;
};

}  // namespace kube::client
