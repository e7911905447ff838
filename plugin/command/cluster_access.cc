#include "plugin/command/cluster_access.h"

#include <string_view>
#include <utility>

#include "kube/base/release.h"
#include "kube/base/result.h"
#include "kube/client/credentials.h"
#include "kube/client/curl_transport.h"
#include "kube/client/exec_credentials.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/transport.h"
#include "kube/go/go_format.h"
#include "kube/serve/certificates.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/report/program_name.h"
#include "plugin/command/run_facts.h"
#include "plugin/command/stop_signal.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/wording.h"

namespace plugin::command {
namespace {

void Add(std::string& words, const char* flag, const std::string& value) {
  if (!value.empty()) words.append(" ").append(flag).append(terminal::ShellWord(value));
}

void AddTrust(std::string& words, const kube::client::ConnectionFlags& connection) {
  Add(words, "--tls-server-name=", connection.tls_server_name);
  Add(words, "--certificate-authority=", connection.certificate_authority);
  if (connection.insecure_skip_tls_verify) words += " --insecure-skip-tls-verify";
}

void AddUser(std::string& words, const kube::client::ConnectionFlags& connection) {
  Add(words, "--user=", connection.user);
  Add(words, "--client-certificate=", connection.client_certificate);
  Add(words, "--client-key=", connection.client_key);
  Add(words, "--as=", connection.as);
  Add(words, "--as-uid=", connection.as_uid);
  for (const std::string& group : connection.as_groups) Add(words, "--as-group=", group);
  for (const auto& [key, values] : connection.as_user_extra) {
    for (const std::string& value : values) Add(words, "--as-user-extra=", key + "=" + value);
  }
}

}  // namespace

std::string ConnectionWords(const kube::client::ConnectionFlags& connection) {
  std::string words;
  Add(words, "--kubeconfig=", connection.kubeconfig);
  Add(words, "--context=", connection.context);
  Add(words, "--cluster=", connection.cluster);
  Add(words, "--server=", connection.server);
  AddTrust(words, connection);
  AddUser(words, connection);
  return words;
}

void LeadCommandsTo(const kube::client::ConnectionFlags& connection) {
  migrate::report::SetClusterFlags(ConnectionWords(connection));
}

namespace {

constexpr std::chrono::seconds kCertificatePatience(10);

// Where no authorities are named they are the system's.
std::string AddressOf(const kube::client::ConnectionConfig& config) {
  std::string address = config.server;
  if (config.insecure_skip_tls_verify) return address + " insecure";
  if (config.ca_pem.empty()) return address;
  address += " sha256:";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : kube::serve::Sha256(config.ca_pem)) {
    const auto byte = static_cast<unsigned char>(c);
    address.append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return address;
}

}  // namespace

ClusterAccess::ClusterAccess(const cli::CommonOptions& options, Right right,
                             const kube::base::Clock& clock,
                             std::function<void(const std::string&)> write_line)
    : ClusterAccess(options, right, clock, std::move(write_line),
                    std::make_shared<kube::client::PluginAnswer>()) {}

// The server's version was compared, or will be, by the other one.
ClusterAccess::ClusterAccess(const ClusterAccess& other, const cli::CommonOptions& options,
                             std::function<void(const std::string&)> write_line)
    : ClusterAccess(options, other.right_, other.clock_, std::move(write_line), other.answer_) {
  must_match_version_ = false;
}

ClusterAccess::ClusterAccess(const cli::CommonOptions& options, Right right,
                             const kube::base::Clock& clock,
                             std::function<void(const std::string&)> write_line,
                             std::shared_ptr<kube::client::PluginAnswer> answer)
    : right_(right),
      warnings_(write_line),
      answer_(std::move(answer)),
      clock_(clock),
      must_match_version_(options.match_server_version) {
  const kube::client::ConnectionConfig config =
      kube::client::LoadConnection(options.connection, kube::base::ProcessEnvironment());
  server_ = config.server;
  context_ = config.context;
  transport_ = std::make_unique<kube::client::CurlTransport>(config);
  kube::client::ExecOptions exec_options;
  exec_options.use_certificate = [&transport =
                                      *transport_](const kube::client::ClientCertificate& ours) {
    transport.UseCertificate(ours);
  };
  exec_options.stop = &StopFlag();
  exec_options.answer = answer_;
  if (right == Right::kRead)
    read_only_ = std::make_unique<kube::client::ReadOnlyTransport>(*transport_);
  credentials_ = kube::client::MakeCredentials(config, clock, std::move(exec_options));
  kube::client::ClientOptions client_options{
      .server = config.server,
      .user_agent = UserAgent(),
      .request_timeout =
          std::chrono::duration_cast<kube::base::Clock::Duration>(config.request_timeout),
      .stop = &StopFlag(),
      .patience = std::chrono::duration_cast<kube::base::Clock::Duration>(options.patience),
      .on_warning =
          [this](const std::string& text, const kube::client::WrittenObject& object) {
            warnings_.Take(text, object);
          },
      .on_wait = write_line,
      .on_request = write_line,
      .log_level = options.verbosity};
  patience_ = client_options.patience;
  address_ = AddressOf(config);
  client_ = std::make_unique<kube::client::Client>(
      read_only_ ? static_cast<kube::client::Transport&>(*read_only_) : *transport_, *credentials_,
      clock, std::move(client_options));
}

ClusterAccess::~ClusterAccess() = default;

migrate::report::RunFacts ClusterAccess::FactsAt(std::chrono::sys_seconds time) const {
  migrate::report::RunFacts facts = LocalFactsAt(time);
  facts.cluster = server_;
  facts.context = context_;
  return facts;
}

kube::client::Client& ClusterAccess::client() {
  if (std::exchange(must_match_version_, false)) RequireServerVersion();
  return *client_;
}

std::string ClusterAccess::ServerCertificate() {
  try {
    return transport_->ServerCertificate(kCertificatePatience);
  } catch (const kube::base::Error&) {
    return "";
  }
}

// Where kubectl compares itself, the rules that are foretold are compared: they are what changes
// from one minor version of the server to the next.
void ClusterAccess::RequireServerVersion() {
  const auto version = client_->Get("/version");
  if (!version) throw kube::base::Error(version.error().message);
  const std::string_view server = (*version)->root().FindText("gitVersion");
  if (kube::base::ParseRelease(server) == kube::base::kNewestRelease) return;
  throw kube::base::Error("server version (" + kube::go::GoQuote(server) +
                          ") differs from the version whose rules this program knows (" +
                          kube::go::GoQuote("v" + kube::base::kNewestRelease.ToString()) +
                          "); leave --match-server-version out");
}

void WarnOfMissingNamespace(const std::string& namespace_, ClusterAccess& cluster,
                            const std::function<void(const std::string&)>& write_line) {
  if (namespace_.empty()) return;
  try {
    const std::string missing =
        migrate::cluster::DescribeMissingNamespace(namespace_, cluster.client());
    if (!missing.empty()) write_line("Warning: " + terminal::Printable(missing));
  } catch (const kube::base::Error&) {
    // Credentials that nobody renews: what was done is told first.
  }
}

}  // namespace plugin::command
