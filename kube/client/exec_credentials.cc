#include "kube/client/exec_credentials.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "kube/base/base64.h"
#include "kube/base/mutex.h"
#include "kube/base/process.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/client/credentials.h"
#include "kube/client/pem.h"
#include "kube/go/go_format.h"
#include "kube/go/go_printable.h"
#include "kube/go/go_time.h"
#include "kube/json/json.h"
#include "kube/meta/type_meta.h"
#include "kube/meta/typed_reader.h"
#include "kube/yaml/yaml.h"

namespace kube::client {
namespace {

using json::Value;
using kube::go::GoQuote;
using kube::meta::GoType;
using kube::meta::TypedReader;

constexpr std::string_view kGroup = "client.authentication.k8s.io/";
constexpr std::string_view kKind = "ExecCredential";

/// Builds an object with its members in the order of a Go struct, those that are empty left out.
class StructBuilder {
 public:
  explicit StructBuilder(json::Arena& arena) : arena_(arena) {}

  void Add(std::string_view key, Value value) { value_.Set(key, value, arena_); }
  void AddText(std::string_view key, std::string_view text) {
    if (!text.empty()) Add(key, Value::String(arena_.Copy(text)));
  }
  void AddTrue(std::string_view key, bool value) {
    if (value) Add(key, Value::Bool(true));
  }
  Value value() const { return value_; }

 private:
  json::Arena& arena_;
  Value value_ = Value::Object();
};

Value ClusterInfo(const ConnectionConfig& config, json::Document& extension) {
  StructBuilder cluster(extension.arena());
  cluster.AddText("server", config.exec->server);
  cluster.AddText("tls-server-name", config.tls_server_name);
  cluster.AddTrue("insecure-skip-tls-verify", config.insecure_skip_tls_verify);
  cluster.AddText("certificate-authority-data", base::EncodeBase64(config.ca_pem));
  cluster.AddText("proxy-url", config.proxy_url);
  cluster.AddTrue("disable-compression", config.disable_compression);
  cluster.Add("config", extension.root());
  return cluster.value();
}

/// What the API server's serializers take for JSON and not for YAML.
bool LooksLikeJson(std::string_view text) { return base::TrimSpace(text).starts_with('{'); }

/// What is wrong with the text of an answer, without anything of it: it may be a token.
std::optional<std::string> ParseOutput(std::string_view text, json::Document& document) {
  if (LooksLikeJson(text)) {
    if (const auto error = document.Parse(text)) {
      return "couldn't get version/kind; json parse error: " + error->message;
    }
  } else if (const auto error = yaml::Parse(text, 1, document)) {
    return "line " + std::to_string(error->line) + " is neither JSON nor YAML";
  }
  const json::Type type = document.root().type();
  if (type == json::Type::kObject) return meta::RequestTypeError(document.root());
  if (type == json::Type::kNull) return std::nullopt;  // as an empty object
  return "couldn't get version/kind; json parse error: json: cannot unmarshal " +
         std::string(json::TypeName(type)) + " into Go value of type ExecCredential";
}

/// Why `root` is not what was asked for. An answer may leave out its kind.
std::optional<std::string> CredentialTypeProblem(const Value& root,
                                                 const std::string& api_version) {
  std::string version(root.FindText("apiVersion"));
  std::string_view kind = root.FindText("kind");
  if (kind.empty()) kind = kKind;
  if (version.empty()) {
    version = std::string(kGroup) + "__internal";
  } else if (!IsExecApiVersion(version) || kind != kKind) {
    return "decoding stdout: no kind " + GoQuote(kind) + " is registered for version " +
           GoQuote(version);
  }
  if (version == api_version) return std::nullopt;
  return "exec plugin is configured to use API version " + api_version +
         ", plugin returned version " + version;
}

/// Reads the Go type ExecCredentialStatus.
class StatusReader {
 public:
  explicit StatusReader(std::string_view package) : typed_(package) {}

  void Read(const Value& status, ExecCredential& credential) {
    const TypedReader::Step step(typed_, kKind, "status");
    if (!typed_.ExpectObject(status, GoType::Api("ExecCredentialStatus"))) return;
    ReadText(status, "token", credential.token);
    ReadText(status, "clientCertificateData", credential.certificate.certificate_pem);
    ReadText(status, "clientKeyData", credential.certificate.key_pem);
    ReadTime(status, credential.expires_at);
  }
  const std::optional<TypedReader::Error>& error() const { return typed_.error(); }

 private:
  static constexpr std::string_view kType = "ExecCredentialStatus";

  void ReadText(const Value& status, std::string_view name, std::string& text) {
    const Value* value = status.Find(name);
    if (value == nullptr) return;
    const TypedReader::Step step(typed_, kType, name);
    typed_.Read(*value, text);
  }

  void ReadTime(const Value& status, std::optional<std::chrono::sys_seconds>& expires_at) {
    constexpr std::string_view kName = "expirationTimestamp";
    const Value* value = status.Find(kName);
    if (value == nullptr || value->is_null()) return;
    const TypedReader::Step step(typed_, kType, kName);
    if (!value->is_string()) return typed_.NoteMismatch(*value, "string");
    const auto time = go::ParseGoTime(value->text());
    if (!time) return typed_.Refuse(time.error());
    if (!time->IsZero()) expires_at.emplace(std::chrono::seconds(time->unix_seconds));
  }

  TypedReader typed_;
};

std::optional<std::string> CertificateProblem(const ClientCertificate& certificate) {
  const auto problem = KeyPairProblem(certificate.certificate_pem, certificate.key_pem);
  if (!problem) return std::nullopt;
  return "failed parsing client key/certificate: " + *problem;
}

/// Why nothing can be done with it, in client-go's order.
std::optional<std::string> ContentProblem(const ExecCredential& credential) {
  const auto& [certificate, key] = credential.certificate;
  if (credential.token.empty() && certificate.empty() && key.empty()) {
    return "exec plugin didn't return a token or cert/key pair";
  }
  if (certificate.empty() != key.empty()) {
    return "exec plugin returned only certificate or key, not both";
  }
  return certificate.empty() ? std::nullopt : CertificateProblem(credential.certificate);
}

/// unicode.Z, and the ASCII white space.
bool IsWhiteSpace(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

}  // namespace

bool IsExecApiVersion(std::string_view api_version) {
  if (!api_version.starts_with(kGroup)) return false;
  const std::string_view version = api_version.substr(kGroup.size());
  return version == "v1" || version == "v1beta1";
}

std::string ExecInfo(const ConnectionConfig& config, bool is_interactive) {
  json::Document extension;  // null where there is none
  if (!config.exec->cluster_config.empty()) {
    (void)extension.Parse(config.exec->cluster_config);  // was printed by us
  }
  json::Arena& arena = extension.arena();
  StructBuilder spec(arena);
  if (config.exec->provide_cluster_info) spec.Add("cluster", ClusterInfo(config, extension));
  spec.Add("interactive", Value::Bool(is_interactive));
  StructBuilder info(arena);
  info.AddText("kind", kKind);
  info.AddText("apiVersion", config.exec->api_version);
  info.Add("spec", spec.value());
  return json::Print(info.value(), json::KeyOrder::kAsWritten) + "\n";
}

base::Result<ExecCredential, std::string> ReadExecCredential(std::string_view output,
                                                             const std::string& api_version) {
  json::Document document;
  if (auto problem = ParseOutput(output, document)) {
    return base::Unexpected("decoding stdout: " + *std::move(problem));
  }
  const Value& root = document.root();
  if (auto problem = CredentialTypeProblem(root, api_version))
    return base::Unexpected(*std::move(problem));
  const Value* status = root.Find("status");
  if (status == nullptr || status->is_null()) {
    return base::Unexpected(std::string("exec plugin didn't return a status field"));
  }
  ExecCredential credential;
  StatusReader reader(std::string_view(api_version).substr(kGroup.size()));
  reader.Read(*status, credential);
  if (reader.error()) return base::Unexpected("decoding stdout: " + reader.error()->message);
  if (auto problem = ContentProblem(credential)) return base::Unexpected(*std::move(problem));
  return credential;
}

std::string PrintableHint(std::string_view hint) {
  std::string printable;
  while (!hint.empty()) {
    const base::Rune rune = base::DecodeRune(hint);
    if (go::IsGoPrintable(rune.value) || IsWhiteSpace(rune.value)) {
      printable += rune.IsBad() ? "\xEF\xBF\xBD" : hint.substr(0, rune.size);
    } else {
      std::array<char, 16> name{};
      (void)std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(rune.value));
      printable += name.data();
    }
    hint.remove_prefix(rune.size);
  }
  return printable;
}

base::Result<PluginAnswer::Given, std::string> PluginAnswer::After(std::uint64_t known,
                                                                   const UsableFunction& is_usable,
                                                                   const RunFunction& run) {
  const base::MutexLock lock(mutex_);
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
base::Mutex terminal;

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
  std::optional<base::MutexLock> asking;
  if (is_interactive) asking.emplace(terminal);
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
