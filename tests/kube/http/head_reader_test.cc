#include <catch2/catch.hpp>
#include <string>

#include "kube/client/response_head.h"

namespace kube::client {
namespace {

TEST_CASE("A head is complete by its empty line", "[kube][head_reader]") {
  HeadReader reader;
  CHECK_FALSE(reader.Take("HTTP/1.1 404 Not Found\r\n"));
  CHECK_FALSE(reader.Take("Retry-After: \t 5 \r\n"));
  CHECK_FALSE(reader.complete());
  CHECK(reader.Take("\r\n"));
  CHECK(reader.complete());
  CHECK(reader.head().status == 404);
  REQUIRE(reader.head().Find("retry-after") != nullptr);
  CHECK(*reader.head().Find("retry-after") == "5");
}

TEST_CASE("Of several heads the one that is not interim counts", "[kube][head_reader]") {
  HeadReader reader;
  for (const char* line : {"HTTP/1.1 100 Continue", "X: 1", "", "HTTP/2 200"}) {
    CHECK_FALSE(reader.Take(line));
  }
  CHECK(reader.Take(""));
  CHECK(reader.head().status == 200);
  CHECK(reader.head().headers.empty());
}

TEST_CASE("A trailer changes nothing", "[kube][head_reader]") {
  HeadReader reader;
  reader.Take("HTTP/2 200");
  reader.Take("");
  CHECK_FALSE(reader.Take("Late: 1"));
  CHECK_FALSE(reader.Take(""));
  CHECK(reader.head().headers.empty());
}

TEST_CASE("Lines without end are given up, of whatever they are", "[kube][head_reader]") {
  const std::string line = GENERATE("X: y\r\n", "HTTP/1.1 100 Continue\r\n", "\r\n");
  HeadReader reader;
  reader.Take("HTTP/1.1 200 OK\r\n");
  if (line == "\r\n") reader.Take(line);  // a trailer goes on
  std::size_t bytes = 0;
  for (; !reader.is_too_long() && bytes < 2 * HeadReader::kMostBytes; bytes += line.size()) {
    reader.Take(line);
  }
  CHECK(reader.is_too_long());
  CHECK(bytes <= HeadReader::kMostBytes + line.size());
}

TEST_CASE("A head of nonsense is never complete", "[kube][head_reader]") {
  const std::string status = GENERATE("HTTP/1.1", "HTTP/1.1 x", "HTTP/1.1 101 Switching", "what");
  HeadReader reader;
  reader.Take(status);
  reader.Take("no header");
  CHECK_FALSE(reader.Take(""));
  CHECK_FALSE(reader.complete());
}

}  // namespace
}  // namespace kube::client
