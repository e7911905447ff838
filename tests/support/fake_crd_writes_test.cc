// What the fake server makes of writes to CRDs; every answer was compared with a real 1.20.2.
#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace test_support {
namespace fake_crd_writes_test {

using Catch::Matchers::Contains;

const std::string kName = "widgets.demo.example.com";
const std::string kPath = "/customresourcedefinitions/" + kName;

/// The code of the answer to a merge patch of the widgets' CRD, and the answer.
struct Patched {
  Patched(FakeCluster& cluster, const std::string& version, const std::string& rest,
          const std::string& body) {
    kube::client::ApiRequest request;
    request.method = "PATCH";
    request.target = "/apis/apiextensions.k8s.io/" + version + kPath + rest;
    request.content_type = "application/merge-patch+json";
    request.body = body;
    auto answer = cluster.client.Send(request);
    if (answer) {
      text = kube::json::Print((*answer)->root());
    } else {
      code = answer.error().status->code;
      text = answer.error().status->message;
    }
  }
  int code = 200;
  std::string text;
};

std::string StoredText(const FakeCluster& cluster) {
  return kube::json::Print(
      *cluster.server.Stored("customresourcedefinitions.apiextensions.k8s.io", kName));
}

TEST_CASE("Pruning is turned on in either version, and moves the generation", "[support]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
  const std::string version = GENERATE("v1", "v1beta1");
  const std::string flip = R"({"spec":{"preserveUnknownFields":false}})";
  CHECK(Patched(cluster, version, "?dryRun=All", flip).code == 200);
  CHECK_THAT(StoredText(cluster),
             Contains(R"("generation":1)") && Contains(R"("preserveUnknownFields":true)"));
  CHECK(Patched(cluster, version, "", flip).code == 200);
  CHECK_THAT(StoredText(cluster),
             Contains(R"("generation":2)") && Contains(R"("preserveUnknownFields":false)"));
}

TEST_CASE("Only v1beta1 turns pruning off again", "[support]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  const std::string back = R"({"spec":{"preserveUnknownFields":true}})";
  const Patched refused(cluster, "v1", "", back);
  CHECK(refused.code == 422);
  CHECK(refused.text ==
        "CustomResourceDefinition.apiextensions.k8s.io \"widgets.demo.example.com\" is invalid: "
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
        "x-preserve-unknown-fields to true in spec.versions[*].schema instead");
  CHECK(Patched(cluster, "v1beta1", "", back).code == 200);
}

TEST_CASE("A resource version that is not the present one is a conflict", "[support]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  const std::string rest = GENERATE("", "/status", "?dryRun=All");
  const Patched refused(cluster, "v1", rest, R"({"metadata":{"resourceVersion":"1"}})");
  CHECK(refused.code == 409);
  CHECK(refused.text ==
        "Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io "
        "\"widgets.demo.example.com\": the object has been modified; please apply your changes to "
        "the latest version and try again");
}

TEST_CASE("The status takes any stored versions, and leaves the generation", "[support]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  CHECK(Patched(cluster, "v1", "/status", R"({"status":{"storedVersions":["v9"]}})").code == 200);
  CHECK_THAT(StoredText(cluster),
             Contains(R"("generation":1)") && Contains(R"("storedVersions":["v9"])"));
}

}  // namespace fake_crd_writes_test
}  // namespace test_support
