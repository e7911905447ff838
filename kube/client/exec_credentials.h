#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/connection.h"
#include "kube/client/exec_protocol.h"
#include "kube/client/plugin_answer.h"

namespace kube::client {

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
