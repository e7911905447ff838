#include "kube/serve/request_reader.h"

#include <catch2/catch.hpp>

namespace kube::serve {
namespace {

using State = RequestReader::State;

RequestReader ReaderOf(std::string_view bytes, RequestLimits limits = {}) {
  RequestReader reader(limits);
  reader.Take(bytes);
  return reader;
}

/// All requests that the bytes hold, given in pieces of a size, and how it ends.
std::string ReadInPieces(std::string_view bytes, std::size_t size, RequestLimits limits = {}) {
  RequestReader reader(limits);
  std::string all;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
    reader.Take(bytes.substr(0, size));
    while (reader.state() == State::kComplete) {
      all += reader.keeps_alive() ? "keep " : "close ";
      const Request request = reader.TakeRequest();
      all += request.method + " " + request.target + " " + request.body + "\n";
    }
  }
  if (reader.state() == State::kRefused) all += std::to_string(reader.refusal().status);
  if (reader.state() == State::kIdle) all += "idle";
  return all;
}

TEST_CASE("A request is read with its headers and its body", "[kube][serve]") {
  RequestReader reader = ReaderOf(
      "POST /warn?timeout=3s HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nX-One:  b \r\n\r\n{}");
  REQUIRE(reader.state() == State::kComplete);
  CHECK(reader.keeps_alive());
  CHECK(reader.body_bytes() == 2);
  const Request request = reader.TakeRequest();
  CHECK(request.method == "POST");
  CHECK(request.target == "/warn?timeout=3s");
  CHECK(request.body == "{}");
  REQUIRE(request.headers.size() == 3);
  CHECK(request.headers[2] == std::pair<std::string, std::string>("X-One", "b"));
  CHECK(reader.state() == State::kIdle);
}

TEST_CASE("The same requests are read in whatever pieces they come", "[kube][serve]") {
  const std::string bytes =
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: z\r\n\r\n"
      "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"
      "POST /d HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz"
      "GET /e HTTP/1.0\r\n\r\n";
  const std::size_t size = GENERATE(1u, 2u, 3u, 4u, 5u, 7u, 50u, 1000u);
  CAPTURE(size);
  CHECK(ReadInPieces(bytes, size) ==
        "keep GET /a \nkeep POST /b abcde\nkeep POST /c \nkeep POST /d xyz\nclose GET /e \nidle");
}

TEST_CASE("A trailer is no header", "[kube][serve]") {
  RequestReader reader = ReaderOf(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Late: z\r\n\r\n");
  CHECK(reader.TakeRequest().FindHeader("X-Late") == nullptr);
}

TEST_CASE("What is no request is refused", "[kube][serve]") {
  const auto [bytes, status] = GENERATE(table<std::string, int>({
      {"\x16\x03\x01", 400},      // TLS
      {"GET / HTTP/1.1\n", 400},  // before it ends, which it may never do
      {"GET / HTTP/2.0\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"PRI * HTTP/2.0\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},  // for whom?
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nExpect: the-unexpected\r\n\r\n", 417},
  }));
  CAPTURE(bytes);
  const RequestReader reader = ReaderOf(bytes);
  REQUIRE(reader.state() == State::kRefused);
  CHECK(reader.refusal().status == status);
  CHECK_FALSE(reader.refusal().body.empty());
  CHECK(ReadInPieces(bytes, 1) == std::to_string(status));
}

// RFC 9112: 2.2, 3.2, 5, 6. Each is a request for one recipient, and another one for the next.
TEST_CASE("What recipients may read in two ways is refused", "[kube][serve]") {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n",
                    chunked = "Transfer-Encoding: chunked\r\n";
  const auto [bytes, status] = GENERATE_COPY(table<std::string, int>({
      {post + "Host: b\r\n\r\n", 400},
      {post + "Host: a\r\n\r\n", 400},
      {"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {post + "Transfer-Encoding:\r\n\r\n", 400},
      {post + "Transfer-Encoding:\r\n" + chunked + "\r\n0\r\n\r\n", 400},
      {post + "Transfer-Encoding:\r\nTransfer-Encoding: gzip\r\n\r\n", 400},
      {post + chunked + chunked + "\r\n0\r\n\r\n", 400},
      {post + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}", 400},
      {post + "Transfer-Encoding: xchunked\r\n\r\n", 501},
      {post + "Transfer-Encoding: chunked, chunked\r\n\r\n", 501},
      {post + "Transfer-Encoding: chunked, identity\r\n\r\n", 501},
      {post + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}", 400},
      {post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400},
      {"POST / HTTP/1.0\r\n" + chunked + "\r\n0\r\n\r\n", 400},
      {post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
      {post + "Content-Length: 2, 2\r\n\r\n{}", 400},
      {post + "Content-Length: +2\r\n\r\n{}", 400},
      {post + "Content-Length: 0x2\r\n\r\n{}", 400},
      {post + "Content-Length:\r\n\r\n", 400},
      {post + "Content-Length : 2\r\n\r\n{}", 400},
      {post + "X: a\r\n b: c\r\n\r\n", 400},  // folded
      {post + "X: a\r\n\tb\r\n\r\n", 400},
      {post + " X: a\r\n\r\n", 400},
      {post + "X: a\rContent-Length: 2\r\n\r\n{}", 400},
      {post + std::string("X: a\0b\r\n\r\n", 10), 400},
      {post + "X\x01: a\r\n\r\n", 400},
      {post + ": a\r\n\r\n", 400},
      {"POST  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"POST / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
      {"POST / HTTP/1.1x\r\nHost: a\r\n\r\n", 400},
      {"POST /\x7F HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {post + chunked + "\r\n+1\r\na\r\n0\r\n\r\n", 400},
      {post + chunked + "\r\n0x1\r\na\r\n0\r\n\r\n", 400},
      {post + chunked + "\r\n1\na\r\n0\r\n\r\n", 400},
      {post + chunked + "\r\n1;a\rb\r\na\r\n0\r\n\r\n", 400},
      {post + chunked + "\r\n1\r\nab\r\n0\r\n\r\n", 400},
      {post + chunked + "\r\n10000000000000000\r\na\r\n", 400},
  }));
  CAPTURE(bytes);
  const std::size_t size = GENERATE(1u, 1000u);
  CHECK(ReadInPieces(bytes, size) == std::to_string(status));
}

TEST_CASE("What is odd, and means one thing alone, is taken", "[kube][serve]") {
  const std::string get = "GET / HTTP/1.1\r\n";
  const std::string head = GENERATE_COPY(
      as<std::string>(), get + "Host:\r\n", get + "host: [::1]:8443\r\n", get + "HOST:a.b:1 \r\n",
      get + "Host: a\r\nX-Empty:\r\n", get + "Host: a\r\nContent-Length: 000\r\n",
      get + "Host: a\r\nX: a\r\nX: b\r\n");
  CAPTURE(head);
  CHECK(ReadInPieces(head + "\r\n", 1) == "keep GET / \nidle");
}

TEST_CASE("A head, a body and a line of a chunk have an end", "[kube][serve]") {
  const RequestLimits limits{.head_bytes = 100, .head_lines = 4, .body_bytes = 10};
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const auto [bytes, status] = GENERATE_COPY(table<std::string, int>({
      {"GET /" + std::string(100, 'a'), 431},
      {"GET / HTTP/1.1\r\nHost: a\r\na:\r\na:\r\na:\r\na:", 431},
      {post + "X: " + std::string(100, 'a') + "\r\n\r\n", 431},
      {post + "Content-Length: 11\r\n\r\n", 413},
      {post + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {post + "Transfer-Encoding: chunked\r\n\r\nb\r\n01", 413},
      {post + "Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n2\r\n01", 413},
      {post + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(100, 'a'), 400},
      {post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(100, 'a'), 400},
  }));
  const std::size_t size = GENERATE(1u, 1000u);
  CAPTURE(bytes, size);
  CHECK(ReadInPieces(bytes, size, limits) == std::to_string(status));
}

TEST_CASE("What fits exactly is taken", "[kube][serve]") {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";
  const RequestLimits limits{.head_bytes = head.size(), .body_bytes = 10};
  CHECK(ReadInPieces(head + "0123456789", 7, limits) == "keep POST / 0123456789\nidle");
}

TEST_CASE("Who waits for a word before the body is told once", "[kube][serve]") {
  RequestReader reader =
      ReaderOf("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  CHECK(reader.state() == State::kBody);
  CHECK(reader.TakeExpectation());
  CHECK_FALSE(reader.TakeExpectation());
}

TEST_CASE("Whose body comes unasked needs no word", "[kube][serve]") {
  const std::string body = GENERATE("{", "{}");
  RequestReader reader = ReaderOf(
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n" + body);
  CHECK_FALSE(reader.TakeExpectation());
}

TEST_CASE("Who says close, or speaks HTTP/1.0 and says nothing, closes", "[kube][serve]") {
  const auto [head, keeps] = GENERATE(table<std::string, bool>({
      {"GET / HTTP/1.1\r\nHost: a\r\n", true},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", false},
      {"GET / HTTP/1.0\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n", true},
  }));
  CHECK(ReaderOf(head + "\r\n").keeps_alive() == keeps);
}

}  // namespace
}  // namespace kube::serve
