#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/result.h"
#include "kube/client/api_status.h"
#include "kube/client/request_log.h"
#include "kube/client/server_url.h"
#include "kube/client/transport.h"
#include "kube/json/json.h"

namespace kube::client {

/// The User-Agent header as client-go makes it: "kubectl-prune/v0.1.0 (linux/amd64)
/// kubernetes/unknown". Of `version` what stands before the first "-" is taken; empty is "unknown".
/// No commit of Kubernetes is in this program, hence the last word.
std::string UserAgent(std::string_view command, std::string_view version);

/// Why a call brought no result: the server's status, or why there was no answer.
struct CallError {
  std::optional<ApiStatus> status;          ///< what the server said; absent if it said nothing
  std::optional<TransportError> transport;  ///< where there was no answer, or none that the
                                            ///< client could use
  /// For people, as kubectl words it: Describe(*status), or `Unable to connect to the server: ...`,
  /// `The connection to the server HOST was refused - did you specify the right host or port?`.
  std::string message;
};
/// Why a call brought nothing, without what kubectl puts before the server's own words.
inline const std::string& ServerMessage(const CallError& error) {
  return error.status ? error.status->message : error.message;
}

/// Who we are, for the headers of a request. Behind this stand tokens, token files, passwords and
/// credential plugins.
class Credentials {
 public:
  virtual ~Credentials() = default;
  /// Headers for the next request, e.g. Authorization. Throws kube::base::Error if there are none
  /// to be had (a plugin failed).
  virtual std::vector<HttpHeader> Headers() = 0;
  /// Is told that the server answered 401 to a request with what Headers() gave last. True: they
  /// are new now, the request is worth sending once more.
  virtual bool Refresh() = 0;
  /// Becomes larger whenever Headers() begins to give others, by Refresh() or by itself.
  virtual std::uint64_t version() const { return 0; }
};

/// What is read as one document is in memory whole, as text and as a tree that is several times as
/// large. A chunk of the largest CRDs is below this.
inline constexpr std::uint64_t kMostDocumentBytes = std::uint64_t{128} * 1024 * 1024;

/// An object, for what a server warns of as it is written.
struct WrittenObject {
  std::string resource{};  ///< "widgets.demo.example.com"
  std::string name{};      ///< "shop/blue"; "blue" of one of the cluster's scope
};

struct ApiRequest {
  std::string method = "GET";
  std::string target{};  ///< as HttpRequest::target
  std::string accept = "application/json";
  std::string content_type{};  ///< of `body`; empty if there is none
  std::string body{};
  bool fresh_connection = false;  ///< as HttpRequest::fresh_connection
  bool always_compress = false;   ///< as HttpRequest::always_compress
  bool in_bulk = false;           ///< as HttpRequest::in_bulk
  /// An answer of success that is longer is given up where it comes to that, and not sent for
  /// again.
  std::uint64_t most_bytes = kMostDocumentBytes;
  /// The answer goes on for as long as there is something to tell, however long and slow that is.
  bool is_watch = false;
  /// Beside what a GET is: it only asks, such as an access review, so that it may be sent twice.
  bool changes_nothing = false;
  /// False: the first answer counts, for a caller with its own rules of what to send again; only a
  /// 401 is still answered with new credentials.
  bool retry = true;
  /// Of a write that is one of many: whose warnings are told together. Empty: as any other's.
  WrittenObject writes{};
  /// For Send: how long ClientOptions::stop leaves it to end, for a write whose outcome matters.
  base::Clock::Duration grace{};
};

using DocumentResult = base::Result<std::unique_ptr<json::Document>, CallError>;

/// Takes the answer to a call. Calls come from within Client::Poll.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// A piece of a successful (2xx) answer.
  virtual void OnBytes(std::string_view bytes) = 0;
  /// At the end of a successful answer: true if some of it is missing, though nobody says so.
  virtual bool IsCutShort() { return false; }
  /// The answer broke off, and the request may be sent again. True: what was handed on is
  /// forgotten, and pieces of the new answer come; false: that was the end.
  virtual bool BeginAgain() { return false; }
  /// The end, exactly once unless cancelled; absent: the answer is complete. May start other calls.
  virtual void OnEnd(const std::optional<CallError>& error) = 0;
};

struct ClientOptions {
  std::string server;      ///< URL, for messages
  std::string user_agent;  ///< "kubectl-prune/v0.1.0 (linux/amd64) kubernetes/abc1234"
  base::Clock::Duration request_timeout{};  ///< 0: none
  /// Ends Get when it becomes true. May be the null pointer.
  const std::atomic<bool>* stop = nullptr;
  /// How long a request that only reads is tried again, counted from its first failure, where
  /// client-go would give up. Zero: not at all.
  base::Clock::Duration patience{};
  /// Is called with the text of each Warning header (code 299) and ApiRequest::writes: each text
  /// once where that is empty, else each time.
  std::function<void(const std::string&, const WrittenObject&)> on_warning{};
  /// Is called with a line about each wait of more than a second that the server asked for, and
  /// about those that patience has lasted for a while. May be empty.
  std::function<void(const std::string&)> on_wait{};
  /// Is called with the lines about requests that `log_level` asks for (kube/client/request_log.h).
  /// May be empty.
  std::function<void(const std::string&)> on_request{};
  int log_level = 6;
};

/// Calls to an API server over a transport: credentials, warnings, statuses and retries.
///
/// Sends a request again as client-go does (rest/with_retry.go, at most 10 times): after the
/// server's Retry-After with 429 or 5xx, if that is no more than a minute; a GET after one second
/// if the connection was lost before any of its answer was handed on; once more after 401 if the
/// credentials could be refreshed.
///
/// With ClientOptions::patience what only reads is sent again for longer, with pauses that grow to
/// ten seconds: after 500, 502, 503 and 504, also where the server does not ask for it, and, once
/// the server has answered any request with success, after a lost connection, a page of HTML in the
/// place of an answer (a proxy's), and where it cannot be reached or is silent. Before that, and
/// for a webhook that fails, it ends after ten seconds, for kMissingVersion at once. What was
/// handed to a sink already is sent for again only if the sink forgets it (ResultSink::BeginAgain),
/// else it hears kConnectionLost. What was not answered within ClientOptions::request_timeout is
/// not sent again: kOutOfTime.
///
/// Answers have an end: ApiRequest::most_bytes, 1 MiB of an error, of HTML, and of blanks ahead of
/// the answer. Once an answer has begun, each minute of listening to it has to bring some KiB, but
/// for a watch's: else it is kTimeout. Of the time between two polls nothing counts, and of a Poll
/// a second at most: sinks may keep everybody waiting.
///
/// For one thread. `transport`, `credentials` and `clock` must outlive it.
class Client {
 public:
  using CallId = std::uint64_t;

  Client(Transport& transport, Credentials& credentials, const base::Clock& clock,
         ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Begins a call; it is sent by the next Poll. `sink` must live until OnEnd or Cancel.
  CallId Start(ApiRequest request, ResultSink& sink);
  /// Forgets a call: nothing more is called for it. Not an error if it has ended. Not to be called
  /// from within OnBytes of the same call.
  void Cancel(CallId id);
  /// Works on all calls until something has happened, a call is due to be sent again, `deadline` is
  /// reached, or, where an answer has begun, a second has passed. Throws what Credentials and sinks
  /// throw.
  void Poll(base::Clock::TimePoint deadline);
  /// Has the Poll of another thread return, as Transport::Wake.
  void Wake() { transport_.Wake(); }

  /// Makes one GET and waits for its JSON; other calls go on meanwhile. An answer that is no JSON
  /// is a CallError too; "interrupted" where ClientOptions::stop became true. Not to be called from
  /// within a sink.
  DocumentResult Get(const std::string& target);
  /// The same for any request, such as a PATCH. Where the connection was lost it is not known
  /// whether a write was done.
  DocumentResult Send(ApiRequest request);
  /// The same for several, which are sent at once; the results are in their order. When they are
  /// to stop they all have the longest grace of them.
  std::vector<DocumentResult> SendAll(std::vector<ApiRequest> requests);

 private:
  class Call;
  bool SendDue();
  bool SendOrEnd(Call& call);
  std::vector<HttpHeader> Headers(const ApiRequest& request);
  bool RefreshFor(const Call& call);
  void Warn(const ResponseHead& head, const WrittenObject& object);
  std::string UrlOf(const std::string& target) const;
  void Log(const Call& call, const ResponseHead* head) const;
  void ReportWait(const Call& call, const CallError& error, base::Clock::Duration pause);
  void EndEndless();
  void EndEarly(Call& call);
  void OnAnswered(Call& call, std::optional<TransportError> error);
  void OnSuccess(Call& call);
  void OnFailure(Call& call, CallError error);
  std::optional<base::Clock::Duration> PauseBefore(Call& call, CallError& error);
  std::optional<base::Clock::Duration> PauseOfPatience(Call& call, const CallError& error);
  bool MayBePatient(const Call& call, const CallError& error) const;
  void Finish(Call& call, const std::optional<CallError>& error);
  CallError ForeignAnswer(const Call& call) const;
  CallError ErrorOf(ApiStatus status) const;
  CallError ErrorOf(const TransportError& transport, bool answer_began) const;

  Transport& transport_;
  Credentials& credentials_;
  const base::Clock& clock_;
  ClientOptions options_;
  ServerUrl server_;
  RequestLog log_;
  std::map<CallId, std::unique_ptr<Call>> calls_;
  std::set<std::string> warnings_;    // told already
  bool has_answered_ = false;         // some request had success
  base::Clock::Duration listened_{};  // to the server, so far
  std::optional<base::Clock::TimePoint> patience_told_at_;
  CallId next_id_ = 1;
};

/// Percent-encodes one segment of a path, or a value of a query.
std::string UrlEscape(std::string_view text);

/// A target with `query`, as "limit=1", behind what it asks for already.
std::string WithQuery(std::string target, std::string_view query);

}  // namespace kube::client
