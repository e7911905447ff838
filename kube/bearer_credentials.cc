#include "kube/bearer_credentials.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kube/base64.h"
#include "kube/error.h"
#include "kube/file_text.h"
#include "kube/server_url.h"
#include "kube/space.h"

namespace kube {
namespace {

// client-go's NewCachedFileTokenSource: a minute, and 10 s before its end it is read again.
constexpr std::chrono::seconds kTokenFileAge{50};

/// A line break in a header would begin another header.
bool FitsHeader(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7F';
  });
}

std::string Misfit(const std::string& what) {
  return what + " has control characters, which no header can carry";
}

void RequireHeaderValue(std::string_view value, const std::string& what) {
  if (!FitsHeader(value)) throw Error(Misfit(what));
}

/// The bearer token of a file that somebody else renews.
class TokenFile {
 public:
  /// `token` counts until the file could be read; it may be empty.
  TokenFile(std::string path, std::string token, const Clock& clock)
      : path_(std::move(path)), token_(std::move(token)), clock_(clock) {}

  const std::string& Token() {
    if (!read_at_ || clock_.Now() - *read_at_ >= kTokenFileAge) Read();
    return token_;
  }
  /// Reads the file now. True if it has another token than before.
  bool ReadAgain() {
    const std::string before = token_;
    Read();
    return token_ != before;
  }

 private:
  void Read() {
    const auto text = ReadFileText(path_);
    const std::string token = text ? TrimSpace(*text) : "";
    if (!token.empty() && FitsHeader(token)) {
      token_ = token;
      read_at_ = clock_.Now();
    } else if (token_.empty()) {
      if (!text) throw Error("cannot read the token file: " + text.error().message);
      if (token.empty()) throw Error("the token file \"" + path_ + "\" is empty");
      throw Error(Misfit("the token of \"" + path_ + "\""));
    }
  }

  const std::string path_;
  std::string token_;
  const Clock& clock_;
  std::optional<Clock::TimePoint> read_at_;
};

/// What client-go's headerKeyEscape keeps in the name of a header.
bool IsHeaderNameCharacter(char c) {
  constexpr std::string_view kOthers = "!#$&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kOthers.find(c) != kOthers.npos;
}

std::string EscapeHeaderName(std::string_view key) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsHeaderNameCharacter(c)) {
      escaped += c;
    } else {
      escaped += {'%', kHex[byte >> 4], kHex[byte & 0xF]};
    }
  }
  return escaped;
}

std::vector<HttpHeader> ImpersonationHeaders(const Impersonation& whom) {
  std::vector<HttpHeader> headers;
  if (whom.user.empty()) return headers;
  headers.push_back({"Impersonate-User", whom.user});
  if (!whom.uid.empty()) headers.push_back({"Impersonate-Uid", whom.uid});
  for (const std::string& group : whom.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : whom.extra) {
    for (const std::string& value : values) {
      headers.push_back({"Impersonate-Extra-" + EscapeHeaderName(key), value});
    }
  }
  for (const HttpHeader& header : headers) RequireHeaderValue(header.value, header.name);
  return headers;
}

HttpHeader Bearer(const std::string& token) { return {"Authorization", "Bearer " + token}; }

class HeaderCredentials : public Credentials {
 public:
  HeaderCredentials(std::vector<HttpHeader> fixed, std::optional<TokenFile> token_file)
      : fixed_(std::move(fixed)), token_file_(std::move(token_file)) {}

  std::vector<HttpHeader> Headers() override {
    std::vector<HttpHeader> headers = fixed_;
    if (token_file_) headers.push_back(Bearer(token_file_->Token()));
    return headers;
  }
  bool Refresh() override { return token_file_ && token_file_->ReadAgain(); }

 private:
  std::vector<HttpHeader> fixed_;
  std::optional<TokenFile> token_file_;
};

bool HasToken(const ConnectionConfig& config) {
  return !config.token.empty() || !config.token_file.empty();
}

bool NamesUs(const ConnectionConfig& config) {
  return HasToken(config) || !config.username.empty() || !config.client_certificate_pem.empty();
}

void RequireNoPlugin(const ConnectionConfig& config) {
  if (!config.exec || NamesUs(config)) return;
  throw Error("credential plugins (exec) are not supported yet: the kubeconfig asks for \"" +
              config.exec->command + "\"; use a token, e.g. --token");
}

std::optional<HttpHeader> Basic(const ConnectionConfig& config) {
  if (config.username.empty() && config.password.empty()) return std::nullopt;
  return HttpHeader{"Authorization",
                    "Basic " + EncodeBase64(config.username + ":" + config.password)};
}

bool IsTls(const ConnectionConfig& config) {
  const auto url = ParseServerUrl(config.server);
  return url && url->is_tls();
}

}  // namespace

std::unique_ptr<Credentials> MakeCredentials(const ConnectionConfig& config, const Clock& clock) {
  std::vector<HttpHeader> fixed = ImpersonationHeaders(config.impersonation);
  std::optional<TokenFile> token_file;
  const bool is_tls = IsTls(config);
  if (is_tls) RequireNoPlugin(config);
  if (!is_tls || !HasToken(config)) {
    if (auto header = Basic(config)) fixed.push_back(*std::move(header));
  } else {
    RequireHeaderValue(config.token, "the token");
    if (config.token_file.empty()) {
      fixed.push_back(Bearer(config.token));
    } else {
      token_file.emplace(config.token_file, config.token, clock).Token();
    }
  }
  return std::make_unique<HeaderCredentials>(std::move(fixed), std::move(token_file));
}

}  // namespace kube
