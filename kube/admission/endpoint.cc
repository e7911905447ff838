#include "kube/admission/endpoint.h"

#include <exception>
#include <utility>

#include "kube/admission/dispatch.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_duration.h"
#include "kube/json/json.h"
#include "kube/json/value_scanner.h"

namespace kube::admission {
namespace {

using serve::Request;
using serve::Response;

// metav1.StatusReason, as apimachinery pkg/api/errors gives it for a code.
std::string_view ReasonOf(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 409:
      return "Conflict";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 429:
      return "TooManyRequests";
    default:
      return "InternalError";
  }
}

// It may name what a request is made of.
constexpr std::size_t kMostMessageBytes = 16 * 1024;

Response StatusAnswer(int code, std::string_view message) {
  json::Arena arena;
  json::Value status = json::Value::Object();
  const auto set = [&](std::string_view key, std::string_view text) {
    status.Set(key, json::Value::String(text), arena);
  };
  const std::string text = base::utf8::Sanitize(base::utf8::Prefix(message, kMostMessageBytes));
  set("apiVersion", "v1");
  set("kind", "Status");
  set("status", "Failure");
  set("message", text);
  set("reason", ReasonOf(code));
  status.Set("code", json::Value::Number(code, arena), arena);
  Response response{code, "application/json", json::Print(status) + "\n"};
  if (code == 429) response.retry_after = serve::kRetryAfter;
  return response;
}

Response TextAnswer(int code, std::string text) {
  return {code, "text/plain; charset=utf-8", std::move(text)};
}

// client-go sends application/json. curl -d has a type of its own, and what it sends is looked at
// anyway.
bool MayBeJson(const Request& request) {
  const std::string* header = request.FindHeader("Content-Type");
  if (header == nullptr) return true;
  const std::string type = base::ToLower(base::TrimSpace(header->substr(0, header->find(';'))));
  return type.empty() || type == "application/json" || type == "text/json" ||
         type == "application/x-www-form-urlencoded";
}

/// The value of timeout in the query.
std::optional<std::chrono::nanoseconds> TimeoutOf(std::string_view target) {
  std::string_view query = target.substr(std::min(target.find('?'), target.size()));
  while (!query.empty()) {
    query.remove_prefix(1);
    const std::string_view part = query.substr(0, query.find('&'));
    constexpr std::string_view kKey = "timeout=";
    if (part.starts_with(kKey)) {
      const auto timeout = go::ParseGoDuration(part.substr(kKey.size()));
      if (timeout && timeout->count() > 0) return timeout;
    }
    query.remove_prefix(part.size());
  }
  return std::nullopt;
}

}  // namespace

Endpoint::Endpoint(const Handlers& handlers, const base::Clock& clock, std::string base)
    : handlers_(handlers), base_(std::move(base)), dispatcher_(handlers, clock, metrics_) {
  AddPage("/healthz", [] { return TextAnswer(200, "ok"); });
  AddPage("/readyz",
          [this] { return is_ready_ ? TextAnswer(200, "ok") : TextAnswer(503, "not ready"); });
  AddPage("/metrics", [this] {
    return Response{200, "text/plain; version=0.0.4; charset=utf-8", PrintMetrics()};
  });
}

void Endpoint::AddPage(std::string path, std::function<Response()> page) {
  pages_.insert_or_assign(std::move(path), std::move(page));
}

void Endpoint::AddMetrics(std::function<std::string()> print) {
  more_metrics_.push_back(std::move(print));
}

std::string Endpoint::PrintMetrics() const {
  std::string text = metrics_.Print();
  for (const auto& print : more_metrics_) text += print();
  return text;
}

std::size_t Endpoint::Weigh(const Request& request) {
  // Of all that does not grow with the body.
  constexpr std::size_t kAtLeast = 64 * 1024;
  // The document has the text once more, and handlers repeat some of it.
  constexpr std::size_t kOfByte = 2;
  // 48 bytes while it is parsed. Then 16, and as many for each copy by which objects are compared
  // or changed.
  constexpr std::size_t kOfValue = 64;
  if (request.body.empty()) return 0;
  return kAtLeast + kOfByte * request.body.size() + kOfValue * json::MostValues(request.body);
}

Response Endpoint::Answer(const Request& request) {
  Response response;
  try {
    response = AnswerOrThrow(request);
  } catch (const std::exception& thrown) {
    response = StatusAnswer(500, thrown.what());
  } catch (...) {
    response = StatusAnswer(500, "the request could not be answered");
  }
  if (request.method == "POST") metrics_.NoteAnswer(response.status);
  return response;
}

Response Endpoint::AnswerOrThrow(const Request& request) {
  const std::string_view path = request.path();
  const auto page = pages_.find(path);
  const std::optional<std::string_view> handler = HandlerOf(path);
  const bool is_asked = handler && IsAsked(*handler);
  if (request.method == "POST" && is_asked) return AnswerReview(*handler, request);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (reads && page != pages_.end()) return page->second();
  if (page != pages_.end() || is_asked) {
    return StatusAnswer(
        405, is_asked ? "admission reviews are sent by POST" : "this page is read by GET");
  }
  if (handler && !handler->empty() && request.method == "POST") {
    return StatusAnswer(404, "no admission handler \"" + std::string(*handler) + "\"");
  }
  return StatusAnswer(404, "nothing is at \"" + std::string(path) + "\"");
}

/// The id that a path asks for, empty for all; absent below another base.
std::optional<std::string_view> Endpoint::HandlerOf(std::string_view path) const {
  if (!path.starts_with(base_)) return std::nullopt;
  path.remove_prefix(base_.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool Endpoint::IsAsked(std::string_view handler) const {
  return handler.empty() || handlers_.Find(handler) != nullptr;
}

Response Endpoint::AnswerReview(std::string_view handler, const Request& request) {
  if (!MayBeJson(request)) {
    return StatusAnswer(415, "an admission review is sent as application/json, not as \"" +
                                 *request.FindHeader("Content-Type") + "\"");
  }
  json::Document document;
  int refusal = 0;
  auto review = ReadReview(request.body, document, [&](std::size_t bytes) {
    refusal = request.RefusalOf(bytes);
    return refusal == 0;
  });
  if (refusal != 0) return StatusAnswer(refusal, serve::WhyRefused(refusal));
  if (!review) return StatusAnswer(400, review.error());
  review->http = &request;
  review->timeout = TimeoutOf(request.target);
  const auto answer = dispatcher_.Dispatch(handler, *review);
  if (!answer) return StatusAnswer(answer.error().code, answer.error().message);
  return {200, "application/json", PrintAnswer(*review, *answer) + "\n"};
}

}  // namespace kube::admission
