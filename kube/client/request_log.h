#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kube/client/transport.h"

namespace kube::client {

/// The part of a body that a log shows, gathered as the bytes arrive.
class LoggedBody {
 public:
  explicit LoggedBody(std::size_t limit) : limit_(limit) {}

  void Add(std::string_view bytes);
  /// As client-go cuts it: "{\"kind\":... [truncated 512 chars]".
  std::string Text() const;

 private:
  std::size_t limit_;
  std::size_t total_ = 0;
  std::string kept_;
};

/// What -v shows of requests, by client-go's levels (transport/round_trippers.go, rest/request.go):
/// from 6 on a line for each answer; 7 the headers of requests, 8 those of answers and the first
/// 1,024 bytes of bodies, 9 the first 10,240, 10 all of them. Tokens, passwords and cookies are
/// masked.
class RequestLog {
 public:
  /// `write_line` may be empty, then nothing is logged.
  RequestLog(int level, std::function<void(const std::string&)> write_line);

  /// `url` without a user in it.
  void LogRequest(const HttpRequest& request, const std::string& url) const;
  /// `head` is the null pointer where no answer came.
  void LogAnswer(const std::string& method, const std::string& url, const ResponseHead* head,
                 const LoggedBody& body, std::chrono::milliseconds taken) const;

  /// An empty body that keeps as much as this level shows.
  LoggedBody NewBody() const { return LoggedBody(BodyLimit()); }

 private:
  std::size_t BodyLimit() const;
  bool Shows(int level) const { return write_line_ && level_ >= level; }
  void WriteHeaders(const std::vector<HttpHeader>& headers) const;
  void WriteBody(std::string_view title, const LoggedBody& body) const;

  int level_;
  std::function<void(const std::string&)> write_line_;
};

}  // namespace kube::client
