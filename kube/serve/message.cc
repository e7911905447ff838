#include "kube/serve/message.h"

#include "kube/base/text.h"

namespace kube::serve {

std::string_view WhyRefused(int refusal) {
  return refusal == kContentTooLarge ? "it takes more memory than there is"
                                     : "others have the memory that it takes: try again";
}

int Request::RefusalOf(std::size_t bytes) const {
  if (share == nullptr || share->TakeMore(bytes)) return 0;
  return share->CouldTake(bytes) ? kTooManyRequests : kContentTooLarge;
}

const std::string* Request::FindHeader(std::string_view name) const {
  const std::string wanted = base::ToLower(name);
  for (const auto& [header, value] : headers) {
    if (header.size() == wanted.size() && base::ToLower(header) == wanted) return &value;
  }
  return nullptr;
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

namespace {

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "";  // nobody reads it
  }
}

bool HasBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

std::string ResponseText(const Response& response, std::string_view method, AfterAnswer after) {
  constexpr std::size_t kHeadBytes = 256;
  std::string text;
  text.reserve(kHeadBytes + response.body.size());
  text.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  text.append(ReasonOf(response.status)).append("\r\n");
  if (HasBody(response.status)) {
    if (!response.content_type.empty()) {
      text.append("Content-Type: ").append(response.content_type).append("\r\n");
    }
    text.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
  }
  if (response.retry_after) {
    text.append("Retry-After: ").append(std::to_string(response.retry_after->count()));
    text.append("\r\n");
  }
  if (after == AfterAnswer::kClose) text.append("Connection: close\r\n");
  text.append("\r\n");
  if (HasBody(response.status) && method != "HEAD") text.append(response.body);
  return text;
}

Response PlainAnswer(int status, std::string_view line) {
  return {status, "text/plain; charset=utf-8", std::string(line).append("\n")};
}

}  // namespace kube::serve
