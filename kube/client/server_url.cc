#include "kube/client/server_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace kube::client {
namespace {

bool IsPort(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, port);
  return read.ec == std::errc() && read.ptr == end;
}

/// Splits "host:port", "[::1]:port", "host" into host and port; false if it is none of these.
bool SplitAuthority(std::string_view authority, ServerUrl& url) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == authority.npos) return false;
    url.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (port.empty() || port == ":") {
    url.port = url.is_tls() ? "443" : "80";
  } else {
    url.port = port.substr(1);
  }
  return !url.host.empty() && (port.empty() || port.front() == ':') && IsPort(url.port);
}

bool IsIpv4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

/// "127.1", "0x7f.1" or "2130706433": C libraries read an address of IPv4 in such a host, and Go a
/// name. Ours must not go where kubectl does not.
bool IsOddNumber(const std::string& host) {
  const std::string_view last = std::string_view(host).substr(host.rfind('.') + 1);
  const bool is_number = !last.empty() && last[0] >= '0' && last[0] <= '9' &&
                         (last.find_first_not_of("0123456789") == last.npos ||
                          last.starts_with("0x") || last.starts_with("0X"));
  return is_number && host.find(':') == host.npos && !IsIpv4(host);
}

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != '\x7F'; });
}

}  // namespace

bool ServerUrl::is_loopback() const {
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

base::Result<ServerUrl, std::string> ParseServerUrl(std::string_view text) {
  ServerUrl url;
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos)
    return base::Unexpected<std::string>("it has no scheme, as in https://HOST");
  url.scheme = text.substr(0, scheme);
  if (url.scheme != "http" && url.scheme != "https") {
    return base::Unexpected<std::string>("scheme \"" + url.scheme + "\" is not http or https");
  }
  std::string_view rest = text.substr(scheme + 3);
  if (!IsPlain(rest)) return base::Unexpected<std::string>("it has blanks or control characters");
  const std::size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  url.authority = rest.substr(0, path);
  url.authority.erase(0, url.authority.rfind('@') + 1);
  url.path = rest.substr(path, rest.find_first_of("?#") - path);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (!SplitAuthority(url.authority, url)) {
    return base::Unexpected<std::string>("\"" + url.authority + "\" is no host and port");
  }
  if (!std::all_of(url.host.begin(), url.host.end(), [](char c) { return c > ' '; })) {
    return base::Unexpected<std::string>("no such host \"" + url.host +
                                         "\": a name beyond ASCII is written in its xn-- form");
  }
  if (IsOddNumber(url.host)) {
    return base::Unexpected<std::string>("no such host \"" + url.host +
                                         "\": an address of IPv4 is four numbers, as in 127.0.0.1");
  }
  return url;
}

std::string BracketHost(std::string_view host) {
  const bool is_ipv6 = host.find(':') != host.npos && !host.starts_with('[');
  return is_ipv6 ? "[" + std::string(host) + "]" : std::string(host);
}

}  // namespace kube::client
