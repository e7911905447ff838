#include "kube/client/credentials.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kube/base/base64.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/server_url.h"

namespace kube::client {

bool FitsHeader(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7F';
  });
}

std::string HeaderMisfit(const std::string& what) {
  return what + " has control characters, which no header can carry";
}

namespace {

// client-go's NewCachedFileTokenSource: a minute, and 10 s before its end it is read again.
constexpr std::chrono::seconds kTokenFileAge{50};

void RequireHeaderValue(std::string_view value, const std::string& what) {
  if (!FitsHeader(value)) throw base::Error(HeaderMisfit(what));
}

HttpHeader Bearer(const std::string& token) { return {"Authorization", "Bearer " + token}; }

/// The bearer token of a file that somebody else renews.
class TokenFile : public Credentials {
 public:
  /// `token` counts until the file could be read; it may be empty.
  TokenFile(std::string path, std::string token, const base::Clock& clock)
      : path_(std::move(path)), token_(std::move(token)), clock_(clock) {
    Read();
  }

  std::vector<HttpHeader> Headers() override {
    if (!read_at_ || clock_.Now() - *read_at_ >= kTokenFileAge) Read();
    return {Bearer(token_)};
  }
  bool Refresh() override {
    const std::uint64_t before = version_;
    Read();
    return version_ != before;
  }
  std::uint64_t version() const override { return version_; }

 private:
  void Read() {
    const auto text = base::ReadFileText(path_);
    const std::string token = text ? base::TrimSpace(*text) : "";
    if (!token.empty() && FitsHeader(token)) {
      if (token != token_) ++version_;
      token_ = token;
      read_at_ = clock_.Now();
    } else if (token_.empty()) {
      if (!text) throw base::Error("cannot read the token file: " + text.error().message);
      if (token.empty()) throw base::Error("the token file \"" + path_ + "\" is empty");
      throw base::Error(HeaderMisfit("the token of \"" + path_ + "\""));
    }
  }

  const std::string path_;
  std::string token_;
  const base::Clock& clock_;
  std::optional<base::Clock::TimePoint> read_at_;
  std::uint64_t version_ = 0;
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

/// Headers that stay, and behind them what somebody else may renew.
class HeaderCredentials : public Credentials {
 public:
  /// `renewed` may be the null pointer.
  HeaderCredentials(std::vector<HttpHeader> fixed, std::unique_ptr<Credentials> renewed)
      : fixed_(std::move(fixed)), renewed_(std::move(renewed)) {}

  std::vector<HttpHeader> Headers() override {
    std::vector<HttpHeader> headers = fixed_;
    if (!renewed_) return headers;
    for (HttpHeader& header : renewed_->Headers()) headers.push_back(std::move(header));
    return headers;
  }
  bool Refresh() override { return renewed_ && renewed_->Refresh(); }
  std::uint64_t version() const override { return renewed_ ? renewed_->version() : 0; }

 private:
  std::vector<HttpHeader> fixed_;
  std::unique_ptr<Credentials> renewed_;
};

bool HasToken(const ConnectionConfig& config) {
  return !config.token.empty() || !config.token_file.empty();
}

bool NamesUs(const ConnectionConfig& config) {
  return HasToken(config) || !config.username.empty() || !config.client_certificate_pem.empty();
}

std::optional<HttpHeader> Basic(const ConnectionConfig& config) {
  if (config.username.empty() && config.password.empty()) return std::nullopt;
  return HttpHeader{"Authorization",
                    "Basic " + base::EncodeBase64(config.username + ":" + config.password)};
}

bool IsTls(const ConnectionConfig& config) {
  const auto url = ParseServerUrl(config.server);
  return url && url->is_tls();
}

}  // namespace

std::unique_ptr<Credentials> MakeCredentials(const ConnectionConfig& config,
                                             const base::Clock& clock, ExecOptions exec_options) {
  std::vector<HttpHeader> fixed = ImpersonationHeaders(config.impersonation);
  std::unique_ptr<Credentials> renewed;
  const bool is_tls = IsTls(config);
  if (is_tls) RequireHeaderValue(config.token, "the token");
  if (is_tls && !config.token_file.empty()) {
    renewed = std::make_unique<TokenFile>(config.token_file, config.token, clock);
  } else if (is_tls && !config.token.empty()) {
    fixed.push_back(Bearer(config.token));
  } else if (auto header = Basic(config)) {
    fixed.push_back(*std::move(header));
  } else if (is_tls && config.exec && !NamesUs(config)) {
    renewed = std::make_unique<ExecCredentials>(config, clock, std::move(exec_options));
  }
  return std::make_unique<HeaderCredentials>(std::move(fixed), std::move(renewed));
}

}  // namespace kube::client
