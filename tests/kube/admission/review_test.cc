#include "kube/admission/review.h"

#include <tuple>

#include "tests/kube/admission/review_text.h"

namespace kube::admission {
namespace review_test {

using admission_test::ReadText;
using admission_test::ReviewText;

// The fields of the example in the API's documentation, "Webhook request and response".
constexpr char kScale[] = R"({
  "apiVersion": "admission.k8s.io/v1",
  "kind": "AdmissionReview",
  "request": {
    "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
    "kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
    "resource": {"group": "apps", "version": "v1", "resource": "deployments"},
    "subResource": "scale",
    "requestKind": {"group": "autoscaling", "version": "v2", "kind": "Scaling"},
    "requestResource": {"group": "extensions", "version": "v1beta1", "resource": "deployments"},
    "requestSubResource": "scale",
    "name": "my-deployment",
    "namespace": "my-namespace",
    "operation": "UPDATE",
    "userInfo": {
      "username": "admin",
      "uid": "014fbff9a07c",
      "groups": ["system:authenticated", "my-admin-group"],
      "extra": {"some-key": ["some-value1", "some-value2"]}
    },
    "object": {"kind": "Scale", "spec": {"replicas": 2}},
    "oldObject": {"kind": "Scale", "spec": {"replicas": 1}},
    "options": {"apiVersion": "meta.k8s.io/v1", "kind": "UpdateOptions"},
    "dryRun": true
  }
})";

TEST_CASE("A review is read with all of its fields", "[kube][admission]") {
  const ReadText read{std::string(kScale)};
  const Review& review = read.review;
  CHECK(review.api_version == "admission.k8s.io/v1");
  CHECK(review.uid == "705ab4f5-6393-11e8-b7cc-42010a800002");
  CHECK(review.kind == ReviewedKind{"autoscaling", "v1", "Scale"});
  CHECK(review.resource == ReviewedResource{"apps", "v1", "deployments"});
  CHECK(review.subresource == "scale");
  CHECK(review.request_kind == ReviewedKind{"autoscaling", "v2", "Scaling"});
  CHECK(review.request_resource == ReviewedResource{"extensions", "v1beta1", "deployments"});
  CHECK(review.request_subresource == "scale");
  CHECK(review.name == "my-deployment");
  CHECK(review.namespace_ == "my-namespace");
  CHECK(review.operation == Operation::kUpdate);
  CHECK(review.user.username == "admin");
  CHECK(review.user.uid == "014fbff9a07c");
  CHECK(review.user.groups ==
        std::vector<std::string_view>{"system:authenticated", "my-admin-group"});
  REQUIRE(review.user.extra.size() == 1);
  CHECK(review.user.extra[0].first == "some-key");
  CHECK(review.user.extra[0].second == std::vector<std::string_view>{"some-value1", "some-value2"});
  CHECK(review.object->Find("spec")->Find("replicas")->text() == "2");
  CHECK(review.old_object->Find("spec")->Find("replicas")->text() == "1");
  CHECK(review.options->FindText("kind") == "UpdateOptions");
  CHECK(review.dry_run);
}

TEST_CASE("What a review leaves out is nothing, or what it says elsewhere", "[kube][admission]") {
  ReviewText text;
  text.version = GENERATE("v1", "v1beta1");
  text.operation = "DELETE";
  text.object = "null";
  const ReadText read(text);
  CHECK(read.review.api_version == "admission.k8s.io/" + text.version);
  CHECK(read.review.operation == Operation::kDelete);
  CHECK(read.review.request_kind == read.review.kind);
  CHECK(read.review.request_resource == read.review.resource);
  CHECK(read.review.subresource.empty());
  CHECK(read.review.object == nullptr);
  CHECK(read.review.old_object == nullptr);
  CHECK(read.review.options == nullptr);
  CHECK_FALSE(read.review.dry_run);
}

std::string Changed(const std::string& from, const std::string& to) {
  std::string text = ReviewText().Print();
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

constexpr char kNone[] = "no AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1";

TEST_CASE("What is no review says what is wrong", "[kube][admission]") {
  const auto [text, error] = GENERATE(table<std::string, std::string>({
      {"[]", kNone},
      {"null", kNone},
      {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})", "request is missing"},
      {Changed("io/v1", "io/v2"), kNone},
      {Changed("AdmissionReview", "TokenReview"), kNone},
      {Changed(R"("uid":"705ab4f5-6393-11e8-b7cc-42010a800002",)", ""), "request.uid is missing"},
      {Changed(R"("uid":"705ab4f5-6393-11e8-b7cc-42010a800002")", R"("uid":5)"),
       "request.uid is of the type number, expected string"},
      {Changed(R"("operation":"CREATE")", R"("operation":"PATCH")"),
       "request.operation: \"PATCH\" is none of CREATE, UPDATE, DELETE and CONNECT"},
      {Changed(R"("operation":"CREATE")", R"("operation":null)"), "request.operation is missing"},
      {Changed(R"("kind":{)", R"("other":{)"), "request.kind is missing"},
      {Changed(R"("resource":{)", R"("other":{)"), "request.resource is missing"},
      {Changed(R"("resource":"examples")", R"("resource":"")"),
       "request.resource.resource is missing"},
      {Changed(R"(["system:authenticated"])", "[7]"),
       "request.userInfo.groups[*] is of the type number, expected string"},
      {Changed(R"("object":{"metadata":{"name":"a"},"spec":{}})", R"("object":[])"),
       "request.object is of the type array, expected object"},
  }));
  CAPTURE(text);
  json::Document document;
  const auto read = ReadReview(text, document);
  REQUIRE_FALSE(read);
  CHECK(read.error() == error);
}

TEST_CASE("Bytes that are no JSON are no review", "[kube][admission]") {
  json::Document document;
  const auto read = ReadReview("{\"a\":", document);
  REQUIRE_FALSE(read);
  CHECK_THAT(read.error(), Catch::StartsWith("no JSON: "));
}

}  // namespace review_test
}  // namespace kube::admission
