#include "kube/admission/endpoint.h"
#include "tests/kube/admission/review_text.h"

namespace kube::admission {
namespace answer_test {

using admission_test::ReadText;
using admission_test::ReviewText;

std::string Printed(const std::string& version, const Answer& answer) {
  ReviewText text;
  text.version = version;
  const ReadText read(text);
  return PrintAnswer(read.review, answer);
}

// "Dynamic Admission Control" of the API's documentation: the minimal responses, with a status,
// with warnings, and with a patch ([{"op": "add", "path": "/spec/replicas", "value": 3}]).
TEST_CASE("An answer is a review of the same version and uid", "[kube][admission]") {
  const std::string version = GENERATE("v1", "v1beta1");
  const std::string start =
      R"({"apiVersion":"admission.k8s.io/)" + version + R"(","kind":"AdmissionReview","response":)";
  const std::string uid = R"("uid":"705ab4f5-6393-11e8-b7cc-42010a800002"}})";

  CHECK(Printed(version, {}) == start + R"({"allowed":true,)" + uid);

  Answer refused;
  refused.verdict = Refusal("You cannot do this because it is Tuesday", 403);
  CHECK(Printed(version, refused) ==
        start +
            R"({"allowed":false,"status":{"code":403,)"
            R"("message":"You cannot do this because it is Tuesday"},)" +
            uid);

  Answer changed;
  changed.warnings = {"duplicate envvar entries specified with name MY_ENV"};
  changed.patch = R"([{"op": "add", "path": "/spec/replicas", "value": 3}])";
  changed.annotations = {{"b", "2"}, {"a", "1"}};
  CHECK(Printed(version, changed) ==
        start +
            R"({"allowed":true,"auditAnnotations":{"a":"1","b":"2"},)"
            R"("patch":"W3sib3AiOiAiYWRkIiwgInBhdGgiOiAiL3NwZWMvcmVwbGljYXMiLCAidmFsdWUiOiAzfV0=",)"
            R"("patchType":"JSONPatch",)" +
            uid.substr(0, uid.size() - 2) +
            R"(,"warnings":["duplicate envvar entries specified with name MY_ENV"]}})");
}

// apiserver pkg/endpoints/handlers/responsewriters ErrorNegotiated makes a header of it.
TEST_CASE("A failure may say when to try again", "[kube][admission]") {
  Answer answer;
  answer.verdict = Failure{.kind = FailureKind::kTemporary,
                           .message = "not yet",
                           .code = 429,
                           .reason = "TooManyRequests",
                           .retry_after = std::chrono::seconds(2)};
  CHECK_THAT(Printed("v1", answer),
             Catch::Contains(R"("status":{"code":429,"details":{"retryAfterSeconds":2},)"
                             R"("message":"not yet","reason":"TooManyRequests"})"));
}

TEST_CASE("What is no UTF-8 in a message is made so", "[kube][admission]") {
  Answer answer;
  answer.verdict = Permanent("a\xFFz");
  CHECK_THAT(Printed("v1", answer), Catch::Contains("\"message\":\"a\uFFFDz\""));
}

}  // namespace answer_test
}  // namespace kube::admission
