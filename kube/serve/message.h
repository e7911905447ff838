#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// HTTP as a server sees it, without the bytes: what it is asked, and what it answers.
namespace kube::serve {

/// Who is at the other end of a TLS connection, by the certificate that it showed and that was
/// verified.
struct PeerCertificate {
  std::string common_name;                 ///< of the subject; may be empty
  std::vector<std::string> organizations;  ///< of the subject, in its order
};

struct Request {
  std::string method;                                        ///< as it came: "POST"
  std::string target;                                        ///< path and query: "/warn?timeout=3s"
  std::vector<std::pair<std::string, std::string>> headers;  ///< in their order; names as they came
  std::string body;
  std::optional<PeerCertificate> peer;  ///< absent: it showed none, or the connection has no TLS
  std::string remote_address;           ///< "127.0.0.1:41234"

  /// The value of the first header of that name, in any case; the null pointer if there is none.
  const std::string* FindHeader(std::string_view name) const;
  /// The target without the query.
  std::string_view path() const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

/// Answers a request. Called by several threads at once; must not throw.
using Answerer = std::function<Response(const Request&)>;

}  // namespace kube::serve
