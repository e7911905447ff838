#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/admission/dispatch.h"
#include "kube/admission/handler.h"
#include "kube/admission/metrics.h"
#include "kube/base/clock.h"
#include "kube/serve/message.h"

namespace kube::admission {

/// Handlers as an HTTP server has them:
///
///     POST /ID            an AdmissionReview for one handler
///     POST /              one for all handlers that match
///     GET /healthz        200 "ok"
///     GET /readyz         200 "ok", or 503 until SetReady, and after SetReady(false)
///     GET /metrics        counts for Prometheus
///
/// Where the API server is told to ask below a path, as https://host/hooks, and nothing on the way
/// takes it off, that is the `base` before ids: "/hooks".
///
/// The query of a target is passed over but for timeout=10s, which the API server adds.
///
/// What is no answer of a handler is a metav1.Status, whose message the API server hands on: 400
/// for what is no AdmissionReview, 404 for an unknown path, 405 for another method, 409 where it is
/// not clear which resource is meant, 429 where others have the memory that it takes, 413 where
/// there is not so much, 415 for a body that says that it is no JSON. No Content-Type is taken for
/// JSON, and so is that which curl -d sends.
class Endpoint {
 public:
  /// Handlers and clock must outlive it.
  Endpoint(const Handlers& handlers, const base::Clock& clock, std::string base = "");
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Another page for GET, such as "/report", made anew each time by any thread. Before the first
  /// request. What it throws is a 500.
  void AddPage(std::string path, std::function<serve::Response()> page);
  /// More for /metrics, behind what is there: whole lines in Prometheus's text format, made anew
  /// each time by any thread. Before the first request.
  void AddMetrics(std::function<std::string()> print);
  /// Whether requests may be sent here; false at first.
  void SetReady(bool ready) { is_ready_ = ready; }

  /// What Answer takes for a request beside its body, in bytes, whatever is in there: for
  /// ServerOptions::weigh.
  static std::size_t Weigh(const serve::Request& request);

  /// For several threads at once; never throws.
  serve::Response Answer(const serve::Request& request);
  /// Answer, as a server wants it; the endpoint must outlive it.
  serve::Answerer answerer() {
    return [this](const serve::Request& request) { return Answer(request); };
  }

 private:
  serve::Response AnswerOrThrow(const serve::Request& request);
  serve::Response AnswerReview(std::string_view handler, const serve::Request& request);
  std::string PrintMetrics() const;
  std::optional<std::string_view> HandlerOf(std::string_view path) const;
  bool IsAsked(std::string_view handler) const;

  const Handlers& handlers_;
  const std::string base_;
  Metrics metrics_;
  Dispatcher dispatcher_;
  std::map<std::string, std::function<serve::Response()>, std::less<>> pages_;
  std::vector<std::function<std::string()>> more_metrics_;
  std::atomic<bool> is_ready_ = false;
};

}  // namespace kube::admission
