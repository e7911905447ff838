#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::client {

/// Where a server is, as client-go reads it from a kubeconfig or --server.
struct ServerAddress {
  std::string url;  ///< "https://10.0.0.1:6443/prefix": no user, no query, the path clean
  std::string url_as_written;  ///< the same with the path as written
  bool is_tls = false;         ///< credentials are sent only then
  std::string username;        ///< of "https://user:password@host"
  std::string password;
};

/// Reads a URL, or a host with or without a port, which is spoken to by http (rest.
/// DefaultServerURL). Throws kube::base::Error, without the password in the text, e.g. `host must
/// be a URL or a host:port pair: "/abc"`.
ServerAddress ParseServerAddress(std::string_view text);

/// Why `text` is no URL of a proxy, in client-go's words: `unsupported scheme "ftp", must be http,
/// https, or socks5`. Without secrets.
std::optional<std::string> ProxyUrlProblem(std::string_view text);

/// `url` for a message: without user name and password.
std::string WithoutUser(std::string_view url);

}  // namespace kube::client
