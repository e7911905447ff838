#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"

namespace kube::client {

// The seam between what we say to an API server and how the bytes travel.

struct HttpHeader {
  std::string name, value;
};

struct HttpRequest {
  std::string method = "GET";
  std::string target;  ///< path and query, percent-encoded, behind the server's URL: "/version"
  std::vector<HttpHeader> headers;
  std::string body;
  /// Not over a connection that has served before: a load balancer may choose another server.
  bool fresh_connection = false;
  /// The answer may come compressed even where that costs more time than it saves, for one that
  /// shrinks to a fraction.
  bool always_compress = false;
  /// One of very many that nobody waits for one by one: its answer may be handed out some
  /// milliseconds later, with others, where that costs less.
  bool in_bulk = false;
};

/// Status line and headers of an answer; never an interim one (1xx).
struct ResponseHead {
  int status = 0;
  std::vector<HttpHeader> headers;  ///< in the order of arrival

  /// The value of the first header of this name, in any case of letters; null pointer if there is
  /// none.
  const std::string* Find(std::string_view name) const;
  /// The values of all headers of this name, in their order.
  std::vector<std::string_view> FindAll(std::string_view name) const;
};

/// Why no complete answer came.
struct TransportError {
  enum class Kind {
    kRefused,         ///< nothing listens there
    kConnectionLost,  ///< reset or closed before the answer was complete
    kTimeout,
    kOutOfTime,  ///< the user's own limit of the time for a request (--request-timeout) was reached
    kTls,        ///< the server's certificate, or ours, was not accepted
    kForeign,    ///< a page of HTML came in the place of an answer: a proxy's, or a login page
    kTooLong,    ///< the answer, or its head, is longer than any of its kind
    kOther,      ///< unknown host, proxy, ...
  };
  Kind kind;
  std::string message;  ///< the cause, lower case, no secrets: "certificate has expired"
};

/// Takes an answer as it arrives. Calls come from within Transport::Poll, on its thread.
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void OnHead(const ResponseHead& head) = 0;
  /// A piece of the body, decompressed. May block: nothing is read from any connection meanwhile.
  virtual void OnBytes(std::string_view bytes) = 0;
  /// The end, exactly once unless the request was cancelled. Without an error OnHead was called and
  /// the body is complete. May start and cancel other requests.
  virtual void OnEnd(const std::optional<TransportError>& error) = 0;
};

/// Requests to one server, many at a time over few connections. For one thread.
class Transport {
 public:
  using RequestId = std::uint64_t;

  virtual ~Transport() = default;

  /// Begins a request; nothing is called before Poll. `sink` must live until OnEnd or Cancel.
  /// A zero `timeout` is none; it counts for the whole answer, as Go's http.Client.Timeout.
  virtual RequestId Start(HttpRequest request, base::Clock::Duration timeout,
                          ResponseSink& sink) = 0;
  /// Forgets a request: nothing more is called for it. Not an error if it has ended. Not to be
  /// called from within a sink of the same request.
  virtual void Cancel(RequestId id) = 0;
  /// Moves bytes and calls sinks until something has happened or `deadline` is reached. What a sink
  /// throws comes out here; its request is over then.
  virtual void Poll(base::Clock::TimePoint deadline) = 0;
  /// Has the Poll under way, or else the next one, return before its deadline. The one method that
  /// other threads may call. Where only one thread ever is there is nothing to do.
  virtual void Wake() {}
};

/// A transport that cannot change anything: it hands on GET, the POST of a SelfSubjectAccessReview
/// (which stores nothing), and any request whose query says dryRun=All.
///
/// Start throws kube::base::Error for every other request, which is not sent. `transport` must
/// outlive it.
class ReadOnlyTransport : public Transport {
 public:
  explicit ReadOnlyTransport(Transport& transport) : transport_(transport) {}

  RequestId Start(HttpRequest request, base::Clock::Duration timeout, ResponseSink& sink) override;
  void Cancel(RequestId id) override { transport_.Cancel(id); }
  void Poll(base::Clock::TimePoint deadline) override { transport_.Poll(deadline); }
  void Wake() override { transport_.Wake(); }

 private:
  Transport& transport_;
};

}  // namespace kube::client
