#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kube/admission/handler.h"
#include "kube/admission/review.h"
#include "kube/base/clock.h"
#include "kube/base/mutex.h"
#include "kube/base/result.h"
#include "kube/serve/message.h"

namespace kube::admission {

/// Counts for Prometheus. For several threads at once.
class Metrics {
 public:
  /// One call of a handler.
  void NoteCall(std::string_view handler, Operation operation, const Verdict& verdict,
                base::Clock::Duration duration);
  /// One answer to a POST, by its HTTP status.
  void NoteAnswer(int code);

  /// The text format (version 0.0.4), sorted:
  ///
  ///     admission_handler_calls_total{handler="warn",operation="CREATE",outcome="allowed"} 3
  ///     admission_handler_duration_seconds_bucket{handler="warn",le="0.001"} 3
  ///     admission_answers_total{code="200"} 3
  ///
  /// Outcomes are allowed, refusal, permanent, temporary and other.
  std::string Print() const;

 private:
  static constexpr std::array<double, 12> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                     0.1,   0.25,   0.5,   1,    2.5,   10};
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // not cumulative; the last: above all
    double sum = 0;                                          // seconds
  };
  mutable base::Mutex mutex_;
  void PrintCalls(std::string& out) const REQUIRES(mutex_);
  void PrintDurations(std::string& out) const REQUIRES(mutex_);
  void PrintAnswers(std::string& out) const REQUIRES(mutex_);

  // By handler, operation and outcome.
  std::map<std::tuple<std::string, std::string_view, std::string_view>, std::uint64_t> calls_
      GUARDED_BY(mutex_);
  std::map<std::string, Durations, std::less<>> durations_ GUARDED_BY(mutex_);  // by handler
  std::map<int, std::uint64_t> answers_ GUARDED_BY(mutex_);                     // by code
};

/// What the API server is told of a request.
struct Answer {
  Verdict verdict;
  std::vector<std::string> warnings;               ///< as WarningsWithin gives them
  std::string patch;                               ///< a JSON Patch as text; empty: no change
  std::map<std::string, std::string> annotations;  ///< of the audit log
};

/// The AdmissionReview that answers `review`: of the same version and uid, on one line.
std::string PrintAnswer(const Review& review, const Answer& answer);

/// True if the handler is for such requests, by all of its options but the labels of a namespace
/// and HandlerOptions::when (apiserver pkg/admission/plugin/webhook/predicates/rules, .../object).
bool Matches(const Handler& handler, const Review& review);

/// Whether the resource of a review is one only. A person who writes a review by hand may leave its
/// version out, or its group and its version; the API server never does.
enum class ResourceIdentity : std::uint8_t { kClear, kAmbiguous };
/// Completes the resource of such a review where the handlers are for one resource of that name.
/// kAmbiguous: for several. Where they are for none the review stays as it is. Borrows from
/// `handlers`.
ResourceIdentity IdentifyResource(const Handlers& handlers, Review& review);

/// Why nobody was asked.
struct DispatchFault {
  int code;             ///< HTTP: 404, 409, 413, 429
  std::string message;  ///< lower case, names in quotes
};

/// Asks handlers about a request and makes one answer of what they say.
class Dispatcher {
 public:
  /// All must outlive it.
  Dispatcher(const Handlers& handlers, const base::Clock& clock, Metrics& metrics)
      : handlers_(handlers), clock_(clock), metrics_(metrics) {}

  /// Asks the handler at `path`, or, where that is empty, all. A handler that does not match the
  /// review has nothing against it and is not called.
  ///
  /// Of several each is asked about the object as it came, at the same time, and what they say is
  /// put together in the order of their registration: warnings one after the other; changes one on
  /// top of the other, so that of two that change the same field the later one counts; of their
  /// failures the first of the gravest kind. Changes go with a failure too. A patch belongs into
  /// the answer to a MutatingWebhookConfiguration only, so what validates and what mutates should
  /// be asked by id, as our configurations do.
  ///
  /// A patch that takes more memory than others have left, or than there is, is a fault (429, 413).
  ///
  /// Makes no thread where one handler is asked. For several threads at once.
  base::Result<Answer, DispatchFault> Dispatch(std::string_view path, Review review) const;

 private:
  const Handlers& handlers_;
  const base::Clock& clock_;
  Metrics& metrics_;
};

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
