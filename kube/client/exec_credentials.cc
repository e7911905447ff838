#include "kube/client/exec_credentials.h"

#include <unistd.h>

#include <mutex>
#include <utility>

#include "kube/base/process.h"
#include "kube/base/result.h"
#include "kube/client/credentials.h"
#include "kube/go/go_format.h"

namespace kube::client {

base::Result<PluginAnswer::Given, std::string> PluginAnswer::After(std::uint64_t known,
                                                                   const UsableFunction& is_usable,
                                                                   const RunFunction& run) {
  const std::lock_guard lock(mutex_);
  if (last_ && last_->number > known && is_usable(last_->credential)) return *last_;
  auto credential = run();
  if (!credential) return base::Unexpected(std::move(credential).error());
  last_ = Given{*std::move(credential), last_ ? last_->number + 1 : 1};
  return *last_;
}

namespace {

constexpr std::string_view kInstallHelp =
    "\n\nIt looks like you are trying to use a client-go credential plugin that is not installed."
    "\n\nTo learn more about this feature, consult the documentation available at:"
    "\n      https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
    "#client-go-credential-plugins";

std::chrono::sys_seconds SystemTime() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// Of plugins that may ask the user one runs at a time, whoever they are for: they share one
// terminal.
std::mutex terminal;

bool StdinIsTerminal() { return isatty(STDIN_FILENO) != 0; }

/// Why the plugin did not run to its end, with what to do about it.
std::string Explain(const base::ProcessError& error, const std::string& install_hint) {
  using Kind = base::ProcessError::Kind;
  std::string text = "exec: " + error.message;
  if (error.kind == Kind::kNotInPath) text += kInstallHelp;
  const bool is_missing = error.kind == Kind::kNotInPath || error.kind == Kind::kNoSuchFile;
  if (is_missing && !install_hint.empty()) text += "\n\n" + PrintableHint(install_hint);
  return text;
}

}  // namespace

ExecCredentials::ExecCredentials(ConnectionConfig config, const base::Clock& clock,
                                 ExecOptions options)
    : config_(std::move(config)), clock_(clock), options_(std::move(options)) {
  if (!IsExecApiVersion(config_.exec->api_version)) {
    throw base::Error("exec plugin: invalid apiVersion " + go::GoQuote(config_.exec->api_version));
  }
  if (!options_.wall_time) options_.wall_time = SystemTime;
  if (!options_.stdin_is_terminal) options_.stdin_is_terminal = StdinIsTerminal;
  if (!options_.answer) options_.answer = std::make_shared<PluginAnswer>();
}

std::vector<HttpHeader> ExecCredentials::Headers() {
  if (!credential_ || HasExpired(*credential_)) {
    auto credential = Obtain();
    if (!credential) {
      throw base::Error("Unable to connect to the server: getting credentials: " +
                        credential.error());
    }
    Use(*std::move(credential));
  }
  if (credential_->token.empty()) return {};
  return {{"Authorization", "Bearer " + credential_->token}};
}

bool ExecCredentials::Refresh() {
  if (same_at_ && clock_.Now() - *same_at_ < kSamePause) return false;
  auto credential = Obtain();
  if (!credential) {
    throw base::Error(
        "You must be logged in to the server (Unauthorized); refreshing credentials: " +
        credential.error());
  }
  same_at_.reset();
  if (credential_ == *credential) same_at_ = clock_.Now();
  Use(*std::move(credential));
  return true;
}

bool ExecCredentials::HasExpired(const ExecCredential& credential) const {
  return credential.expires_at && options_.wall_time() >= *credential.expires_at;
}

base::Result<ExecCredential, std::string> ExecCredentials::Obtain() {
  auto given = options_.answer->After(
      number_, [this](const ExecCredential& credential) { return !HasExpired(credential); },
      [this] { return Run(); });
  if (!given) return base::Unexpected(std::move(given).error());
  number_ = given->number;
  return std::move(given->credential);
}

base::Result<ExecCredential, std::string> ExecCredentials::Run() const {
  const ExecConfig& exec = *config_.exec;
  const bool is_interactive = IsInteractive();
  if (exec.interactive_mode == "Always" && !is_interactive) {
    return base::Unexpected(
        std::string("exec plugin cannot support interactive mode: standard input is "
                    "not a terminal"));
  }
  base::ProcessRequest request;
  request.command = exec.command;
  request.arguments = exec.arguments;
  request.environment = exec.environment;
  request.environment.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo(config_, is_interactive));
  request.shares_stdin = is_interactive;
  std::unique_lock asking(terminal, std::defer_lock);
  if (is_interactive) asking.lock();
  const auto outcome = base::RunProcess(request, options_.stop);
  // Ctrl-C reaches the plugin too, and it may be the first to end.
  if (options_.stop != nullptr && *options_.stop) throw base::Error("interrupted");
  if (!outcome) return base::Unexpected(Explain(outcome.error(), exec.install_hint));
  if (outcome->exit_code != 0) {
    return base::Unexpected("exec: executable " + exec.command + " failed with exit code " +
                            std::to_string(outcome->exit_code));
  }
  auto credential = ReadExecCredential(outcome->output, exec.api_version);
  if (credential && !FitsHeader(credential->token))
    return base::Unexpected(HeaderMisfit("the token"));
  return credential;
}

bool ExecCredentials::IsInteractive() const {
  return config_.exec->interactive_mode != "Never" && options_.stdin_is_terminal();
}

void ExecCredentials::Use(ExecCredential credential) {
  const ClientCertificate before = credential_ ? credential_->certificate : ClientCertificate();
  credential_ = std::move(credential);
  ++version_;
  if (credential_->certificate != before) options_.use_certificate(credential_->certificate);
}

}  // namespace kube::client
