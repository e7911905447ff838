#include "kube/client/server_address.h"

#include <charconv>
#include <filesystem>

#include "kube/base/result.h"
#include "kube/go/go_format.h"
#include "kube/go/go_url.h"

namespace kube::client {
namespace {

using kube::go::GoQuote;
using kube::go::GoUrl;

// Where the authority starts: behind "//", or at the start of a host without a scheme.
std::size_t AuthorityStart(std::string_view url) {
  const std::size_t slashes = url.find("//");
  return slashes == std::string_view::npos ? 0 : slashes + 2;
}

std::size_t AuthorityEnd(std::string_view url) {
  return std::min(url.find_first_of("/?#", AuthorityStart(url)), url.size());
}

// The escaped path, from "/" to the query.
std::string_view UrlPathOf(std::string_view url) {
  const std::string_view rest = url.substr(AuthorityEnd(url));
  return rest.substr(0, rest.find_first_of("?#"));
}

// What url.EscapedPath leaves as it is in a path.
constexpr char kOfPath[] = "!$&'()*+,/:;=@";

// What url.Userinfo escaped.
std::string Unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ec == std::errc()) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

// rest.Request joins paths by path.Join, which takes ".." and empty parts away.
std::string CleanPath(const std::string& path) {
  std::string clean = std::filesystem::path(path).lexically_normal().string();
  while (clean.ends_with('/')) clean.pop_back();
  return clean;
}

void SetUser(std::string_view user, ServerAddress& server) {
  const std::size_t colon = user.find(':');
  server.username = Unescape(user.substr(0, colon));
  if (colon != std::string_view::npos) server.password = Unescape(user.substr(colon + 1));
}

base::Error NoServer(std::string_view text) {
  return base::Error("host must be a URL or a host:port pair: " + GoQuote(WithoutUser(text)));
}

}  // namespace

std::string WithoutUser(std::string_view url) {
  const std::size_t start = AuthorityStart(url);
  // A password may hold what ends an authority: rather drop too much.
  const std::size_t at = url.rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(url);
  return std::string(url.substr(0, start)).append(url.substr(at + 1));
}

ServerAddress ParseServerAddress(std::string_view text) {
  std::string full(text);
  auto parsed = go::ParseUrl(full);
  if (!parsed || parsed->scheme.empty() || parsed->host.empty()) {
    full.insert(0, "http://");
    parsed = go::ParseUrl(full);
    if (!parsed || parsed->host.empty() || UrlPathOf(full).size() > 1) throw NoServer(text);
  }
  const GoUrl& url = *parsed;
  if (url.scheme != "http" && url.scheme != "https") {
    throw base::Error("cannot reach the server " + GoQuote(WithoutUser(text)) +
                      ": unsupported protocol scheme " + GoQuote(url.scheme));
  }
  ServerAddress server;
  const std::string root = url.scheme + "://" + url.host;
  server.url = root + go::EscapeUrlPart(CleanPath(Unescape(UrlPathOf(full))), kOfPath);
  server.url_as_written = root + go::EscapeUrlPart(UrlPathOf(full), std::string(kOfPath) + "%");
  server.is_tls = url.scheme == "https";
  if (url.user) SetUser(*url.user, server);
  return server;
}

std::optional<std::string> ProxyUrlProblem(std::string_view text) {
  const auto url = go::ParseUrl(text);
  if (!url) return "could not parse: " + WithoutUser(text);
  if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
    return "unsupported scheme " + GoQuote(url->scheme) + ", must be http, https, or socks5";
  }
  if (url->host.empty()) return "no host in it";
  return std::nullopt;
}

}  // namespace kube::client
