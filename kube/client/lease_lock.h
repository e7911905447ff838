#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/gathered_call.h"
#include "kube/client/session.h"
#include "kube/json/json.h"

namespace kube::client {

/// The spec of a Lease of coordination.k8s.io/v1, as far as elections have to do with it.
struct LeaseRecord {
  std::string holder_identity;              ///< empty: nobody
  std::int32_t lease_duration_seconds = 0;  ///< 0: it does not say, and so has expired
  std::string acquire_time, renew_time;     ///< each a MicroTime, as written; empty: none is said
  std::int32_t lease_transitions = 0;       ///< how often the holder has changed

  bool operator==(const LeaseRecord&) const = default;
};

/// Reads a spec, which may be any value. What an API server would not store, such as a negative
/// number or a time that is none, is as if it were absent.
LeaseRecord ReadLeaseRecord(const json::Value& spec);

/// The spec. Borrows the texts of `record`. Times that are empty are left out.
json::Value MakeLeaseSpec(const LeaseRecord& record, json::Arena& arena);

/// A time as a MicroTime is written: "2006-01-02T15:04:05.000000Z". An API server takes no other
/// number of digits (apimachinery pkg/apis/meta/v1/micro_time.go).
std::string MicroTime(std::chrono::system_clock::time_point time);

/// For people: `the Lease "default/boss"`.
std::string LeaseText(const std::string& namespace_name, const std::string& name);

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
