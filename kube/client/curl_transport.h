#pragma once

#include <memory>

#include "kube/client/connection.h"
#include "kube/client/transport.h"

namespace kube::client {

/// A transport over libcurl, in the thread that polls: HTTP/2 where TLS offers it, many requests
/// over one connection, else HTTP/1.1 with connections kept alive, 32 at most.
///
/// - HTTP/2 takes as many connections as the configuration says, so that a balancer before several
///   API servers spreads what is in flight; a request that is alone needs one. While connections
///   are being made there may be some more.
/// - The server's certificate is verified, by `ca_pem` alone if there is one, else by the system's
///   authorities (SystemCertificatePlaces), unless insecure_skip_tls_verify says otherwise. TLS 1.2
///   or later.
/// - Redirects are not followed: what we know of ourselves goes to the server of the kubeconfig
///   only. client-go would follow them, but API servers send none.
/// - The proxy is proxy_url's, else the environment's as libcurl reads it, but none to a loopback
///   host, as in Go.
/// - Answers may come compressed, unless disable_compression is set, or the server is on loopback,
///   where it mostly costs time, and the request does not ask for it.
/// - A connection whose other end is silent for 45 s although TCP asked for a sign of life is lost
///   (Go: HTTP/2 pings after 30 s, 15 s for the answer); a request without a single byte for
///   kStalled has timed out. Connecting may take 30 s. Heads have an end (HeadReader::kMostBytes).
///   How long a body may be, and how slow, is for the client to say.
///
/// Credentials are not its task: of the configuration it takes what TLS needs, see Credentials.
class CurlTransport : public Transport {
 public:
  /// A request that brings no byte for so long, head and body alike, is a kTimeout: an API server
  /// ends ordinary requests after a minute, and a watch with bookmarks is never silent for so long.
  static constexpr std::chrono::minutes kStalled{5};

  /// Does once for the whole program what the first transport does else: it changes the
  /// environment, so whoever makes transports in several threads calls it before there are any.
  static void PrepareForThreads();

  /// Throws kube::base::Error if `config.server` is no http or https URL.
  explicit CurlTransport(const ConnectionConfig& config);
  ~CurlTransport() override;

  /// From now on requests are sent with this client certificate, over connections of their own;
  /// those under way end as they began. Empty texts: without one.
  void UseCertificate(ClientCertificate certificate);

  /// The certificate that the server shows, PEM, once it is verified as ever; empty where it has no
  /// TLS. Connects anew, sends no request, and waits for it, at most `timeout`. Throws
  /// kube::base::Error where that fails.
  std::string ServerCertificate(base::Clock::Duration timeout);

  RequestId Start(HttpRequest request, base::Clock::Duration timeout, ResponseSink& sink) override;
  void Cancel(RequestId id) override;
  void Poll(base::Clock::TimePoint deadline) override;
  void Wake() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::client
