#include "kube/client/api_status.h"

#include <catch2/catch.hpp>

#include "kube/client/answer_meaning.h"

namespace kube::client {
namespace api_status_test {

ApiStatus Read(int code, std::string_view body, std::vector<HttpHeader> headers = {},
               std::string_view method = "GET") {
  return ReadApiStatus(method, {code, std::move(headers)}, body);
}

const std::vector<HttpHeader> kJson = {{"Content-Type", "application/json"}};

TEST_CASE("A Status says what went wrong", "[kube][status]") {
  const ApiStatus status = Read(404, R"({"kind":"Status","apiVersion":"v1","metadata":{},
    "status":"Failure","message":"widgets.demo.example.com \"a\" not found","reason":"NotFound",
    "details":{"name":"a","group":"demo.example.com","kind":"widgets"},"code":404})",
                                kJson);
  CHECK(status.code == 404);
  CHECK(status.reason == "NotFound");
  CHECK(status.message == "widgets.demo.example.com \"a\" not found");
  CHECK(status.kind == "widgets");
  CHECK(status.name == "a");
  CHECK(status.continue_token.empty());
  CHECK_FALSE(status.retry_after);
  CHECK(Describe(status) ==
        "Error from server (NotFound): widgets.demo.example.com \"a\" not found");
}

TEST_CASE("An expired list names the token to go on with", "[kube][status]") {
  const ApiStatus status = Read(410, R"({"kind":"Status","metadata":{"continue":"eyJ2"},
    "status":"Failure","message":"The provided continue parameter is too old","reason":"Expired",
    "code":410})");
  CHECK(status.code == 410);
  CHECK(status.continue_token == "eyJ2");
}

// kubectl 1.32 says so to an answer without a Status.
TEST_CASE("An answer that is no Status is worded by its code", "[kube][status]") {
  struct Row {
    int code;
    std::string method, type, body, reason, message;
  };
  const auto row = GENERATE(values<Row>({
      {404, "GET", "text/plain; charset=utf-8", "404 page not found\n", "NotFound",
       "the server could not find the requested resource"},
      {500, "GET", "text/html", "<htm\n", "InternalError",
       "an error on the server (\"<htm\") has prevented the request from succeeding"},
      {502, "GET", "", "", "InternalError",
       "an error on the server (\"\") has prevented the request from succeeding"},
      {500, "GET", "application/json", "{\"a\":", "InternalError",
       "an error on the server (\"unknown\") has prevented the request from succeeding"},
      {401, "GET", "text/html", "<htm", "Unauthorized",
       "the server has asked for the client to provide credentials"},
      {403, "GET", "application/json", "{\"a\":", "Forbidden", "unknown"},
      {403, "GET", "TEXT/Plain", " no \n", "Forbidden", "no"},
      {400, "GET", "", "", "BadRequest", "the server rejected our request for an unknown reason"},
      {405, "GET", "", "", "MethodNotAllowed",
       "the server does not allow this method on the requested resource"},
      {406, "GET", "", "", "NotAcceptable",
       "the server was unable to respond with a content type that the client supports"},
      {406, "GET", "text/plain", "only xml", "NotAcceptable", "only xml"},
      {409, "PUT", "", "", "Conflict", "the server reported a conflict"},
      {409, "POST", "", "", "AlreadyExists", "the server reported a conflict"},
      {415, "PATCH", "text/plain", "no json", "UnsupportedMediaType", "no json"},
      {422, "PUT", "", "", "Invalid",
       "the server rejected our request due to an error in our request"},
      {429, "GET", "", "", "TooManyRequests",
       "the server has received too many requests and has asked us to try again later"},
      {503, "GET", "", "", "ServiceUnavailable",
       "the server is currently unable to handle the request"},
      {504, "GET", "", "", "Timeout",
       "the server was unable to return a response in the time allotted, but may still be "
       "processing the request"},
      {418, "GET", "", "", "",
       "the server responded with the status code 418 but did not return more information"},
      {302, "GET", "", "", "",
       "the server responded with the status code 302 but did not return more information"},
  }));
  CAPTURE(row.code, row.method, row.type, row.body);
  std::vector<HttpHeader> headers;
  if (!row.type.empty()) headers.push_back({"content-type", row.type});
  const ApiStatus status = Read(row.code, row.body, headers, row.method);
  CHECK(status.reason == row.reason);
  CHECK(status.message == row.message);
}

TEST_CASE("JSON that is no failed Status is not believed", "[kube][status]") {
  const auto body = GENERATE(as<std::string>(), "{}", "[]", "null", "1", R"({"status":"Success"})",
                             R"({"status":{"phase":"Failure"}})", R"({"status":"Failure")",
                             "{\"status\":\"Failure\"} x");
  CAPTURE(body);
  CHECK(Read(404, body, kJson).message == "the server could not find the requested resource");
}

TEST_CASE("A Status of odd types is read as far as it goes", "[kube][status]") {
  const ApiStatus status = Read(500, R"({"status":"Failure","message":5,"reason":[],"metadata":[1],
    "details":{"causes":[1,{"field":{}},"x"],"retryAfterSeconds":"9","kind":null}})");
  CHECK(status.message.empty());
  CHECK(status.reason.empty());
  CHECK_FALSE(status.retry_after);
  CHECK(status.causes == std::vector<std::string>{": "});
}

TEST_CASE("How long to wait stands in the header, or else in the details", "[kube][status]") {
  using std::chrono::seconds;
  const auto [header, details, want] =
      GENERATE(table<std::string, std::string, std::optional<seconds>>({
          {"3", "{}", seconds(3)},
          {"0", "{}", seconds(0)},
          {"3", R"({"retryAfterSeconds":7})", seconds(3)},
          {"", R"({"retryAfterSeconds":7})", seconds(7)},
          {"", R"({"retryAfterSeconds":0})", std::nullopt},
          {"", "{}", std::nullopt},
          {"Fri, 31 Dec 1999 23:59:59 GMT", "{}", std::nullopt},
          {"1.5", "{}", std::nullopt},
          {"-5", "{}", seconds(0)},
          {"99999999999", "{}", seconds(86400)},
          {"99999999999999999999999", "{}", std::nullopt},
      }));
  CAPTURE(header, details);
  std::vector<HttpHeader> headers;
  if (!header.empty()) headers.push_back({"Retry-After", header});
  const ApiStatus status = Read(429, R"({"status":"Failure","details":)" + details + "}", headers);
  CHECK(status.retry_after == want);
  CHECK(AsksToRetry(status) == want.has_value());
}

TEST_CASE("A message holds no control characters and has an end", "[kube][status]") {
  const auto message = [](const std::string& json_text) {
    return Read(400, R"({"status":"Failure","message":")" + json_text + "\"}").message;
  };
  CHECK(message(R"(blocked:\n\n  rule  a:\tno\r\n)") == "blocked: rule  a: no ");
  CHECK(message(R"(a\u001b[31mb\u0000c\u007fd\u009be)") == "a\uFFFD[31mb\uFFFDc\uFFFDd\uFFFDe");
  const std::string cut = message(std::string(16383, 'x') + "\xC3\xBC" + std::string(99, 'y'));
  CHECK(cut == std::string(16383, 'x') + " [truncated 101 chars]");
  CHECK(Read(403, "a\xFF\x1B", {{"Content-Type", "text/plain"}}).message == "a\uFFFD\uFFFD");
  CHECK(Read(403, std::string(9000, 'x')).message == std::string(2048, 'x'));
}

// kubectl 1.32's checkErr and StandardErrorMessage, but for "error: " before it.
TEST_CASE("O7: A status is told as kubectl tells it", "[kube][status]") {
  const auto [status, want] = GENERATE(table<std::string, std::string>({
      {R"("reason":"Forbidden","message":"no")", "Error from server (Forbidden): no"},
      {R"("message":"admission webhook \"x\" denied the request: no")",
       "Error from server: admission webhook \"x\" denied the request: no"},
      {R"("reason":"Unauthorized","message":"Unauthorized")",
       "You must be logged in to the server (Unauthorized)"},
      {R"("reason":"Invalid","message":"m","details":{"kind":"Widget","name":"a\"b","causes":[
          {"field":"spec.x","message":"Required value"}]})",
       "The Widget \"a\\\"b\" is invalid: spec.x: Required value"},
      {R"("reason":"Invalid","message":"m","details":{"kind":"Widget","name":"a","causes":[
          {"field":"spec.x","message":"Required value"},
          {"field":"spec.x","message":"Required value"},
          {"field":"spec.y","message":"Too long"}]})",
       "The Widget \"a\" is invalid: \n* spec.x: Required value\n* spec.y: Too long"},
      {R"("reason":"Invalid","message":"m","details":{"kind":"Widget","name":"a"})",
       "The Widget \"a\" is invalid"},
      {R"("reason":"Invalid","message":"m")", "The request is invalid: m"},
      {R"("reason":"Invalid")", "The request is invalid"},
      {R"("reason":"Invalid","message":"m","details":{"causes":[{"field":"f","message":"n"}]})",
       "The request is invalid: f: n"},
  }));
  CAPTURE(status);
  CHECK(Describe(Read(422, R"({"status":"Failure",)" + status + "}")) == want);
}

}  // namespace api_status_test
}  // namespace kube::client
