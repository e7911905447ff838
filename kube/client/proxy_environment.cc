#include "kube/client/proxy_environment.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kube/base/ascii.h"
#include "kube/go/go_url.h"

namespace kube::client {
namespace {

std::string AnyVariable(const base::Environment& environment, const std::string& name) {
  std::string value = environment.variable(name);
  return value.empty() ? environment.variable(base::ToLower(name)) : value;
}

// An address of 16 bytes, IPv4 as ::ffff:a.b.c.d, so that the two can be compared.
using Address = std::array<std::uint8_t, 16>;
constexpr int kBitsBeforeIpv4 = 96;

std::optional<Address> ParseAddress(const std::string& text) {
  Address address{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
  address[10] = address[11] = 0xFF;
  if (inet_pton(AF_INET, text.c_str(), &address[12]) == 1) return address;
  return std::nullopt;
}

bool SharesBits(const Address& a, const Address& b, int bits) {
  for (int i = 0; i < bits; ++i) {
    const auto byte = static_cast<std::size_t>(i / 8);
    if ((a[byte] ^ b[byte]) & (0x80 >> (i % 8))) return false;
  }
  return true;
}

// "10.0.0.0/8"; nothing where `text` is no network.
std::optional<bool> IsInNetwork(const std::optional<Address>& address, const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto network = ParseAddress(text.substr(0, slash));
  if (!network) return std::nullopt;
  const bool is_ipv4 = text.find(':') == std::string::npos;
  int bits = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + slash + 1, end, bits);
  if (read.ec != std::errc() || read.ptr != end || bits < 0 || bits > (is_ipv4 ? 32 : 128)) {
    return std::nullopt;
  }
  return address && SharesBits(*address, *network, bits + (is_ipv4 ? kBitsBeforeIpv4 : 0));
}

struct HostPort {
  std::string host, port;  // the port is empty where there is none
};

HostPort SplitHostPort(const std::string& text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    // Without a port Go takes the brackets for part of a name.
    if (end == std::string::npos || text.substr(end + 1, 1) != ":") return {text, ""};
    return {text.substr(1, end - 1), text.substr(end + 2)};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) {
    return {text, ""};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// "example.com" is that host and those below it, ".example.com" and "*.example.com" only those.
bool IsInDomain(const std::string& host, std::string domain) {
  if (domain.starts_with("*.")) domain.erase(0, 1);
  if (domain.starts_with('.')) return host.ends_with(domain);
  return host == domain || host.ends_with("." + domain);
}

// `entry` is one of $NO_PROXY, in lower case.
bool Matches(const std::string& entry, const ServerUrl& server) {
  if (entry == "*") return true;
  const std::string host = base::ToLower(server.host);
  const std::optional<Address> address = ParseAddress(host);
  if (const auto is_in_network = IsInNetwork(address, entry)) return *is_in_network;
  const HostPort wanted = SplitHostPort(entry);
  if (wanted.host.empty() || (!wanted.port.empty() && wanted.port != server.port)) return false;
  const std::optional<Address> wanted_address = ParseAddress(wanted.host);
  if (wanted_address || address) return wanted_address == address;
  return IsInDomain(host, wanted.host);
}

bool IsExempt(const ServerUrl& server, std::string_view list) {
  while (true) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string entry = base::ToLower(base::TrimSpace(std::string(list.substr(0, end))));
    if (!entry.empty() && Matches(entry, server)) return true;
    if (end == list.size()) return false;
    list.remove_prefix(end + 1);
  }
}

}  // namespace

std::string ProxyFromEnvironment(const ServerUrl& server, const base::Environment& environment) {
  const std::string proxy =
      AnyVariable(environment, server.is_tls() ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy.empty() || server.is_loopback()) return "";
  if (IsExempt(server, AnyVariable(environment, "NO_PROXY"))) return "";
  const auto url = go::ParseUrl(proxy);
  if (!url || url->scheme.empty() || url->host.empty()) return "http://" + proxy;
  // Another proxy than of SOCKS is spoken to by http, whatever its scheme.
  const bool is_known =
      url->scheme == "http" || url->scheme == "https" || url->scheme.starts_with("socks5");
  return is_known ? proxy : "http" + proxy.substr(proxy.find(':'));
}

}  // namespace kube::client
