#include "plugin/command/fleet_clusters.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/lease_lock.h"
#include "kube/go/go_format.h"
#include "kube/serve/certificates.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/private_file.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using kube::base::Error;
using kube::go::GoQuote;

constexpr std::size_t kMostListed = 20;

void AppendFile(std::vector<std::string>& patterns, const std::string& path) {
  const auto text = kube::base::ReadFileText(path);
  if (!text) throw Error("--contexts: " + text.error().message);
  const std::size_t before = patterns.size();
  for (const std::string& written : terminal::LinesOf(*text)) {
    const std::string line = kube::base::TrimSpace(written);
    if (!line.empty() && !line.starts_with('#')) patterns.push_back(line);
  }
  if (patterns.size() == before) throw Error("--contexts: " + path + " names no context");
}

// The names of contexts have slashes and may begin with a dot: neither means anything here.
bool Chooses(const std::string& pattern, const std::string& name) {
  return pattern == name || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::string WhatThereIs(const kube::client::Kubeconfig& kubeconfig) {
  if (kubeconfig.contexts.empty()) return "there is none";
  std::vector<std::string> names;
  for (const auto& [name, context] : kubeconfig.contexts) {
    if (names.size() == kMostListed) break;
    names.push_back(name);
  }
  const std::size_t left_out = kubeconfig.contexts.size() - names.size();
  return "there are: " + kube::base::Join(names, ", ") +
         (left_out == 0 ? "" : " and " + std::to_string(left_out) + " more");
}

}  // namespace

std::vector<std::string> ReadPatterns(const std::vector<std::string>& words) {
  std::vector<std::string> patterns;
  for (const std::string& word : words) {
    if (word.starts_with('@')) {
      AppendFile(patterns, word.substr(1));
    } else {
      patterns.push_back(word);
    }
  }
  return patterns;
}

std::vector<std::string> ChooseContexts(const std::vector<std::string>& patterns,
                                        const kube::client::Kubeconfig& kubeconfig) {
  std::set<std::string> chosen;
  for (const std::string& pattern : patterns) {
    bool is_of_use = false;
    for (const auto& [name, context] : kubeconfig.contexts) {
      if (!Chooses(pattern, name)) continue;
      chosen.insert(name);
      is_of_use = true;
    }
    if (is_of_use) continue;
    throw Error("no context of the kubeconfig matches " + GoQuote(pattern) + "; " +
                WhatThereIs(kubeconfig));
  }
  return {chosen.begin(), chosen.end()};
}

std::string WhyNowhere(const std::string& context, const kube::client::Kubeconfig& kubeconfig) {
  const std::string& name = kubeconfig.contexts.at(context).cluster;
  const auto cluster = kubeconfig.clusters.find(name);
  if (name.empty()) return "the context names no cluster";
  if (cluster == kubeconfig.clusters.end())
    return "the cluster " + GoQuote(name) + " does not exist";
  if (cluster->second.server.empty()) return "the cluster " + GoQuote(name) + " has no server";
  return "";
}

namespace {

constexpr std::string_view kMarks = "-_.:@+=,";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

void AppendEncoded(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

}  // namespace

std::string ContextFolder(std::string_view context) {
  std::string name;
  for (std::size_t i = 0; i < context.size(); ++i) {
    // A file whose name begins with a dot is hidden, or "." or "..".
    if (IsPlain(context[i]) && (i > 0 || context[i] != '.')) {
      name += context[i];
    } else {
      AppendEncoded(name, context[i]);
    }
  }
  if (name.empty()) return "%";
  if (name.size() <= migrate::cluster::kLongestFileName) return name;
  // What no shorter name comes to, where two digits are behind each %.
  constexpr std::size_t kDigestBytes = 16;
  std::string digest = "%";
  for (const char c : kube::serve::Sha256(context).substr(0, kDigestBytes))
    AppendEncoded(digest, c);
  name.resize(migrate::cluster::kLongestFileName - digest.size());
  return name + digest;
}

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
