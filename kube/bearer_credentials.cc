#include "kube/bearer_credentials.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "kube/base64.h"
#include "kube/error.h"
#include "kube/server_url.h"

namespace kube {
namespace {

// client-go's NewCachedFileTokenSource: a minute, and 10 s before its end it is read again.
constexpr std::chrono::seconds kTokenFileAge{50};
// Tokens are a few KiB at most; a device that never ends is no token.
constexpr std::size_t kMaxTokenBytes = 1024 * 1024;

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kSpace);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

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

Result<std::string, std::string> ReadToken(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Unexpected<std::string>("cannot read the token file \"" + path + "\"");
  std::string text(kMaxTokenBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::string token(TrimSpace(text));
  if (token.empty()) return Unexpected<std::string>("the token file \"" + path + "\" is empty");
  if (!FitsHeader(token)) return Unexpected(Misfit("the token of \"" + path + "\""));
  return token;
}

/// The bearer token of a file that somebody else renews.
class TokenFile {
 public:
  TokenFile(std::string path, const Clock& clock) : path_(std::move(path)), clock_(clock) {}

  const std::string& Token() {
    const bool stale = token_.empty() || clock_.Now() - read_at_ >= kTokenFileAge;
    if (stale) Read();
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
    auto token = ReadToken(path_);
    if (!token && token_.empty()) throw Error(token.error());
    if (!token) return;
    token_ = *std::move(token);
    read_at_ = clock_.Now();
  }

  const std::string path_;
  const Clock& clock_;
  std::string token_;
  Clock::TimePoint read_at_{};
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

class HeaderCredentials : public Credentials {
 public:
  HeaderCredentials(std::vector<HttpHeader> fixed, std::optional<TokenFile> token_file)
      : fixed_(std::move(fixed)), token_file_(std::move(token_file)) {}

  std::vector<HttpHeader> Headers() override {
    std::vector<HttpHeader> headers = fixed_;
    if (token_file_) headers.push_back({"Authorization", "Bearer " + token_file_->Token()});
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

std::optional<HttpHeader> FixedAuthorization(const ConnectionConfig& config) {
  if (!config.token.empty() && config.token_file.empty()) {
    RequireHeaderValue(config.token, "the token");
    return HttpHeader{"Authorization", "Bearer " + config.token};
  }
  if (config.username.empty()) return std::nullopt;
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
  if (IsTls(config)) {
    if (HasToken(config) && !config.username.empty()) {
      throw Error("username/password or bearer token may be set, but not both");
    }
    if (config.exec && !NamesUs(config)) {
      throw Error("credential plugins (exec) are not supported yet: the kubeconfig asks for \"" +
                  config.exec->command + "\"; use a token, e.g. --token");
    }
    if (auto header = FixedAuthorization(config)) fixed.push_back(*std::move(header));
    if (!config.token_file.empty()) token_file.emplace(config.token_file, clock).Token();
  }
  return std::make_unique<HeaderCredentials>(std::move(fixed), std::move(token_file));
}

}  // namespace kube
