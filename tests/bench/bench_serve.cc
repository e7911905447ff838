// A server for serve_bench.py.
//
//   bench_serve plain|tls|bare
//
// Prints its port and serves until its stdin ends. plain and tls are kube/serve, without TLS and
// with a certificate of its own; bare is a thread a connection that reads and writes, and looks at
// nothing.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "kube/serve/certificates.h"
#include "kube/serve/server.h"
#include "tests/support/loopback_server.h"

namespace {

constexpr char kBody[] =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true}})";

/// Parses the body, as every handler of a review does.
kube::serve::Response Allow(const kube::serve::Request& request) {
  kube::json::Document document;
  if (document.Parse(request.body)) return {400, "text/plain", "no JSON"};
  return {200, "application/json", kBody};
}

void ServeUntilEnd(int port) {
  std::cout << port << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
}

int RunBare() {
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(sizeof kBody - 1) + "\r\n\r\n" + kBody;
  const test_support::LoopbackServer server(
      [&answer](test_support::LoopbackConnection& connection, int) {
        while (!connection.ReadRequest().empty()) connection.Write(answer);
      });
  ServeUntilEnd(server.port());
  return 0;
}

int RunServer(bool with_tls) {
  kube::serve::ServerOptions options;
  options.address = "127.0.0.1";
  if (with_tls) {
    const auto made = kube::serve::MakeSelfSigned({"127.0.0.1"}, std::chrono::system_clock::now(),
                                                  std::chrono::hours(1));
    options.tls.emplace();
    options.tls->certificate_pem = made.certificate_pem;
    options.tls->key_pem = made.key_pem;
  }
  kube::serve::Server server(options, Allow);
  ServeUntilEnd(server.port());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 2 ? argv[1] : "";
  if (kind == "bare") return RunBare();
  if (kind == "plain" || kind == "tls") return RunServer(kind == "tls");
  std::fputs("usage: bench_serve plain|tls|bare\n", stderr);
  return 2;
}
