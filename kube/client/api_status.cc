#include "kube/client/api_status.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_format.h"
#include "kube/json/json.h"

namespace kube::client {
namespace {

// Of an answer that is no Status client-go shows this much.
constexpr std::size_t kMaxUnstructuredBytes = 2048;
constexpr std::size_t kMaxMessageBytes = 16 * 1024;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxCauses = 100;
// Longer than anybody would wait; keeps the arithmetic with clocks far from its limits.
constexpr std::int64_t kMaxRetryAfterSeconds = 24 * 60 * 60;

/// The length of the white space at `at`.
std::size_t SpaceLength(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && base::IsSpace(text[end])) ++end;
  return end - at;
}

std::string WithoutControls(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = SpaceLength(text, at);
    const std::string_view run = text.substr(at, space);
    if (space > 0) {
      result += run.find_first_not_of(' ') == run.npos ? run : " ";
      at += space;
    } else if (const std::size_t control = base::utf8::ControlLength(text.substr(at))) {
      base::utf8::Append(result, U'\uFFFD');
      at += control;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string Tame(std::string_view text, std::size_t limit) {
  const std::string_view kept = base::utf8::Prefix(text, limit);
  std::string result = WithoutControls(base::utf8::Sanitize(kept));
  if (kept.size() < text.size()) {
    result += " [truncated " + std::to_string(text.size() - kept.size()) + " chars]";
  }
  return result;
}

std::optional<std::chrono::seconds> ReadSeconds(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(std::clamp(seconds, std::int64_t{0}, kMaxRetryAfterSeconds));
}

std::optional<std::chrono::seconds> ReadRetryAfter(const ResponseHead& head) {
  const std::string* header = head.Find("Retry-After");
  // A date is no number: client-go does not wait for it either.
  return header ? ReadSeconds(*header) : std::nullopt;
}

/// The media type in lower case, without its parameters; empty where there is none.
std::string MediaType(const ResponseHead& head) {
  const std::string* header = head.Find("Content-Type");
  if (!header) return "";
  std::string type = base::TrimSpace(std::string_view(*header).substr(0, header->find(';')));
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : static_cast<char>(c);
  });
  return type;
}

/// What client-go quotes of an answer that is no Status.
std::string ServerWords(const ResponseHead& head, std::string_view body) {
  const std::string type = MediaType(head);
  if (!type.empty() && !type.starts_with("text/")) return "unknown";
  return base::TrimSpace(base::utf8::Prefix(body, kMaxUnstructuredBytes));
}

std::pair<std::string, std::string> GenericReason(int code, std::string_view method,
                                                  const std::string& words) {
  switch (code) {
    case 400:
      return {"BadRequest", "the server rejected our request for an unknown reason"};
    case 401:
      return {"Unauthorized", "the server has asked for the client to provide credentials"};
    case 403:
      return {"Forbidden", words};
    case 404:
      return {"NotFound", "the server could not find the requested resource"};
    case 405:
      return {"MethodNotAllowed",
              "the server does not allow this method on the requested resource"};
    case 406:
      return {"NotAcceptable",
              words.empty() || words == "unknown"
                  ? "the server was unable to respond with a content type that the client supports"
                  : words};
    case 409:
      return {method == "POST" ? "AlreadyExists" : "Conflict", "the server reported a conflict"};
    case 415:
      return {"UnsupportedMediaType", words};
    case 422:
      return {"Invalid", "the server rejected our request due to an error in our request"};
    case 429:
      return {"TooManyRequests",
              "the server has received too many requests and has asked us to try again later"};
    case 503:
      return {"ServiceUnavailable", "the server is currently unable to handle the request"};
    case 504:
      return {"Timeout",
              "the server was unable to return a response in the time allotted, but may still be "
              "processing the request"};
    default:
      break;
  }
  if (code >= 500) {
    return {"InternalError", "an error on the server (" + go::GoQuote(words) +
                                 ") has prevented the request from succeeding"};
  }
  return {"", "the server responded with the status code " + std::to_string(code) +
                  " but did not return more information"};
}

void FillGeneric(ApiStatus& status, std::string_view method, const std::string& words) {
  auto [reason, message] = GenericReason(status.code, method, words);
  status.reason = std::move(reason);
  status.message = Tame(message, kMaxMessageBytes);
}

void AddCause(ApiStatus& status, const json::Value& cause) {
  std::string text(cause.FindText("field"));
  text.append(": ").append(cause.FindText("message"));
  text = Tame(text, kMaxMessageBytes);
  if (std::find(status.causes.begin(), status.causes.end(), text) == status.causes.end()) {
    status.causes.push_back(std::move(text));
  }
}

void FillDetails(ApiStatus& status, const json::Value& details) {
  status.kind = Tame(details.FindText("kind"), kMaxNameBytes);
  status.name = Tame(details.FindText("name"), kMaxNameBytes);
  const std::span<const json::Value> causes = details.At("causes").elements();
  for (const json::Value& cause : causes.first(std::min(causes.size(), kMaxCauses))) {
    AddCause(status, cause);
  }
  const json::Value* seconds = details.Find("retryAfterSeconds", json::Type::kNumber);
  if (seconds && !status.retry_after && seconds->text() != "0") {
    status.retry_after = ReadSeconds(seconds->text());
  }
}

/// False where `body` is no metav1.Status of a failure.
bool FillFromStatus(ApiStatus& status, std::string_view body) {
  json::Document document;
  if (document.Parse(body)) return false;
  const json::Value& root = document.root();
  if (root.FindText("status") != "Failure") return false;
  status.reason = Tame(root.FindText("reason"), kMaxNameBytes);
  status.message = Tame(root.FindText("message"), kMaxMessageBytes);
  status.continue_token = root.At("metadata").FindText("continue");
  if (const json::Value* details = root.Find("details")) FillDetails(status, *details);
  return true;
}

/// kubectl's MultilineError over the causes.
std::string DescribeInvalid(const ApiStatus& status) {
  std::string text = "The request is invalid";
  const bool named = !status.kind.empty() || !status.name.empty();
  if (named) text = "The " + status.kind + " " + go::GoQuote(status.name) + " is invalid";
  if (status.causes.empty()) {
    // Where kind and name are known, the message would only say it all again.
    return named || status.message.empty() ? text : text + ": " + status.message;
  }
  if (status.causes.size() == 1) return text + ": " + status.causes.front();
  text += ": ";
  for (const std::string& cause : status.causes) text += "\n* " + cause;
  return text;
}

}  // namespace

ApiStatus ReadApiStatus(std::string_view method, const ResponseHead& head, std::string_view body) {
  ApiStatus status;
  status.code = head.status;
  status.retry_after = ReadRetryAfter(head);
  if (!FillFromStatus(status, body)) FillGeneric(status, method, ServerWords(head, body));
  return status;
}

std::string Describe(const ApiStatus& status) {
  if (status.reason == "Invalid") return DescribeInvalid(status);
  if (status.reason == "Unauthorized") {
    return "You must be logged in to the server (" + status.message + ")";
  }
  if (status.reason.empty()) return "Error from server: " + status.message;
  return "Error from server (" + status.reason + "): " + status.message;
}

}  // namespace kube::client
