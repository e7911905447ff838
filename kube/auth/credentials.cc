#include "kube/auth/credentials.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kube/auth/header_value.h"
#include "kube/base/ascii.h"
#include "kube/base/base64.h"
#include "kube/base/error.h"
#include "kube/http/server_url.h"
#include "kube/system/file_text.h"

namespace kube::auth {
namespace {

// client-go's NewCachedFileTokenSource: a minute, and 10 s before its end it is read again.
constexpr std::chrono::seconds kTokenFileAge{50};

void RequireHeaderValue(std::string_view value, const std::string& what) {
  if (!FitsHeader(value)) throw base::Error(HeaderMisfit(what));
}

http::HttpHeader Bearer(const std::string& token) { return {"Authorization", "Bearer " + token}; }

/// The bearer token of a file that somebody else renews.
class TokenFile : public client::Credentials {
 public:
  /// `token` counts until the file could be read; it may be empty.
  TokenFile(std::string path, std::string token, const system::Clock& clock)
      : path_(std::move(path)), token_(std::move(token)), clock_(clock) {
    Read();
  }

  std::vector<http::HttpHeader> Headers() override {
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
    const auto text = system::ReadFileText(path_);
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
  const system::Clock& clock_;
  std::optional<system::Clock::TimePoint> read_at_;
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

std::vector<http::HttpHeader> ImpersonationHeaders(const config::Impersonation& whom) {
  std::vector<http::HttpHeader> headers;
  if (whom.user.empty()) return headers;
  headers.push_back({"Impersonate-User", whom.user});
  if (!whom.uid.empty()) headers.push_back({"Impersonate-Uid", whom.uid});
  for (const std::string& group : whom.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : whom.extra) {
    for (const std::string& value : values) {
      headers.push_back({"Impersonate-Extra-" + EscapeHeaderName(key), value});
    }
  }
  for (const http::HttpHeader& header : headers) RequireHeaderValue(header.value, header.name);
  return headers;
}

/// Headers that stay, and behind them what somebody else may renew.
class HeaderCredentials : public client::Credentials {
 public:
  /// `renewed` may be the null pointer.
  HeaderCredentials(std::vector<http::HttpHeader> fixed,
                    std::unique_ptr<client::Credentials> renewed)
      : fixed_(std::move(fixed)), renewed_(std::move(renewed)) {}

  std::vector<http::HttpHeader> Headers() override {
    std::vector<http::HttpHeader> headers = fixed_;
    if (!renewed_) return headers;
    for (http::HttpHeader& header : renewed_->Headers()) headers.push_back(std::move(header));
    return headers;
  }
  bool Refresh() override { return renewed_ && renewed_->Refresh(); }
  std::uint64_t version() const override { return renewed_ ? renewed_->version() : 0; }

 private:
  std::vector<http::HttpHeader> fixed_;
  std::unique_ptr<client::Credentials> renewed_;
};

bool HasToken(const config::ConnectionConfig& config) {
  return !config.token.empty() || !config.token_file.empty();
}

bool NamesUs(const config::ConnectionConfig& config) {
  return HasToken(config) || !config.username.empty() || !config.client_certificate_pem.empty();
}

std::optional<http::HttpHeader> Basic(const config::ConnectionConfig& config) {
  if (config.username.empty() && config.password.empty()) return std::nullopt;
  return http::HttpHeader{"Authorization",
                          "Basic " + base::EncodeBase64(config.username + ":" + config.password)};
}

bool IsTls(const config::ConnectionConfig& config) {
  const auto url = http::ParseServerUrl(config.server);
  return url && url->is_tls();
}

}  // namespace

std::unique_ptr<client::Credentials> MakeCredentials(const config::ConnectionConfig& config,
                                                     const system::Clock& clock,
                                                     ExecOptions exec_options) {
  std::vector<http::HttpHeader> fixed = ImpersonationHeaders(config.impersonation);
  std::unique_ptr<client::Credentials> renewed;
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

}  // namespace kube::auth
