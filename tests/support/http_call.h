#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "kube/client/curl_transport.h"
#include "tests/support/recording_sink.h"

namespace test_support {

/// What came of a request.
struct HttpCall {
  int status = 0;  ///< 0: no answer
  std::string body;
  std::string error;  ///< why no answer came; empty: it came
};

/// Sends a request and waits for what comes of it, a minute at most.
inline HttpCall Call(kube::client::Transport& transport, kube::client::HttpRequest request) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  RecordingSink sink;
  transport.Start(std::move(request), std::chrono::minutes(1), sink);
  while (sink.ends == 0 && std::chrono::steady_clock::now() < limit) transport.Poll(limit);
  if (sink.ends == 0) return {0, "", "nothing came in a minute"};
  return {sink.error ? 0 : sink.status(), sink.body, sink.error ? sink.error->message : ""};
}

/// A POST of a body, or a GET where there is none.
inline HttpCall Call(kube::client::Transport& transport, const std::string& target,
                     const std::string& body = "") {
  kube::client::HttpRequest request;
  request.method = body.empty() ? "GET" : "POST";
  request.target = target;
  request.body = body;
  return Call(transport, std::move(request));
}

}  // namespace test_support
