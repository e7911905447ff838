#include <catch2/catch.hpp>

#include "kube/serve/message.h"

namespace kube::serve {
namespace {

TEST_CASE("An answer has its length, its type and its body", "[kube][serve]") {
  CHECK(ResponseText({200, "application/json", "{}"}, "POST", AfterAnswer::kKeep) ==
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(ResponseText({404, "", ""}, "GET", AfterAnswer::kClose) ==
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST_CASE("Who is to ask again is told when", "[kube][serve]") {
  CHECK(ResponseText({429, "", "", std::chrono::seconds(7)}, "POST", AfterAnswer::kKeep) ==
        "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nRetry-After: 7\r\n\r\n");
}

TEST_CASE("HEAD is told the length, and gets no body", "[kube][serve]") {
  CHECK(ResponseText({200, "text/plain", "ok"}, "HEAD", AfterAnswer::kKeep) ==
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n");
}

TEST_CASE("A status without a body has none, nor a length", "[kube][serve]") {
  const int status = GENERATE(204, 304);
  const std::string text = ResponseText({status, "text/plain", "x"}, "GET", AfterAnswer::kKeep);
  CHECK(text.find("Content-") == text.npos);
  CHECK(text.ends_with("\r\n\r\n"));
}

}  // namespace
}  // namespace kube::serve
