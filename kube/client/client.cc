#include "kube/client/client.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/gathered_call.h"
#include "kube/client/response_head.h"
#include "kube/client/server_url.h"
#include "kube/go/go_url.h"

namespace kube::client {
namespace {

// As Go names them: runtime.GOOS and runtime.GOARCH. krew/build.sh builds for two.
constexpr std::string_view kSystem = "linux";
#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture = "unknown";
#endif

}  // namespace

std::string UserAgent(std::string_view command, std::string_view version) {
  version = version.substr(0, version.find('-'));
  return std::string(command)
      .append("/")
      .append(version.empty() ? "unknown" : version)
      .append(" (")
      .append(kSystem)
      .append("/")
      .append(kArchitecture)
      .append(") kubernetes/unknown");
}

namespace {

constexpr int kMaxRetries = 10;  // rest.Request.maxRetries
constexpr std::chrono::seconds kPauseAfterLostConnection{1};
// The API server asks for a few seconds. Longer than this nobody waits without being asked.
constexpr std::chrono::seconds kLongestWait{60};
constexpr std::chrono::seconds kLongestSilentWait{1};
// Of patience: the first pause of a call, and the longest; after which time it is told, and how
// often at most; and where the trouble as often as not is no passing one: who has not answered yet,
// or a webhook.
constexpr std::chrono::milliseconds kFirstPause{250}, kLongestPause{10'000};
constexpr std::chrono::seconds kSilentPatience{10}, kBetweenWords{30}, kPatienceInDoubt{10};
// How soon Get notices that it shall stop.
constexpr std::chrono::milliseconds kTick(100);
// A Status is a few KiB, of a CRD with many faults some more; the rest is not ours to keep.
constexpr std::size_t kMaxErrorBytes = 1024 * 1024;
// 100 bytes a second: a page that comes no faster takes longer than anybody waits for it. Links
// that are slow for all, or interrupted for a while, are better than that.
constexpr std::chrono::minutes kProgressWindow{1};
constexpr std::uint64_t kLeastProgress = 6000;
// So much of a poll counts as listening: what is beyond it went by in sinks, which may wait for a
// disk, or was slept through by the machine.
constexpr std::chrono::seconds kLongestListening{1};
// So many different warnings are told; a server that goes on is not listened to.
constexpr std::size_t kMaxWarnings = 1000;

bool IsSuccess(int status) { return status >= 200 && status <= 299; }

CallError UnusableAnswer(const std::string& request_line, const std::string& why,
                         TransportError::Kind kind) {
  CallError error;
  error.message = "the server's answer to " + request_line + " " + why;
  error.transport = TransportError{kind, error.message};
  return error;
}

CallError TooLongAWait(CallError error) {
  error.message += " (the server asks to wait " +
                   std::to_string(error.status->retry_after->count()) + " s; try again then)";
  return error;
}

CallError Interrupted() {
  CallError error;
  error.message = "interrupted";
  error.transport = TransportError{TransportError::Kind::kOther, error.message};
  return error;
}

/// A call whose answer is JSON.
class DocumentCall : public GatheredCall {
 public:
  using GatheredCall::GatheredCall;

  void Start(ApiRequest request) {
    request_line_ = request.method + " " + request.target;
    GatheredCall::Start(std::move(request));
  }

  /// "interrupted" if it is not done.
  DocumentResult TakeResult() {
    using Kind = TransportError::Kind;
    if (!is_done()) return base::Unexpected(Interrupted());
    if (error()) return base::Unexpected(*error());
    if (fault_)
      return base::Unexpected(
          UnusableAnswer(request_line_, "is not JSON: " + *fault_, Kind::kOther));
    return std::move(document_);
  }

 private:
  // What is no JSON may have been cut.
  bool IsCutShort() override {
    document_ = std::make_unique<json::Document>();
    const auto error = document_->Parse(body());
    fault_.reset();
    if (error) fault_ = error->message;
    return fault_.has_value();
  }

  std::string request_line_;
  std::unique_ptr<json::Document> document_;
  std::optional<std::string> fault_;  // of an answer that is complete: why it is no JSON
};

}  // namespace

/// One call from Start to its end, over all its attempts.
class Client::Call : public ResponseSink {
 public:
  Call(Client& owner, CallId call_id, ApiRequest api_request, ResultSink& result_sink,
       base::Clock::TimePoint now)
      : client(owner),
        id(call_id),
        request(std::move(api_request)),
        sink(result_sink),
        due(now),
        logged(owner.log_.NewBody()) {}

  void OnHead(const ResponseHead& answer_head) override {
    head = answer_head;
    StartWindow();
    client.Warn(*head, request.writes);
  }
  void OnBytes(std::string_view bytes) override {
    received += bytes.size();
    logged.Add(bytes);
    if (!IsSuccess(head->status)) {
      error_body += bytes.substr(0, kMaxErrorBytes - error_body.size());
      return;
    }
    if (!handed_on && !is_foreign) {
      const std::size_t first = bytes.find_first_not_of(" \t\r\n");
      if (first == bytes.npos) return;
      is_foreign = bytes[first] == '<';
      handed_on = !is_foreign;
    }
    if (!is_foreign && !IsTooLong()) sink.OnBytes(bytes);
  }
  void OnEnd(const std::optional<TransportError>& error) override {
    in_flight.reset();
    client.OnAnswered(*this, error);  // may destroy *this
  }

  /// Whatever is not handed on has no use beyond its first bytes.
  bool IsTooLong() const {
    const bool is_of_use = IsSuccess(head->status) && handed_on;
    if (is_of_use && request.is_watch) return false;
    return received > (is_of_use ? request.most_bytes : kMaxErrorBytes);
  }
  CallError EndlessAnswer() const {
    const std::string why = handed_on
                                ? "is longer than " + std::to_string(request.most_bytes) + " bytes"
                                : "is nothing but blanks";
    return UnusableAnswer(request.method + " " + request.target, why,
                          TransportError::Kind::kTooLong);
  }
  /// An answer that has begun, and has to go on.
  bool HasToGoOn() const {
    return in_flight && head && !(request.is_watch && IsSuccess(head->status));
  }
  bool IsWindowOver() const {
    return HasToGoOn() && client.listened_ >= window_begin + kProgressWindow;
  }
  void StartWindow() {
    window_begin = client.listened_;
    received_before = received;
  }

  /// What the server said instead of a result.
  ApiStatus Status() const { return ReadApiStatus(request.method, *head, error_body); }
  /// To be sent again, as if nothing had been answered.
  void SendAt(base::Clock::TimePoint when) {
    due = when;
    head.reset();
    error_body.clear();
    received = 0;
    handed_on = is_foreign = false;
  }
  /// To be sent again after 401 if the credentials can be refreshed; else that was the answer.
  void RefreshAt(base::Clock::TimePoint when) {
    unauthorized = true;
    due = when;
  }
  bool AwaitsRefresh() const { return due && head; }
  bool OnlyReads() const { return request.method == "GET" || request.changes_nothing; }

  Client& client;
  const CallId id;
  const ApiRequest request;
  ResultSink& sink;
  std::optional<base::Clock::TimePoint> due;      // absent while it is under way
  std::optional<Transport::RequestId> in_flight;  // what was sent
  base::Clock::TimePoint sent_at{};
  int retries = 0;
  std::uint64_t credentials_version = 0;  // with which it was sent
  bool unauthorized = false;              // answered 401 once
  bool handed_on = false;
  bool is_foreign = false;  // HTML comes in the place of an answer
  std::optional<base::Clock::TimePoint> first_failure;
  std::optional<ResponseHead> head;
  std::uint64_t received = 0;            // of the body
  base::Clock::Duration window_begin{};  // of Client::listened_
  std::uint64_t received_before = 0;     // as of then
  std::string error_body;
  LoggedBody logged;
};

Client::Client(Transport& transport, Credentials& credentials, const base::Clock& clock,
               ClientOptions options)
    : transport_(transport),
      credentials_(credentials),
      clock_(clock),
      options_(std::move(options)),
      log_(options_.log_level, options_.on_request) {
  // Only words of messages depend on it: who cannot be reached has been told so elsewhere.
  if (auto url = ParseServerUrl(options_.server)) server_ = *std::move(url);
}

Client::~Client() {
  for (const auto& [id, call] : calls_) {
    if (call->in_flight) transport_.Cancel(*call->in_flight);
  }
}

Client::CallId Client::Start(ApiRequest request, ResultSink& sink) {
  const CallId id = next_id_++;
  calls_[id] = std::make_unique<Call>(*this, id, std::move(request), sink, clock_.Now());
  return id;
}

void Client::Cancel(CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  if (found->second->in_flight) transport_.Cancel(*found->second->in_flight);
  calls_.erase(found);
}

void Client::Poll(base::Clock::TimePoint deadline) {
  if (SendDue()) return;
  const base::Clock::TimePoint begin = clock_.Now();
  for (const auto& [id, call] : calls_) {
    if (call->due) deadline = std::min(deadline, *call->due);
    if (call->HasToGoOn()) deadline = std::min(deadline, begin + kLongestListening);
  }
  transport_.Poll(deadline);
  listened_ += std::min<base::Clock::Duration>(clock_.Now() - begin, kLongestListening);
  EndEndless();
}

// No call may be cancelled while the transport hands out its answer.
void Client::EndEndless() {
  std::vector<CallId> ended;
  for (const auto& [id, call] : calls_) {
    if (!call->in_flight || !call->head) continue;
    const bool is_over = call->IsWindowOver();
    const bool is_slow = is_over && call->received < call->received_before + kLeastProgress;
    if (call->IsTooLong() || is_slow) {
      ended.push_back(id);
    } else if (is_over) {
      call->StartWindow();
    }
  }
  for (const CallId id : ended) {
    // A sink of one before it may have cancelled it.
    const auto found = calls_.find(id);
    if (found != calls_.end()) EndEarly(*found->second);
  }
}

// Of an error, of HTML, and of what is too long, enough is known.
void Client::EndEarly(Call& call) {
  using Kind = TransportError::Kind;
  transport_.Cancel(*call.in_flight);
  call.in_flight.reset();
  const bool is_known = !IsSuccess(call.head->status) || call.is_foreign || call.IsTooLong();
  if (is_known) return OnAnswered(call, std::nullopt);
  OnAnswered(call, TransportError{Kind::kTimeout, "the answer comes too slowly"});
}

bool Client::SendDue() {
  const base::Clock::TimePoint now = clock_.Now();
  std::vector<CallId> due;
  for (const auto& [id, call] : calls_) {
    if (call->due && *call->due <= now) due.push_back(id);
  }
  bool ended = false;
  for (const CallId id : due) {
    // A sink of one before it may have cancelled it.
    const auto found = calls_.find(id);
    if (found != calls_.end() && !SendOrEnd(*found->second)) ended = true;
  }
  return ended;
}

bool Client::SendOrEnd(Call& call) {
  if (call.AwaitsRefresh()) {
    if (!RefreshFor(call)) {
      Finish(call, ErrorOf(call.Status()));
      return false;
    }
    call.SendAt(clock_.Now());
  }
  HttpRequest request;
  request.method = call.request.method;
  request.target = call.request.target;
  request.headers = Headers(call.request);
  request.body = call.request.body;
  request.fresh_connection = call.request.fresh_connection;
  request.always_compress = call.request.always_compress;
  request.in_bulk = call.request.in_bulk;
  call.due.reset();
  call.sent_at = clock_.Now();
  call.credentials_version = credentials_.version();
  log_.LogRequest(request, UrlOf(request.target));
  call.logged = log_.NewBody();
  call.in_flight = transport_.Start(std::move(request), options_.request_timeout, call);
  return true;
}

std::vector<HttpHeader> Client::Headers(const ApiRequest& request) {
  std::vector<HttpHeader> headers = {{"Accept", request.accept}};
  if (!request.content_type.empty()) headers.push_back({"Content-Type", request.content_type});
  if (!options_.user_agent.empty()) headers.push_back({"User-Agent", options_.user_agent});
  for (HttpHeader& header : credentials_.Headers()) headers.push_back(std::move(header));
  return headers;
}

bool Client::RefreshFor(const Call& call) {
  // Of many calls that were refused together the first refreshes for all.
  return call.credentials_version != credentials_.version() || credentials_.Refresh();
}

void Client::Warn(const ResponseHead& head, const WrittenObject& object) {
  if (!options_.on_warning) return;
  for (const std::string& text : WarningTexts(head)) {
    const bool is_new = !object.resource.empty() ||
                        (warnings_.size() < kMaxWarnings && warnings_.insert(text).second);
    if (is_new) options_.on_warning(text, object);
  }
}

std::string Client::UrlOf(const std::string& target) const {
  return server_.scheme + "://" + server_.authority + server_.path + target;
}

void Client::Log(const Call& call, const ResponseHead* head) const {
  const auto taken =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock_.Now() - call.sent_at);
  log_.LogAnswer(call.request.method, UrlOf(call.request.target), head, call.logged, taken);
}

// Of the waits of patience only some are told: an outage makes all calls wait.
void Client::ReportWait(const Call& call, const CallError& error, base::Clock::Duration pause) {
  if (!options_.on_wait) return;
  const std::string request_line = call.request.method + " " + call.request.target;
  if (error.status && AsksToRetry(*error.status) && *error.status->retry_after == pause) {
    if (pause <= kLongestSilentWait) return;
    return options_.on_wait("waiting " + std::to_string(error.status->retry_after->count()) +
                            " s, as the server asks, to send " + request_line +
                            " again: " + error.message);
  }
  const base::Clock::TimePoint now = clock_.Now();
  if (!call.first_failure || now < *call.first_failure + kSilentPatience) return;
  if (patience_told_at_ && now < *patience_told_at_ + kBetweenWords) return;
  patience_told_at_ = now;
  const auto left =
      std::chrono::ceil<std::chrono::seconds>(*call.first_failure + options_.patience - now);
  options_.on_wait("waiting for an answer to " + request_line + ", for " +
                   std::to_string(left.count()) + " s more at most: " + error.message);
}

void Client::OnAnswered(Call& call, std::optional<TransportError> error) {
  const bool is_out_of_time = options_.request_timeout > base::Clock::Duration::zero() &&
                              clock_.Now() >= call.sent_at + options_.request_timeout;
  if (error && error->kind == TransportError::Kind::kTimeout && is_out_of_time) {
    *error = {TransportError::Kind::kOutOfTime,
              "the answer was not complete within the time of --request-timeout"};
  }
  Log(call, error ? nullptr : &*call.head);
  if (error) return OnFailure(call, ErrorOf(*error, call.head.has_value()));
  if (IsSuccess(call.head->status)) return OnSuccess(call);
  if (MeaningOf(call.head->status) == Meaning::kUnauthorized && !call.unauthorized)
    return call.RefreshAt(clock_.Now());
  OnFailure(call, ErrorOf(call.Status()));
}

void Client::OnSuccess(Call& call) {
  if (call.is_foreign) return OnFailure(call, ForeignAnswer(call));
  if (call.IsTooLong()) return Finish(call, call.EndlessAnswer());
  has_answered_ = true;
  if (!call.sink.IsCutShort()) return Finish(call, std::nullopt);
  CallError error = ErrorOf({TransportError::Kind::kConnectionLost, "unexpected EOF"},
                            /*answer_began=*/true);
  if (!PauseOfPatience(call, error)) return Finish(call, std::nullopt);
  OnFailure(call, std::move(error));
}

void Client::OnFailure(Call& call, CallError error) {
  if (!call.first_failure) call.first_failure = clock_.Now();
  const auto pause = PauseBefore(call, error);
  if (!pause || (call.handed_on && !call.sink.BeginAgain())) return Finish(call, error);
  ++call.retries;
  ReportWait(call, error, *pause);
  call.SendAt(clock_.Now() + *pause);
}

// Absent: the call ends with `error`.
std::optional<base::Clock::Duration> Client::PauseBefore(Call& call, CallError& error) {
  if (!call.request.retry) return std::nullopt;
  if (error.status && AsksToRetry(*error.status)) {
    if (*error.status->retry_after > kLongestWait) {
      error = TooLongAWait(std::move(error));
      return std::nullopt;
    }
    if (call.retries < kMaxRetries) return *error.status->retry_after;
  }
  if (const auto pause = PauseOfPatience(call, error)) return pause;
  const bool is_lost = MeaningOf(error) == Meaning::kLost && call.request.method == "GET";
  if (!is_lost || call.handed_on || call.retries >= kMaxRetries) return std::nullopt;
  return kPauseAfterLostConnection;
}

std::optional<base::Clock::Duration> Client::PauseOfPatience(Call& call, const CallError& error) {
  if (!MayBePatient(call, error)) return std::nullopt;
  const base::Clock::TimePoint now = clock_.Now();
  const base::Clock::TimePoint since = call.first_failure.value_or(now);
  const bool is_doubtful = !has_answered_ || (error.status && NamesWebhook(*error.status));
  const base::Clock::Duration patience =
      is_doubtful ? std::min<base::Clock::Duration>(options_.patience, kPatienceInDoubt)
                  : options_.patience;
  const int doublings = std::min(call.retries, 10);
  const base::Clock::Duration pause = std::min(kFirstPause * (1 << doublings), kLongestPause);
  if (now + pause > since + patience) return std::nullopt;
  return pause;
}

bool Client::MayBePatient(const Call& call, const CallError& error) const {
  if (!call.request.retry || !call.OnlyReads()) return false;
  if (error.status && error.status->message.starts_with(kMissingVersion)) return false;
  const Meaning meaning = MeaningOf(error);
  if (meaning == Meaning::kTrouble) return true;
  if (meaning == Meaning::kOutOfTime) return false;
  // At the first request it is more likely a wrong address than a moment's trouble.
  return has_answered_ && (meaning == Meaning::kForeign || IsUnanswered(meaning));
}

void Client::Finish(Call& call, const std::optional<CallError>& error) {
  const auto node = calls_.extract(call.id);  // for its sink the call is over
  call.sink.OnEnd(error);
}

CallError Client::ForeignAnswer(const Call& call) const {
  return UnusableAnswer(call.request.method + " " + call.request.target,
                        "is HTML, not JSON; is there a proxy or a login page in between?",
                        TransportError::Kind::kForeign);
}

CallError Client::ErrorOf(ApiStatus status) const {
  CallError error;
  error.message = Describe(status);
  error.status = std::move(status);
  return error;
}

CallError Client::ErrorOf(const TransportError& transport, bool answer_began) const {
  CallError error;
  error.transport = transport;
  if (transport.kind == TransportError::Kind::kRefused) {
    error.message = "The connection to the server " + server_.authority +
                    " was refused - did you specify the right host or port?";
  } else if (answer_began) {
    error.message = "unexpected error when reading response body. Please retry. Original error: " +
                    transport.message;
  } else {
    error.message = "Unable to connect to the server: " + transport.message;
  }
  return error;
}

DocumentResult Client::Get(const std::string& target) { return Send({.target = target}); }

DocumentResult Client::Send(ApiRequest request) {
  std::vector<ApiRequest> requests;
  requests.push_back(std::move(request));
  return std::move(SendAll(std::move(requests))[0]);
}

std::vector<DocumentResult> Client::SendAll(std::vector<ApiRequest> requests) {
  std::deque<DocumentCall> answers;
  base::Clock::Duration grace{};
  for (ApiRequest& request : requests) {
    grace = std::max(grace, request.grace);
    answers.emplace_back(*this).Start(std::move(request));
  }
  std::optional<base::Clock::TimePoint> stopped_at;
  while (!std::ranges::all_of(answers, &DocumentCall::is_done)) {
    if (options_.stop != nullptr && *options_.stop) {
      if (!stopped_at) stopped_at = clock_.Now();
      if (clock_.Now() >= *stopped_at + grace) break;
    }
    Poll(options_.stop == nullptr ? base::Clock::TimePoint::max() : clock_.Now() + kTick);
  }
  std::vector<DocumentResult> results;
  for (DocumentCall& answer : answers) results.push_back(answer.TakeResult());
  return results;
}

std::string UrlEscape(std::string_view text) { return go::EscapeUrlPart(text); }

std::string WithQuery(std::string target, std::string_view query) {
  target += target.find('?') == std::string::npos ? '?' : '&';
  return target.append(query);
}

}  // namespace kube::client
