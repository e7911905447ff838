#include "kube/client/request_log.h"

#include <limits>
#include <utility>

#include "kube/base/text.h"

namespace kube::client {
namespace {

constexpr int kLines = 6, kRequestHeaders = 7, kBodies = 8, kLongBodies = 9, kWholeBodies = 10;

using base::EqualFold;

// transport.maskValue, and cookies: sessions of a proxy in between.
std::string Masked(const HttpHeader& header) {
  if (header.value.empty()) return "";
  if (EqualFold(header.name, "Set-Cookie") || EqualFold(header.name, "Cookie")) return "<masked>";
  if (!EqualFold(header.name, "Authorization") && !EqualFold(header.name, "Proxy-Authorization")) {
    return header.value;
  }
  const std::string scheme = header.value.substr(0, header.value.find(' '));
  for (const char* known : {"Basic", "Bearer", "Negotiate"}) {
    if (!EqualFold(scheme, known)) continue;
    return scheme.size() == header.value.size() ? scheme : scheme + " <masked>";
  }
  return "<masked>";
}

}  // namespace

void LoggedBody::Add(std::string_view bytes) {
  total_ += bytes.size();
  kept_ += bytes.substr(0, limit_ - kept_.size());
}

std::string LoggedBody::Text() const {
  if (total_ == kept_.size()) return kept_;
  return kept_ + " [truncated " + std::to_string(total_ - kept_.size()) + " chars]";
}

RequestLog::RequestLog(int level, std::function<void(const std::string&)> write_line)
    : level_(level), write_line_(std::move(write_line)) {}

void RequestLog::LogRequest(const HttpRequest& request, const std::string& url) const {
  if (!Shows(kRequestHeaders)) return;
  write_line_(request.method + " " + url);
  write_line_("Request Headers:");
  WriteHeaders(request.headers);
  LoggedBody body = NewBody();
  body.Add(request.body);
  WriteBody("Request Body: ", body);
}

void RequestLog::LogAnswer(const std::string& method, const std::string& url,
                           const ResponseHead* head, const LoggedBody& body,
                           std::chrono::milliseconds taken) const {
  if (!Shows(kLines)) return;
  const std::string status = head == nullptr ? "failed" : std::to_string(head->status);
  const std::string outcome = status + " in " + std::to_string(taken.count()) + " milliseconds";
  if (!Shows(kRequestHeaders)) return write_line_(method + " " + url + " " + outcome);
  write_line_("Response Status: " + outcome);
  if (head == nullptr || !Shows(kBodies)) return;
  write_line_("Response Headers:");
  WriteHeaders(head->headers);
  WriteBody("Response Body: ", body);
}

std::size_t RequestLog::BodyLimit() const {
  if (!Shows(kBodies)) return 0;
  if (!Shows(kLongBodies)) return 1024;
  return Shows(kWholeBodies) ? std::numeric_limits<std::size_t>::max() : 10240;
}

void RequestLog::WriteHeaders(const std::vector<HttpHeader>& headers) const {
  for (const HttpHeader& header : headers) {
    write_line_("    " + header.name + ": " + Masked(header));
  }
}

void RequestLog::WriteBody(std::string_view title, const LoggedBody& body) const {
  if (Shows(kBodies)) write_line_(std::string(title) + body.Text());
}

}  // namespace kube::client
