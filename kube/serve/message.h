#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/serve/memory.h"

/// HTTP as a server sees it: what it is asked, what it answers, and the bytes of an answer.
namespace kube::serve {

struct CertificateFacts;  // kube/serve/certificates.h

struct Request {
  std::string method;  ///< as it came: "POST"
  std::string target;  ///< path and query: "/warn?timeout=3s"
  std::vector<std::pair<std::string, std::string>>
      headers{};  ///< in their order; names as they came
  std::string body{};
  /// The certificate that the other end of a TLS connection showed, and that was verified. The null
  /// pointer: it showed none, or the connection has no TLS.
  std::shared_ptr<const CertificateFacts> peer{};
  std::string remote_address{};  ///< "127.0.0.1:41234"
  /// The memory that its answer may take, which ends with it; the null pointer: nobody counts.
  std::shared_ptr<WorkShare> share{};

  /// Takes so much more memory for what could not be foretold of the answer. Returns 0; or, and
  /// then nothing is taken, the status to answer: 429 where others have it, 413 where it is more
  /// than there is. Whoever asks never waits, as it keeps a thread.
  int RefusalOf(std::size_t bytes) const;
  /// The value of the first header of that name, in any case; the null pointer if there is none.
  const std::string* FindHeader(std::string_view name) const;
  /// The target without the query.
  std::string_view path() const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::optional<std::chrono::seconds> retry_after{};
};

/// Statuses of requests for which there is no memory: never, and now.
inline constexpr int kContentTooLarge = 413, kTooManyRequests = 429;
/// What to say with them.
std::string_view WhyRefused(int refusal);

/// When to ask again where others have the memory that an answer takes: what 429 says. An API
/// server does so, within the timeout of its webhook (client-go rest.Request).
inline constexpr std::chrono::seconds kRetryAfter{1};

/// Answers a request. Called by several threads at once; must not throw.
using Answerer = std::function<Response(const Request&)>;

/// What to do with a connection behind an answer, as its head tells.
enum class AfterAnswer { kKeep, kClose };

/// An answer as it goes over the wire, HTTP/1.1: with Content-Length, and without the body where
/// `method` is HEAD or the status has none (1xx, 204, 304).
std::string ResponseText(const Response& response, std::string_view method, AfterAnswer after);

/// A line of text as an answer, for what no Answerer was asked.
Response PlainAnswer(int status, std::string_view line);

}  // namespace kube::serve
