#include "plugin/cluster_access.h"

#include <utility>

#include "kube/bearer_credentials.h"
#include "kube/curl_transport.h"
#include "kube/kubeconfig.h"
#include "kube/read_only_transport.h"
#include "plugin/stop_signal.h"
#include "plugin/version.h"

namespace plugin {
namespace {

// From this level on client-go logs each request.
constexpr int kLogsRequests = 6;

}  // namespace

ClusterAccess::ClusterAccess(const CommonOptions& options, Right right, const kube::Clock& clock,
                             std::function<void(const std::string&)> write_line) {
  const kube::ConnectionConfig config =
      kube::LoadConnection(options.connection, kube::ProcessEnvironment());
  transport_ = std::make_unique<kube::CurlTransport>(config);
  if (right == Right::kRead) read_only_ = std::make_unique<kube::ReadOnlyTransport>(*transport_);
  credentials_ = kube::MakeCredentials(config, clock);
  kube::ClientOptions client_options{
      .server = config.server,
      .user_agent = UserAgent(),
      .request_timeout = std::chrono::duration_cast<kube::Clock::Duration>(config.request_timeout),
      .stop = &StopFlag(),
      .on_warning = [write_line](const std::string& text) { write_line("Warning: " + text); },
      .on_wait = write_line,
      .on_request = nullptr};
  if (options.verbosity >= kLogsRequests) client_options.on_request = std::move(write_line);
  client_ = std::make_unique<kube::Client>(read_only_ ? *read_only_ : *transport_, *credentials_,
                                           clock, std::move(client_options));
}

ClusterAccess::~ClusterAccess() = default;

}  // namespace plugin
