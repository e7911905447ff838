#include "kube/client/request_log.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::client {
namespace request_log_test {

using Lines = std::vector<std::string>;

const std::string kUrl = "https://10.0.0.1/version";

// What is logged of a request and of its answer of 2,000 bytes.
Lines LogAt(int level) {
  Lines lines;
  const RequestLog log(level, [&lines](const std::string& line) { lines.push_back(line); });
  HttpRequest request;
  request.method = "PATCH";
  request.headers = {{"Accept", "application/json"}, {"Authorization", "Bearer s3cret"}};
  request.body = "{}";
  log.LogRequest(request, kUrl);
  LoggedBody body = log.NewBody();
  body.Add(std::string(1000, 'a'));
  body.Add(std::string(1000, 'b'));
  const ResponseHead head{200, {{"Content-Type", "text/plain"}, {"Set-Cookie", "s3cret"}}};
  log.LogAnswer("PATCH", kUrl, &head, body, std::chrono::milliseconds(3));
  for (const std::string& line : lines) CHECK(line.find("s3cret") == std::string::npos);
  return lines;
}

TEST_CASE("G2: below -v 6 nothing is logged of requests", "[kube][request_log]") {
  CHECK(LogAt(5).empty());
}

TEST_CASE("G2: -v 6 is a line for each request", "[kube][request_log]") {
  CHECK(LogAt(6) == Lines{"PATCH https://10.0.0.1/version 200 in 3 milliseconds"});
}

TEST_CASE("G2: -v 7 shows the headers of requests, and no token", "[kube][request_log]") {
  CHECK(LogAt(7) ==
        Lines{"PATCH https://10.0.0.1/version", "Request Headers:", "    Accept: application/json",
              "    Authorization: Bearer <masked>", "Response Status: 200 in 3 milliseconds"});
}

TEST_CASE("G2: -v 8 shows the headers of answers, and bodies cut to 1,024 bytes",
          "[kube][request_log]") {
  const Lines lines = LogAt(8);
  CHECK(lines.at(4) == "Request Body: {}");
  CHECK(Lines(lines.begin() + 6, lines.end()) ==
        Lines{"Response Headers:", "    Content-Type: text/plain", "    Set-Cookie: <masked>",
              "Response Body: " + std::string(1000, 'a') + std::string(24, 'b') +
                  " [truncated 976 chars]"});
}

TEST_CASE("G2: -v 9 and 10 cut bodies later or never", "[kube][request_log]") {
  CHECK(LogAt(9).back() == "Response Body: " + std::string(1000, 'a') + std::string(1000, 'b'));
  for (const auto& [level, total] : {std::pair(9, 10240), std::pair(10, 20000)}) {
    LoggedBody body = RequestLog(level, [](const std::string&) {}).NewBody();
    body.Add(std::string(20000, 'x'));
    CHECK(body.Text().find_first_not_of('x') ==
          (level == 9 ? static_cast<std::size_t>(total) : std::string::npos));
  }
}

TEST_CASE("Every kind of credentials is masked in the log", "[kube][request_log]") {
  Lines lines;
  const RequestLog log(7, [&lines](const std::string& line) { lines.push_back(line); });
  HttpRequest request;
  request.headers = {{"authorization", "basic dTpw"}, {"Authorization", "Odd thing"},
                     {"Authorization", ""},           {"Authorization", "Bearer"},
                     {"Proxy-Authorization", "s"},    {"Cookie", "c"}};
  log.LogRequest(request, kUrl);
  CHECK(Lines(lines.begin() + 2, lines.end()) ==
        Lines{"    authorization: basic <masked>", "    Authorization: <masked>",
              "    Authorization: ", "    Authorization: Bearer",
              "    Proxy-Authorization: <masked>", "    Cookie: <masked>"});
}

TEST_CASE("A request without an answer is logged as failed", "[kube][request_log]") {
  Lines lines;
  const RequestLog log(6, [&lines](const std::string& line) { lines.push_back(line); });
  log.LogAnswer("GET", kUrl, nullptr, log.NewBody(), std::chrono::milliseconds(7));
  CHECK(lines == Lines{"GET https://10.0.0.1/version failed in 7 milliseconds"});
}

}  // namespace request_log_test
}  // namespace kube::client
