#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/mutex.h"
#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/client/connection.h"

namespace kube::client {

// What is said to a credential plugin and what it answers: ExecCredential of
// client.authentication.k8s.io/v1 and v1beta1.

/// True for the versions that client-go knows.
bool IsExecApiVersion(std::string_view api_version);

/// The value of $KUBERNETES_EXEC_INFO for the plugin `config.exec`, which must be there: the same
/// bytes that kubectl 1.32 sends, with a line break at the end. Tells of the cluster only if the
/// kubeconfig wants that.
std::string ExecInfo(const ConnectionConfig& config, bool is_interactive);

/// What a plugin gave: a token, a client certificate, or both. Holds secrets: never print it.
struct ExecCredential {
  std::string token;
  ClientCertificate certificate;
  std::optional<std::chrono::sys_seconds> expires_at;  ///< absent: never

  bool operator==(const ExecCredential&) const = default;
};

/// Reads what a plugin wrote to stdout, JSON or YAML, as client-go does. `api_version` is that of
/// the kubeconfig. The error is in client-go's words, e.g. "exec plugin didn't return a status
/// field"; no token and no key is in it.
base::Result<ExecCredential, std::string> ReadExecCredential(std::string_view output,
                                                             const std::string& api_version);

/// An installHint as kubectl prints it: what could steer a terminal is written as U+001B.
std::string PrintableHint(std::string_view hint);

/// What a credential plugin gave last, for all clients of this process that are the same user of
/// the same server: a plugin may ask a person, who is to be asked once. Of several threads each may
/// call.
class PluginAnswer {
 public:
  struct Given {
    ExecCredential credential;
    std::uint64_t number = 0;  ///< greater than that of what was given before
  };
  using RunFunction = std::function<base::Result<ExecCredential, std::string>()>;
  using UsableFunction = std::function<bool(const ExecCredential&)>;

  /// The credential for who has had that of number `known`, 0 for none: what was given behind it to
  /// somebody else, where that is usable; else what `run` gives, for which others wait. Throws what
  /// `run` throws.
  base::Result<Given, std::string> After(std::uint64_t known, const UsableFunction& is_usable,
                                         const RunFunction& run);

 private:
  base::Mutex mutex_;
  std::optional<Given> last_ GUARDED_BY(mutex_);
};

/// What credential plugins need of their surroundings.
struct ExecOptions {
  /// Is given the client certificate for the next requests, when it is another one than before.
  /// Empty texts: none. Must be there if a plugin may give certificates.
  std::function<void(const ClientCertificate&)> use_certificate;
  /// Ends a plugin that runs when it becomes true. May be the null pointer.
  const std::atomic<bool>* stop = nullptr;
  /// To what expirationTimestamp is compared; empty: the system's.
  std::function<std::chrono::sys_seconds()> wall_time;
  /// Whether a plugin can ask the user; empty: whether stdin is a terminal.
  std::function<bool()> stdin_is_terminal;
  /// Shared with the other clients that are this user; the null pointer: there are none.
  std::shared_ptr<PluginAnswer> answer;
};

/// Credentials from a plugin, as client-go's plugin/pkg/client/auth/exec: run before the first
/// request, again once what it gave has expired, and after 401 once for each credential. One run at
/// a time, which the caller waits for.
///
/// After 401 requests are sent again, which client-go leaves to its user. A plugin that gives again
/// what the server has refused is left alone for kSamePause then.
///
/// For one thread; several of them may be in several threads, and of the plugins that may ask at
/// the terminal one runs at a time. Headers() and Refresh() throw kube::base::Error with kubectl's
/// words where the plugin cannot be run, fails, or gives nothing of use: "Unable to connect to the
/// server: getting credentials: exec: executable x failed with exit code 1".
class ExecCredentials : public Credentials {
 public:
  static constexpr std::chrono::seconds kSamePause{60};

  /// `config.exec` must be there; nothing is run yet. `clock` must outlive it. Throws
  /// kube::base::Error for a version of the API that client-go does not know.
  ExecCredentials(ConnectionConfig config, const base::Clock& clock, ExecOptions options);

  std::vector<HttpHeader> Headers() override;
  bool Refresh() override;
  std::uint64_t version() const override { return version_; }

 private:
  bool HasExpired(const ExecCredential& credential) const;
  base::Result<ExecCredential, std::string> Obtain();
  base::Result<ExecCredential, std::string> Run() const;
  bool IsInteractive() const;
  void Use(ExecCredential credential);

  const ConnectionConfig config_;
  const base::Clock& clock_;
  ExecOptions options_;
  std::optional<ExecCredential> credential_;
  std::uint64_t number_ = 0;  // PluginAnswer::Given::number of it
  std::uint64_t version_ = 0;
  std::optional<base::Clock::TimePoint> same_at_;  // when it gave what had been refused
};

}  // namespace kube::client
