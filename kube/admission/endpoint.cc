#include "kube/admission/endpoint.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "kube/base/base64.h"
#include "kube/base/metrics_text.h"
#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_duration.h"
#include "kube/json/json.h"
#include "kube/json/json_patch.h"
#include "kube/json/value_scanner.h"

namespace kube::admission {
namespace {

std::string_view OutcomeName(const Verdict& verdict) {
  if (!verdict) return "allowed";
  switch (verdict->kind) {
    case FailureKind::kRefusal:
      return "refusal";
    case FailureKind::kPermanent:
      return "permanent";
    case FailureKind::kTemporary:
      return "temporary";
    case FailureKind::kOther:
      return "other";
  }
  return "other";
}

}  // namespace

void Metrics::NoteCall(std::string_view handler, Operation operation, const Verdict& verdict,
                       base::Clock::Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds.at(bucket)) ++bucket;
  const base::MutexLock lock(mutex_);
  ++calls_[{std::string(handler), OperationName(operation), OutcomeName(verdict)}];
  auto found = durations_.find(handler);
  if (found == durations_.end()) found = durations_.try_emplace(std::string(handler)).first;
  ++found->second.counts.at(bucket);
  found->second.sum += seconds;
}

void Metrics::NoteAnswer(int code) {
  const base::MutexLock lock(mutex_);
  ++answers_[code];
}

std::string Metrics::Print() const {
  const base::MutexLock lock(mutex_);
  std::string out;
  PrintAnswers(out);
  PrintCalls(out);
  PrintDurations(out);
  return out;
}

void Metrics::PrintAnswers(std::string& out) const {
  constexpr std::string_view kName = "admission_answers_total";
  base::AppendMetricHead(out, kName, "counter", "Answers to admission requests, by HTTP status.");
  for (const auto& [code, count] : answers_) {
    base::AppendMetricSample(out, kName, {{"code", std::to_string(code)}}, std::to_string(count));
  }
}

void Metrics::PrintCalls(std::string& out) const {
  constexpr std::string_view kName = "admission_handler_calls_total";
  base::AppendMetricHead(out, kName, "counter",
                         "Calls of admission handlers, by what came of them.");
  for (const auto& [labels, count] : calls_) {
    const auto& [handler, operation, outcome] = labels;
    base::AppendMetricSample(out, kName,
                             {{"handler", handler}, {"operation", operation}, {"outcome", outcome}},
                             std::to_string(count));
  }
}

void Metrics::PrintDurations(std::string& out) const {
  constexpr std::string_view kName = "admission_handler_duration_seconds";
  base::AppendMetricHead(out, kName, "histogram", "How long admission handlers took.");
  for (const auto& [name, durations] : durations_) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < durations.counts.size(); ++i) {
      count += durations.counts.at(i);
      const std::string bound = i < kBounds.size() ? json::FormatFloat(kBounds.at(i)) : "+Inf";
      base::AppendMetricSample(out, std::string(kName) + "_bucket",
                               {{"handler", name}, {"le", bound}}, std::to_string(count));
    }
    base::AppendMetricSample(out, std::string(kName) + "_sum", {{"handler", name}},
                             json::FormatFloat(durations.sum));
    base::AppendMetricSample(out, std::string(kName) + "_count", {{"handler", name}},
                             std::to_string(count));
  }
}

namespace {

using json::Arena;
using json::Value;

// More of a text nobody reads, and it may be of the request.
constexpr std::size_t kMostTextBytes = 32 * 1024;

/// For texts that handlers make: they may hold anything.
Value TextOf(std::string_view text, Arena& arena) {
  return Value::String(arena.Copy(base::utf8::Sanitize(base::utf8::Prefix(text, kMostTextBytes))));
}

Value StatusOf(const Failure& failure, Arena& arena) {
  Value status = Value::Object();
  status.Set("code", Value::Number(failure.code, arena), arena);
  status.Set("message", TextOf(failure.message, arena), arena);
  if (!failure.reason.empty()) status.Set("reason", TextOf(failure.reason, arena), arena);
  if (failure.retry_after) {
    Value* details = status.Set("details", Value::Object(), arena);
    details->Set("retryAfterSeconds", Value::Number(failure.retry_after->count(), arena), arena);
  }
  return status;
}

Value ResponseOf(const Review& review, const Answer& answer, Arena& arena) {
  Value response = Value::Object();
  response.Set("uid", Value::String(review.uid), arena);
  response.Set("allowed", Value::Bool(!answer.verdict), arena);
  if (answer.verdict) response.Set("status", StatusOf(*answer.verdict, arena), arena);
  if (!answer.warnings.empty()) {
    Value* warnings = response.Set("warnings", Value::Array(), arena);
    for (const std::string& text : answer.warnings) warnings->Append(TextOf(text, arena), arena);
  }
  if (!answer.patch.empty()) {
    const std::string_view patch = arena.Copy(base::EncodeBase64(answer.patch));
    response.Set("patch", Value::String(patch), arena);
    response.Set("patchType", Value::String("JSONPatch"), arena);
  }
  if (!answer.annotations.empty()) {
    Value* annotations = response.Set("auditAnnotations", Value::Object(), arena);
    for (const auto& [key, value] : answer.annotations) {
      annotations->Set(TextOf(key, arena).text(), TextOf(value, arena), arena);
    }
  }
  return response;
}

}  // namespace

std::string PrintAnswer(const Review& review, const Answer& answer) {
  Arena arena;
  Value root = Value::Object();
  root.Set("apiVersion", Value::String(review.api_version), arena);
  root.Set("kind", Value::String("AdmissionReview"), arena);
  root.Set("response", ResponseOf(review, answer, arena), arena);
  std::string text;
  text.reserve(json::PrintedSize(root));
  json::PrintTo(text, root);
  return text;
}

namespace {

bool Fits(std::string_view pattern, std::string_view text) {
  return pattern == "*" || pattern == text;
}

bool HasResource(const HandlerOptions& options, const ReviewedResource& resource) {
  return std::ranges::any_of(options.resources, [&resource](const Resource& one) {
    return Fits(one.group, resource.group) && Fits(one.version, resource.version) &&
           Fits(one.plural, resource.plural);
  });
}

bool HasOperation(const Handler& handler, Operation operation) {
  const std::vector<Operation>& operations = handler.options.operations;
  if (handler.is_mutating() && operation == Operation::kDelete) {
    return operations == std::vector<Operation>{Operation::kDelete};
  }
  return operations.empty() || std::ranges::find(operations, operation) != operations.end();
}

// The namespace of a review of a Namespace is that itself.
bool IsNamespaced(const Review& review) {
  const bool is_namespace = review.resource.group.empty() && review.resource.plural == "namespaces";
  return !review.namespace_.empty() && !is_namespace;
}

}  // namespace

bool Matches(const Handler& handler, const Review& review) {
  const HandlerOptions& options = handler.options;
  return HasResource(options, review.resource) && Fits(options.subresource, review.subresource) &&
         HasOperation(handler, review.operation) &&
         (!options.namespaced_only || IsNamespaced(review)) &&
         (Matches(options.object, review.object) || Matches(options.object, review.old_object));
}

ResourceIdentity IdentifyResource(const Handlers& handlers, Review& review) {
  if (!review.resource.version.empty()) return ResourceIdentity::kClear;
  const Resource* found = nullptr;
  for (const Handler& handler : handlers.all()) {
    for (const Resource& one : handler.options.resources) {
      if (one.plural != review.resource.plural) continue;
      if (!review.resource.group.empty() && one.group != review.resource.group) continue;
      if (found != nullptr && *found != one) return ResourceIdentity::kAmbiguous;
      found = &one;
    }
  }
  if (found != nullptr) review.resource = {found->group, found->version, found->plural};
  return ResourceIdentity::kClear;
}

namespace {

/// What one handler has said.
struct Call {
  Call(const Handler& asked, const json::Value* object) : handler(asked), draft(object) {}

  const Handler& handler;
  bool is_wanted = true;  // false: by HandlerOptions::when
  ObjectDraft draft;
  Reply reply;
  Verdict verdict;
};

Verdict Ask(const Review& review, Call& call) {
  const auto& when = call.handler.options.when;
  call.is_wanted = !when || when(review);
  if (!call.is_wanted) return Allowed();
  if (const auto* validate = std::get_if<ValidateFunction>(&call.handler.function)) {
    return (*validate)(review, call.reply);
  }
  return std::get<MutateFunction>(call.handler.function)(review, call.reply, call.draft);
}

/// An exception is a failure: whatever a handler does, the API server gets an answer.
Verdict AskSafely(const Review& review, Call& call) {
  try {
    return Ask(review, call);
  } catch (const std::exception& thrown) {
    return Failure{FailureKind::kOther, thrown.what()};
  } catch (...) {
    return Failure{FailureKind::kOther, "the handler failed"};
  }
}

/// Runs all at the same time and waits for them: the first one here, the others in threads.
void RunTogether(const std::vector<std::function<void()>>& tasks) {
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    try {
      threads.emplace_back(tasks[i]);
    } catch (const std::system_error&) {
      tasks[i]();  // no thread is to be had: one after the other, then
    }
  }
  if (!tasks.empty()) tasks.front()();
}

/// The gravest, of these the first.
const Failure* FirstFailure(const std::deque<Call>& calls) {
  const Failure* first = nullptr;
  for (const Call& call : calls) {
    if (!call.verdict) continue;
    if (first == nullptr || call.verdict->kind < first->kind) first = &*call.verdict;
  }
  return first;
}

// A patch on its way to the connection: as text, in base64, and in the answer twice.
constexpr std::size_t kPatchCopies = 5;

base::Unexpected<DispatchFault> Fault(int code, std::string message) {
  return base::Unexpected(DispatchFault{code, std::move(message)});
}

/// The text of the patch, empty where nothing changes; a fault where there is no memory for it.
base::Result<std::string, DispatchFault> PatchOf(const Review& review,
                                                 const std::deque<Call>& calls) {
  const json::Value* object = review.object;
  if (object == nullptr) return std::string();
  json::Arena arena;
  json::Value changed = json::CopyForChange(*object, arena);
  bool may_differ = false;
  for (const Call& call : calls) {
    if (!call.handler.is_mutating() || !call.draft.object().is_object()) continue;
    ApplyDifference(*object, call.draft.object(), changed, arena);
    may_differ = true;
  }
  if (!may_differ) return std::string();
  const json::Value patch = json::MakeJsonPatch(*object, changed, arena);
  if (patch.empty()) return std::string();
  const std::size_t size = json::PrintedSize(patch);
  const int refusal = review.http == nullptr ? 0 : review.http->RefusalOf(kPatchCopies * size);
  if (refusal != 0) return Fault(refusal, std::string(serve::WhyRefused(refusal)));
  std::string text;
  text.reserve(size);
  json::PrintTo(text, patch, json::KeyOrder::kAsWritten);
  return text;
}

base::Result<Answer, DispatchFault> Together(const Review& review, const std::deque<Call>& calls) {
  Answer answer;
  if (const Failure* failure = FirstFailure(calls)) answer.verdict = *failure;
  std::vector<std::string> warnings;
  for (const Call& call : calls) {
    warnings.insert(warnings.end(), call.reply.warnings().begin(), call.reply.warnings().end());
    for (const auto& [key, value] : call.reply.annotations()) answer.annotations[key] = value;
  }
  answer.warnings = WarningsWithin(warnings);
  auto patch = PatchOf(review, calls);
  if (!patch) return base::Unexpected(std::move(patch).error());
  answer.patch = *std::move(patch);
  return answer;
}

}  // namespace

base::Result<Answer, DispatchFault> Dispatcher::Dispatch(std::string_view path,
                                                         Review review) const {
  const Handler* one = handlers_.Find(path);
  if (!path.empty() && one == nullptr) {
    return Fault(404, "no admission handler \"" + std::string(path) + "\"");
  }
  if (one == nullptr && IdentifyResource(handlers_, review) == ResourceIdentity::kAmbiguous) {
    return Fault(409, "request.resource: there are several resources \"" +
                          std::string(review.resource.plural) +
                          "\": give the group and the version");
  }
  std::deque<Call> calls;
  for (const Handler& handler : handlers_.all()) {
    const bool is_meant = one == nullptr || one == &handler;
    if (is_meant && Matches(handler, review)) {
      calls.emplace_back(handler, handler.is_mutating() ? review.object : nullptr);
    }
  }
  std::vector<std::function<void()>> tasks;
  for (Call& call : calls) {
    tasks.emplace_back([this, &call, &review] {
      const auto begin = clock_.Now();
      call.verdict = AskSafely(review, call);
      if (!call.is_wanted) return;
      metrics_.NoteCall(call.handler.id, review.operation, call.verdict, clock_.Now() - begin);
    });
  }
  RunTogether(tasks);
  return Together(review, calls);
}

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
