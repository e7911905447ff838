#include "kube/admission/endpoint.h"

#include <stdexcept>
#include <tuple>

#include "tests/kube/admission/review_text.h"
#include "tests/support/fake_clock.h"

namespace kube::admission {
namespace endpoint_test {

using admission_test::ParseJson;
using admission_test::ReviewText;

struct World {
  World() {
    handlers.Add(Validate("say_hello", {.resources = {AnyResource()}},
                          [this](const Review& review, Reply& reply) {
                            reply.AddWarning("hello");
                            timeout = review.timeout;
                            http = review.http;
                            return Allowed();
                          }));
  }
  serve::Response Send(const std::string& method, const std::string& target,
                       const std::string& body = ReviewText().Print(),
                       const std::string& type = "application/json") {
    request = {method, target, {}, body, {}, "127.0.0.1:41234"};
    if (type != "none") request.headers = {{"Content-Type", type}};
    return endpoint.Answer(request);
  }

  Handlers handlers;
  test_support::FakeClock clock;
  Endpoint endpoint{handlers, clock};
  serve::Request request;
  std::optional<std::chrono::nanoseconds> timeout;
  const serve::Request* http = nullptr;
};

TEST_CASE("A review is answered at the path of its handler", "[kube][admission]") {
  World world;
  const std::string target = GENERATE("/say_hello", "/say-hello", "/say_hello/", "/", "",
                                      "/say_hello?timeout=10s", "/?a=b");
  const serve::Response response = world.Send("POST", target);
  CHECK(response.status == 200);
  CHECK(response.content_type == "application/json");
  CHECK(response.body ==
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{)"
        R"("allowed":true,"uid":"705ab4f5-6393-11e8-b7cc-42010a800002","warnings":["hello"]}})"
        "\n");
  CHECK(world.http == &world.request);
}

TEST_CASE("What cannot be answered is a Status with a code", "[kube][admission]") {
  const auto [method, target, code, reason, message] =
      GENERATE(table<std::string, std::string, int, std::string, std::string>({
          {"POST", "/other", 404, "NotFound", "no admission handler \"other\""},
          {"GET", "/other", 404, "NotFound", "nothing is at \"/other\""},
          {"GET", "/say_hello", 405, "MethodNotAllowed", "admission reviews are sent by POST"},
          {"PUT", "/", 405, "MethodNotAllowed", "admission reviews are sent by POST"},
          {"POST", "/healthz", 405, "MethodNotAllowed", "this page is read by GET"},
          {"DELETE", "/metrics", 405, "MethodNotAllowed", "this page is read by GET"},
      }));
  World world;
  const serve::Response response = world.Send(method, target);
  CHECK(response.status == code);
  const json::Document status = ParseJson(response.body);
  CHECK(status.root().FindText("apiVersion") == "v1");
  CHECK(status.root().FindText("kind") == "Status");
  CHECK(status.root().FindText("status") == "Failure");
  CHECK(status.root().FindText("reason") == reason);
  CHECK(status.root().FindText("message") == message);
  CHECK(status.root().Find("code")->text() == std::to_string(code));
}

TEST_CASE("A body that is no review is refused", "[kube][admission]") {
  World world;
  CHECK(world.Send("POST", "/say_hello", "{").status == 400);
  CHECK(world.Send("POST", "/say_hello", "{}").status == 400);
  CHECK(world.Send("POST", "/say_hello", "").status == 400);
}

TEST_CASE("A body may be of the types that senders of JSON give", "[kube][admission]") {
  World world;
  const auto [type, code] = GENERATE(table<std::string, int>({
      {"none", 200},
      {"application/json", 200},
      {"Application/JSON; charset=utf-8", 200},
      {"application/x-www-form-urlencoded", 200},
      {"application/yaml", 415},
      {"application/vnd.kubernetes.protobuf", 415},
      {"text/plain", 415},
  }));
  CAPTURE(type);
  CHECK(world.Send("POST", "/say_hello", ReviewText().Print(), type).status == code);
}

TEST_CASE("A handler knows how long the API server waits", "[kube][admission]") {
  World world;
  const auto [target, seconds] = GENERATE(table<std::string, int>({
      {"/?timeout=10s", 10},
      {"/?a=b&timeout=1m0s&c", 60},
      {"/", 0},
      {"/?timeout=soon", 0},
      {"/?timeout=-1s", 0},
      {"/?notimeout=1s", 0},
  }));
  CAPTURE(target);
  world.Send("POST", target);
  CHECK(world.timeout.value_or(std::chrono::nanoseconds(0)) == std::chrono::seconds(seconds));
}

TEST_CASE("The pages of a server are there", "[kube][admission]") {
  World world;
  CHECK(world.Send("GET", "/healthz").body == "ok");
  CHECK(world.Send("GET", "/readyz").status == 503);
  world.endpoint.SetReady(true);
  CHECK(world.Send("HEAD", "/readyz?verbose").status == 200);
  world.Send("POST", "/say_hello");
  world.Send("POST", "/other");
  world.endpoint.AddMetrics([] { return "more_total 7\n"; });
  const serve::Response metrics = world.Send("GET", "/metrics");
  CHECK(metrics.content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK_THAT(metrics.body, Catch::Contains("admission_answers_total{code=\"200\"} 1\n"));
  CHECK_THAT(metrics.body, Catch::Contains("admission_answers_total{code=\"404\"} 1\n"));
  CHECK_THAT(metrics.body, Catch::EndsWith("\nmore_total 7\n"));
  CHECK_THAT(metrics.body,
             Catch::Contains("admission_handler_calls_total{handler=\"say_hello\",operation="
                             "\"CREATE\",outcome=\"allowed\"} 1\n"));
}

TEST_CASE("A page of the owner is shown, and what it throws is a 500", "[kube][admission]") {
  World world;
  world.endpoint.AddPage("/report", [] { return serve::Response{200, "text/plain", "all good"}; });
  world.endpoint.AddPage("/broken", []() -> serve::Response { throw std::runtime_error("oops"); });
  CHECK(world.Send("GET", "/report").body == "all good");
  CHECK(world.Send("GET", "/broken").status == 500);
  CHECK(world.endpoint.answerer()(world.request).status == 500);
}

TEST_CASE("A review weighs what its values take, however few bytes these have",
          "[kube][admission]") {
  const auto weight_of = [](const std::string& body) {
    serve::Request request;
    request.body = body;
    return Endpoint::Weigh(request);
  };
  CHECK(weight_of("") == 0);
  std::string zeros = "[0";
  for (int i = 0; i < 100'000; ++i) zeros += ",0";
  CHECK(weight_of(zeros + "]") > 48 * 100'000);
  CHECK(weight_of("\"" + std::string(zeros.size(), 'x') + "\"") < 3 * zeros.size());
}

TEST_CASE("A review is too large where the runbook says so", "[kube][admission]") {
  CHECK(kMostReviewBytes == 40 * 1024 * 1024);
  const auto could_be_answered = [](int values) {
    serve::Request request;
    request.body = "[0";
    for (int i = 1; i < values; ++i) request.body += ",0";
    request.body += "]";
    return serve::MemoryPool(serve::MemoryLimits().work).CouldHave(Endpoint::Weigh(request));
  };
  CHECK(could_be_answered(1'600'000));
  CHECK_FALSE(could_be_answered(1'650'000));
}

TEST_CASE("A review that takes more memory than others have left is told to come again",
          "[kube][admission]") {
  World world;
  serve::MemoryPool pool(1'000'000);
  const bool is_enough = GENERATE(true, false);
  if (!is_enough) pool.Change(0, pool.size() - 100);
  world.request = {.method = "POST",
                   .target = "/say_hello",
                   .body = ReviewText{.name = R"(\ud800)"}.Print(),
                   .share = std::make_shared<serve::WorkShare>(pool)};
  const serve::Response response = world.endpoint.Answer(world.request);
  CHECK(response.status == (is_enough ? 200 : 429));
  CHECK(response.retry_after.has_value() == !is_enough);
}

TEST_CASE("A review that takes more memory than there is is too large", "[kube][admission]") {
  World world;
  serve::MemoryPool pool(10);
  world.request = {.method = "POST",
                   .target = "/say_hello",
                   .body = ReviewText{.name = R"(\ud800)"}.Print(),
                   .share = std::make_shared<serve::WorkShare>(pool)};
  const serve::Response response = world.endpoint.Answer(world.request);
  CHECK(response.status == 413);
  CHECK_FALSE(response.retry_after);
  CHECK(ParseJson(response.body).root().FindText("reason") == "RequestEntityTooLarge");
}

TEST_CASE("A patch takes memory, too", "[kube][admission]") {
  Handlers handlers;
  const std::string text(1000, '<');
  handlers.Add(Mutate("add", {.resources = {AnyResource()}},
                      [&text](const Review&, Reply&, ObjectDraft& draft) {
                        draft.SetText({"spec", "text"}, text);
                        return Allowed();
                      }));
  const test_support::FakeClock clock;
  Endpoint endpoint(handlers, clock);
  serve::MemoryPool pool(1'000'000);
  const bool is_enough = GENERATE(true, false);
  if (!is_enough) pool.Change(0, pool.size() - 12'000);
  const serve::Request request{.method = "POST",
                               .target = "/add",
                               .body = ReviewText().Print(),
                               .share = std::make_shared<serve::WorkShare>(pool)};
  CHECK(endpoint.Answer(request).status == (is_enough ? 200 : 429));
}

TEST_CASE("Nothing of a request makes an answer long", "[kube][admission]") {
  World world;
  const std::string is_long(100'000, '<');
  const auto [target, text] = GENERATE_COPY(table<std::string, ReviewText>({
      {"/" + is_long, ReviewText()},
      {"/say_hello", ReviewText{.operation = is_long}},
      {"/say_hello", ReviewText{.user = R"({"username":")" + std::string(300'000, 'x') + "\"}"}},
      {"/say_hello", ReviewText{.user = R"({"groups":["",)" + std::string(300'000, ' ') + "0]}"}},
  }));
  const serve::Response response = world.Send("POST", target, text.Print());
  CHECK(response.status >= 400);
  CHECK(response.body.size() < 100'000);
}

TEST_CASE("Handlers may be below a path", "[kube][admission]") {
  World world;
  Endpoint below(world.handlers, world.clock, "/hooks");
  const auto [target, code] = GENERATE(table<std::string, int>({
      {"/hooks/say_hello", 200},
      {"/hooks", 200},
      {"/hooks/", 200},
      {"/say_hello", 404},
      {"/", 404},
      {"/hookssay_hello", 404},
  }));
  CAPTURE(target);
  world.Send("POST", target);
  CHECK(below.Answer(world.request).status == code);
}

}  // namespace endpoint_test
}  // namespace kube::admission
