#pragma once

#include <string>
#include <thread>

#include "kube/client/connection.h"
#include "kube/serve/server.h"
#include "tests/support/gate.h"

/// What the tests of servers share.
namespace test_support {

/// Answers with the method, the target and the body of the request.
inline kube::serve::Response Echo(const kube::serve::Request& request) {
  return {200, "text/plain", request.method + " " + request.target + " " + request.body};
}

/// The same once `gate`, which must outlive it, is open.
inline kube::serve::Answerer EchoBehind(Gate& gate) {
  return [&gate](const kube::serve::Request& request) {
    gate.Pass();
    return Echo(request);
  };
}

/// On a free port of 127.0.0.1, all else as it comes.
inline kube::serve::ServerOptions OnLoopback() {
  kube::serve::ServerOptions options;
  options.address = "127.0.0.1";
  return options;
}

inline kube::client::ConnectionConfig To(const kube::serve::Server& server,
                                         const std::string& scheme = "http") {
  kube::client::ConnectionConfig config;
  config.server = scheme + "://127.0.0.1:" + std::to_string(server.port());
  return config;
}

/// A request as bytes: GET without a body, else POST.
inline std::string RequestText(const std::string& target, const std::string& body = "") {
  return (body.empty() ? "GET " : "POST ") + target + " HTTP/1.1\r\nHost: a\r\n" +
         (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
         body;
}

/// The body of an answer as bytes.
inline std::string BodyOf(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == answer.npos ? "" : answer.substr(end + 4);
}

/// Waits until something is so, which other threads are about to bring about.
template <typename Condition>
void Await(Condition condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace test_support
