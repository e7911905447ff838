#include "tests/kube/admission/example_handlers.h"

#include <tuple>

#include "kube/admission/endpoint.h"
#include "kube/base/base64.h"
#include "kube/serve/certificates.h"
#include "tests/kube/admission/review_text.h"
#include "tests/support/fake_clock.h"

namespace kube::admission {
namespace example_handlers_test {

using admission_test::ParseJson;
using admission_test::ReviewText;

/// What is answered to a widget at a path: the response of the review.
json::Document AnswerTo(const std::string& path, const std::string& object,
                        const serve::Request& more = {}) {
  const test_support::FakeClock clock;
  const Handlers handlers = example::ExampleHandlers();
  Endpoint endpoint(handlers, clock);
  ReviewText review;
  review.group = "demo.example.com";
  review.plural = "widgets";
  review.object = object;
  serve::Request request = more;
  request.method = "POST";
  request.target = path;
  request.body = review.Print();
  const serve::Response response = endpoint.Answer(request);
  REQUIRE(response.status == 200);
  json::Document document = ParseJson(response.body);
  document.root() = *document.root().Find("response");
  return document;
}

std::string PatchIn(const json::Document& response) {
  const auto patch = base::DecodeBase64(response.root().FindText("patch"));
  REQUIRE(patch);
  return *patch;
}

std::string FieldOf(const json::Document& response, std::string_view key) {
  const json::Value* value = response.root().Find(key);
  return value == nullptr ? "" : json::Print(*value);
}

TEST_CASE("The example validates with warnings and codes", "[kube][admission]") {
  const auto [spec, allowed, status, warnings] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {R"({"number":5})", "true", "", ""},
          {"{}", "true", "", R"(["spec.number is not set"])"},
          {R"({"number":"five"})", "false",
           R"({"code":422,"message":"spec.number must be a number","reason":"Invalid"})", ""},
      }));
  const json::Document response = AnswerTo("/check_number", R"({"spec":)" + spec + "}");
  CHECK(FieldOf(response, "allowed") == allowed);
  CHECK(FieldOf(response, "status") == status);
  CHECK(FieldOf(response, "warnings") == warnings);
  CHECK(FieldOf(response, "patch").empty());
}

TEST_CASE("The example sets defaults and converts a number", "[kube][admission]") {
  CHECK(PatchIn(AnswerTo("/set-number", R"({"spec":{}})")) ==
        R"([{"op":"add","path":"/spec/number","value":1}])");
  CHECK(PatchIn(AnswerTo("/set_number", "{}")) ==
        R"([{"op":"add","path":"/spec","value":{"number":1}}])");
  CHECK(PatchIn(AnswerTo("/convert_number", R"({"spec":{"number":"5"}})")) ==
        R"([{"op":"replace","path":"/spec/number","value":5}])");
  CHECK(FieldOf(AnswerTo("/convert_number", R"({"spec":{"number":"five"}})"), "patch").empty());
  CHECK(FieldOf(AnswerTo("/set_number", R"({"spec":{"number":5}})"), "patch").empty());
}

TEST_CASE("The example sees user, headers and TLS peer", "[kube][admission]") {
  serve::Request request;
  request.headers = {{"user-agent", "kube-apiserver-admission"}};
  const auto peer = std::make_shared<serve::CertificateFacts>();
  peer->subject.text = "CN=kube-apiserver";
  peer->serial_number = "07";
  request.peer = peer;
  const json::Document response =
      AnswerTo("/show_caller", R"({"metadata":{"labels":{"watched":""}}})", request);
  CHECK(
      FieldOf(response, "warnings") ==
      R"(["user: admin","server: kube-apiserver-admission","certificate: CN=kube-apiserver, serial )"
      R"(number 07"])");
  CHECK(FieldOf(AnswerTo("/show_caller", "{}", request), "warnings").empty());
}

TEST_CASE("All of the example are asked where no id is given", "[kube][admission]") {
  const json::Document response = AnswerTo("/", R"({"spec":{"number":"5"}})");
  CHECK(FieldOf(response, "allowed") == "false");
  CHECK(FieldOf(response, "warnings") ==
        R"(["spec.number is the text \"5\": write it without quotes"])");
  CHECK(PatchIn(response) == R"([{"op":"replace","path":"/spec/number","value":5}])");
}

}  // namespace example_handlers_test
}  // namespace kube::admission
