#include "kube/client/route.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/pem.h"
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

namespace {

std::vector<std::string> SplitAtColons(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Collects certificates, each once.
class Certificates {
 public:
  void AddAllIn(std::string_view text) {
    for (const std::string_view block : FindCertificates(text)) {
      if (known_.emplace(block).second) pem_.append(block).append("\n");
    }
  }

  std::string Take() { return std::move(pem_); }

 private:
  std::set<std::string> known_;
  std::string pem_;
};

void AddFirst(const std::vector<std::string>& files, Certificates& certificates) {
  for (const std::string& file : files) {
    const auto text = base::ReadFileText(file);
    if (!text) continue;
    return certificates.AddAllIn(*text);
  }
}

/// The files in a folder, sorted; none where it cannot be read. Links are followed; a pipe or a
/// device would block whoever reads it.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (entries->is_regular_file(ignored)) files.push_back(entries->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

CertificatePlaces SystemCertificatePlaces(const base::Environment& environment) {
  CertificatePlaces places;
  places.files = {
      "/etc/ssl/certs/ca-certificates.crt",                 // Debian
      "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora
      "/etc/ssl/ca-bundle.pem",                             // SUSE
      "/etc/pki/tls/cacert.pem",                            // OpenELEC
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat
      "/etc/ssl/cert.pem",                                  // Alpine
  };
  places.folders = {"/etc/ssl/certs", "/etc/pki/tls/certs"};
  const std::string file = environment.variable("SSL_CERT_FILE");
  if (!file.empty()) places.files = {file};
  const std::string folders = environment.variable("SSL_CERT_DIR");
  if (!folders.empty()) places.folders = SplitAtColons(folders);
  return places;
}

std::string CertificatesIn(const CertificatePlaces& places) {
  Certificates certificates;
  AddFirst(places.files, certificates);
  for (const std::string& folder : places.folders) {
    for (const std::string& file : FilesIn(folder)) {
      const auto text = base::ReadFileText(file);
      if (text) certificates.AddAllIn(*text);
    }
  }
  return certificates.Take();
}

namespace {

ServerUrl UrlOf(const ConnectionConfig& config) {
  auto url = ParseServerUrl(config.server);
  if (!url) throw base::Error("cannot use the URL of the server: " + url.error());
  return *std::move(url);
}

// One block that is no certificate would have a whole file refused. Without any usable one the file
// shall be: with no authorities at all, the system's would be trusted.
std::string AuthoritiesOf(const ConnectionConfig& config, const base::Environment& environment) {
  if (config.insecure_skip_tls_verify) return config.ca_pem;
  std::string usable = config.ca_pem.empty() ? CertificatesIn(SystemCertificatePlaces(environment))
                                             : UsableCertificates(config.ca_pem);
  return usable.empty() ? config.ca_pem : usable;
}

}  // namespace

Route RouteTo(const ConnectionConfig& config, const base::Environment& environment) {
  Route route;
  route.url = UrlOf(config);
  const ServerUrl& url = route.url;
  std::string host = BracketHost(url.host);
  if (url.is_tls() && !config.tls_server_name.empty() && config.tls_server_name != url.host) {
    route.connect_to = host + ":" + url.port;
    route.host_header = url.authority;
    host = BracketHost(config.tls_server_name);
  }
  route.base = url.scheme + "://" + host + ":" + url.port + url.path;
  route.proxy =
      config.proxy_url.empty() ? ProxyFromEnvironment(url, environment) : config.proxy_url;
  route.authorities = AuthoritiesOf(config, environment);
  return route;
}

}  // namespace kube::client
