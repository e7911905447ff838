#include "plugin/command/cluster_identity.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "kube/base/result.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/lease_lock.h"
#include "migrate/cluster/pause.h"

namespace plugin::command {
namespace {

using kube::base::Clock;
using kube::client::CallError;
using kube::client::LeaseLock;
using kube::client::Meaning;
using Result = SameClusterProof::Result;

constexpr std::chrono::seconds kPauseAfterFailure(1);
// Another fleet may write the same Lease at the same time.
constexpr int kMostTries = 5;

/// The Lease as one of both sees it. What fails in passing is tried once more.
class SeenLease {
 public:
  SeenLease(const kube::client::Session& session, const std::string& lease_namespace,
            Clock::TimePoint until)
      : session_(session),
        until_(until),
        lock_(lease_namespace, kFleetLease, session,
              [this](const auto& error) { error_ = error; }) {}

  std::optional<CallError> Read() {
    return Try([this] { lock_.Get(); });
  }
  /// Behind Read(), whose error this was, or none.
  std::optional<CallError> Write(const std::string& holder, const std::optional<CallError>& read) {
    kube::client::LeaseRecord record;
    record.holder_identity = holder;
    record.lease_duration_seconds = 1;  // nobody is to wait for it
    record.renew_time = kube::client::MicroTime(std::chrono::system_clock::now());
    return Try([&] { read ? lock_.Create(record) : lock_.Update(record); });
  }
  const std::string& holder() const { return lock_.record().holder_identity; }

 private:
  std::optional<CallError> Try(const std::function<void()>& begin) {
    begin();
    const std::optional<CallError> error = Await();
    if (!error || !MayPass(MeaningOf(*error))) return error;
    const Clock::TimePoint then = session_.clock.Now() + kPauseAfterFailure;
    migrate::cluster::PauseUntil(std::min(then, until_), session_);
    begin();
    return Await();
  }

  // Whatever is wrong with one of both is no reason to end the other.
  std::optional<CallError> Await() {
    const auto is_done = [this] { return !lock_.is_under_way(); };
    std::string why = "no answer in time";
    try {
      migrate::cluster::PollUntil(until_, is_done, session_);
      if (is_done()) return error_;
      if (session_.is_stopped()) why = "interrupted";
    } catch (const kube::base::Error& error) {
      why = error.what();
    }
    lock_.Abandon();
    return CallError{.status = std::nullopt, .transport = std::nullopt, .message = why};
  }

  const kube::client::Session session_;
  const Clock::TimePoint until_;
  std::optional<CallError> error_;  // of the last call
  LeaseLock lock_;
};

bool Is(const std::optional<CallError>& error, Meaning meaning) {
  return error && MeaningOf(*error) == meaning;
}

}  // namespace

bool ClusterIdentity::IsSameWayAs(const ClusterIdentity& other) const {
  return !way.empty() && way == other.way;
}

bool ClusterIdentity::MayBe(const ClusterIdentity& other) const {
  if (!uid.empty() && !other.uid.empty()) return uid == other.uid;
  return !address.empty() && address == other.address;
}

// Behind two proxies, or two names of TLS, the same URL may be two servers.
ClusterIdentity ClusterIdentityOf(const std::string& context, const std::string& uid,
                                  const kube::client::Kubeconfig& kubeconfig) {
  ClusterIdentity identity{.uid = uid};
  const auto found = kubeconfig.contexts.find(context);
  if (found == kubeconfig.contexts.end()) return identity;
  const auto cluster = kubeconfig.clusters.find(found->second.cluster);
  if (cluster == kubeconfig.clusters.end() || cluster->second.server.empty()) return identity;
  std::string server = cluster->second.server;
  if (server.ends_with('/')) server.pop_back();
  identity.address =
      server + "\n" + cluster->second.proxy_url + "\n" + cluster->second.tls_server_name;
  identity.way = found->second.cluster + "\n" + found->second.user;
  return identity;
}

SameClusterProof ProveSameCluster(const kube::client::Session& writer,
                                  const kube::client::Session& reader,
                                  const std::string& lease_namespace,
                                  const std::function<std::string()>& make_holder,
                                  Clock::TimePoint until) {
  SeenLease written(writer, lease_namespace, until), seen(reader, lease_namespace, until);
  SameClusterProof proof;
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::optional<CallError> error = written.Read();
    if (error && !Is(error, Meaning::kNotFound)) return {Result::kNotWritten, error->message};
    const std::string holder = make_holder();
    error = written.Write(holder, error);
    proof = {Result::kNotWritten, error ? error->message : ""};
    if (Is(error, Meaning::kConflict)) continue;
    if (error) return proof;
    error = seen.Read();
    if (error && !Is(error, Meaning::kNotFound)) return {Result::kNotRead, error->message};
    if (!error && seen.holder() == holder) return {Result::kSame, ""};
    proof = {Result::kOther, ""};
  }
  return proof;
}

}  // namespace plugin::command
