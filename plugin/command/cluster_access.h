#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "kube/base/clock.h"
#include "kube/client/connection.h"
#include "kube/client/session.h"
#include "migrate/report/program_name.h"
#include "plugin/cli/common_flags.h"
#include "plugin/command/server_warnings.h"
#include "plugin/command/stop_signal.h"

namespace kube::client {
class CurlTransport;
class PluginAnswer;
}  // namespace kube::client

namespace plugin::command {

// Flags as the next command needs them, each behind a blank and a word of a shell.

/// Those by which it is the same user of the same cluster: " --context=staging --as=alice". Without
/// secrets: a token and a password are left out.
std::string ConnectionWords(const kube::client::ConnectionFlags& connection);
/// Has each command that this run tells lead there, too (migrate::report::ClusterFlags).
void LeadCommandsTo(const kube::client::ConnectionFlags& connection);

/// The way to the cluster that flags, kubeconfig and environment name.
class ClusterAccess {
 public:
  enum class Right {
    kRead,   ///< whatever would change something is refused (kube::client::ReadOnlyTransport)
    kWrite,  ///< everything is sent
  };

  /// Contacts nothing yet. `write_line` is given warnings of the server, its wishes to wait, and
  /// with -v a line a request. `clock` must outlive it. Throws kube::base::Error if the kubeconfig
  /// cannot be used.
  ClusterAccess(const cli::CommonOptions& options, Right right, const kube::base::Clock& clock,
                std::function<void(const std::string&)> write_line);
  /// A connection of its own to where `other` goes, for another thread: what a credential plugin
  /// gives for one of both is used by the other too. `options` are those of `other`, which may end
  /// before it.
  ClusterAccess(const ClusterAccess& other, const cli::CommonOptions& options,
                std::function<void(const std::string&)> write_line);
  ~ClusterAccess();

  /// With --match-server-version the first call asks the server for its version, and throws
  /// kube::base::Error if it is another one.
  kube::client::Client& client();
  /// client() for as long as no signal says to stop.
  kube::client::Session session() {
    return {.client = client(),
            .clock = clock_,
            .stop = &StopFlag(),
            .patience = patience_,
            .address = address_};
  }
  /// The certificate by which the server is known, PEM. It may need ten seconds. Empty: it shows
  /// none, or cannot be reached; who asks it for more gets to know why.
  std::string ServerCertificate();
  /// Tells what the server warned of at the writes of objects so far, by `write_line`. To be
  /// called when they are done.
  void TellWarnings() { warnings_.TellOfObjects(); }
  /// Which cluster a report is of, as it is at `time`.
  migrate::report::RunFacts FactsAt(std::chrono::sys_seconds time) const;

 private:
  ClusterAccess(const cli::CommonOptions& options, Right right, const kube::base::Clock& clock,
                std::function<void(const std::string&)> write_line,
                std::shared_ptr<kube::client::PluginAnswer> answer);

  void RequireServerVersion();

  const Right right_;
  ServerWarnings warnings_;
  std::shared_ptr<kube::client::PluginAnswer> answer_;
  std::unique_ptr<kube::client::CurlTransport> transport_;
  std::unique_ptr<kube::client::Transport> read_only_;  // before transport_; absent with kWrite
  std::unique_ptr<kube::client::Credentials> credentials_;
  std::unique_ptr<kube::client::Client> client_;
  const kube::base::Clock& clock_;
  kube::base::Clock::Duration patience_{};
  std::string address_;
  std::string server_, context_;
  bool must_match_version_;
};

/// Warns by `write_line` of a namespace that does not exist: what was read of it is as empty as if
/// it held nothing. Asks nobody where it is empty.
void WarnOfMissingNamespace(const std::string& namespace_, ClusterAccess& cluster,
                            const std::function<void(const std::string&)>& write_line);

}  // namespace plugin::command
