#pragma once

#include <string>
#include <string_view>

#include "kube/base/result.h"

namespace kube::client {

/// The parts of the URL of an API server.
struct ServerUrl {
  std::string scheme;     ///< "http" or "https"
  std::string host;       ///< without the brackets of an IPv6 address
  std::string port;       ///< digits; the scheme's where none was written
  std::string authority;  ///< host and port as they were written, without user and password
  std::string path;       ///< "" or "/prefix", without a slash at the end

  bool is_tls() const { return scheme == "https"; }
  /// localhost, 127.0.0.0/8 or ::1: what Go never sends through the environment's proxy.
  bool is_loopback() const;
};

/// The error tells what is wrong, e.g. `scheme "ftp" is not http or https`. A host of numbers is an
/// address of IPv4 only where it is four decimal ones, as in Go.
base::Result<ServerUrl, std::string> ParseServerUrl(std::string_view text);

/// A host as it is written within a URL: an IPv6 address in brackets.
std::string BracketHost(std::string_view host);

}  // namespace kube::client
