#include "kube/crd/transitional.h"

#include <catch2/catch.hpp>

namespace kube::crd {
namespace transitional_test {

Crd Widgets(const std::string& versions, const std::string& more = "",
            const std::string& api_version = "apiextensions.k8s.io/v1") {
  auto document = std::make_unique<json::Document>();
  REQUIRE_FALSE(document->Parse(R"({"apiVersion":")" + api_version +
                                R"(","kind":"CustomResourceDefinition","metadata":{"name":"w.g"},
      "spec":{"group":"g","scope":"Namespaced","names":{"plural":"w","kind":"W"},"versions":[)" +
                                versions + "]" + more + "}"));
  auto crd = ReadCrd(std::move(document));
  REQUIRE(crd);
  return *std::move(crd);
}

const std::string kStored =
    R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}})";
const std::string kNew = R"({"name":"v2","served":true,"storage":true})";

std::string Transitional(const Crd& file, const Crd& live) {
  json::Arena arena;
  const auto made = MakeTransitional(file, live, arena);
  if (!made) return "error: " + made.error();
  return *made ? json::Print(*(**made).Find("spec")) : "none";
}

TEST_CASE("Between two releases a CRD has the versions that objects may be stored in",
          "[kube][transitional]") {
  const Crd live = Widgets(kStored, R"(},"status":{"storedVersions":["v0","v1"]})");
  CHECK(
      Transitional(Widgets(kNew, "}"), live) ==
      R"({"group":"g","names":{"kind":"W","plural":"w"},"scope":"Namespaced","versions":[)"
      R"({"name":"v2","served":true,"storage":true},)"
      R"({"name":"v1","schema":{"openAPIV3Schema":{"type":"object"}},"served":true,"storage":false}]})");
  CHECK(Transitional(Widgets(kStored, "}"), live) == "none");
}

TEST_CASE("Between two releases unknown fields stay preserved", "[kube][transitional]") {
  const Crd live =
      Widgets(kStored, R"(,"preserveUnknownFields":true},"status":{"storedVersions":["v1"]})");
  CHECK_THAT(Transitional(Widgets(kNew, R"(,"preserveUnknownFields":false})"), live),
             Catch::Contains(R"("preserveUnknownFields":true)"));
}

TEST_CASE("As long as unknown fields are preserved there are no defaults", "[kube][transitional]") {
  const Crd live =
      Widgets(kStored, R"(,"preserveUnknownFields":true},"status":{"storedVersions":["v1"]})");
  const std::string schema = R"({"type":"object","default":{},"properties":{
      "default":{"type":"string","default":"x"},
      "list":{"items":{"default":1}},"map":{"additionalProperties":{"default":1}},
      "all":{"additionalProperties":true}}})";
  const std::string both =
      R"({"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":)" + schema +
      R"(}},{"name":"v2","served":true,"storage":true})";
  CHECK_THAT(Transitional(Widgets(both, "}"), live),
             Catch::Contains(R"({"properties":{"all":{"additionalProperties":true},)"
                             R"("default":{"type":"string"},"list":{"items":{}},)"
                             R"("map":{"additionalProperties":{}}},"type":"object"})"));
}

TEST_CASE("What has lost its default is not required", "[kube][transitional]") {
  const Crd live =
      Widgets(kStored, R"(,"preserveUnknownFields":true},"status":{"storedVersions":["v1"]})");
  const std::string file =
      R"({"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{
      "type":"object","required":["a","b"],"properties":{"a":{"default":1},"b":{},
      "c":{"required":["d"],"properties":{"d":{"default":1}}}}}}})";
  CHECK_THAT(Transitional(Widgets(file, "}"), live),
             Catch::Contains(R"("properties":{"a":{},"b":{},"c":{"properties":{"d":{}}}},)"
                             R"("required":["b"])"));
}

TEST_CASE("A version by which pruning cannot be turned on keeps all fields",
          "[kube][transitional]") {
  const std::string schema =
      GENERATE(as<std::string>(), "", R"(,"schema":{"openAPIV3Schema":{"properties":{"a":{}}}})");
  const Crd live = Widgets(R"({"name":"v1","served":true,"storage":true)" + schema + "}",
                           R"(},"status":{"storedVersions":["v1"]})");
  CHECK_THAT(Transitional(Widgets(kNew, "}"), live),
             Catch::Contains(R"({"name":"v1","schema":{"openAPIV3Schema":{"type":"object",)"
                             R"("x-kubernetes-preserve-unknown-fields":true}})"));
}

TEST_CASE("A conversion webhook is kept between two releases", "[kube][transitional]") {
  const std::string webhook =
      R"("conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"]}})";
  const Crd live = Widgets(kStored, "," + webhook + R"(},"status":{"storedVersions":["v1"]})");
  CHECK_THAT(Transitional(Widgets(kNew, R"(,"conversion":{"strategy":"None"}})"), live),
             Catch::Contains(webhook));
}

TEST_CASE("A manifest of v1beta1 is brought into v1 between two releases", "[kube][transitional]") {
  const std::string beta = "apiextensions.k8s.io/v1beta1";
  const Crd live =
      Widgets(kStored, R"(,"preserveUnknownFields":true},"status":{"storedVersions":["v1"]})");
  const std::string common = R"("validation":{"openAPIV3Schema":)";
  CHECK(
      Transitional(Widgets(kNew, "," + common + R"({"type":"object"}}})", beta), live) ==
      R"({"group":"g","names":{"kind":"W","plural":"w"},)"
      R"("scope":"Namespaced","versions":[)"
      R"({"name":"v2","schema":{"openAPIV3Schema":{"type":"object"}},"served":true,"storage":true},)"
      R"({"name":"v1","schema":{"openAPIV3Schema":{"type":"object"}},"served":true,"storage":false}]})");
  SECTION("that says whether unknown fields are preserved") {
    CHECK_THAT(Transitional(Widgets(kNew, R"(,"preserveUnknownFields":false})", beta), live),
               Catch::Contains(R"("preserveUnknownFields":true)"));
  }
  SECTION("by which pruning cannot be turned on") {
    CHECK_THAT(
        Transitional(Widgets(kNew, "," + common + R"({"properties":{"a":{}}}}})", beta), live),
        Catch::Contains(R"({"name":"v2","schema":{"openAPIV3Schema":{"type":"object",)"
                        R"("x-kubernetes-preserve-unknown-fields":true}})"));
  }
}

TEST_CASE("Before a webhook comes objects stay in the version that they are stored in",
          "[kube][transitional]") {
  const std::string both = R"({"name":"v1","served":true,"storage":false},)" + kNew;
  const std::string webhook = R"(,"conversion":{"strategy":"Webhook"})";
  const std::string status = R"("status":{"storedVersions":["v1"]})";
  const Crd live = Widgets(kStored, R"(,"preserveUnknownFields":true},)" + status);
  const std::string moved = Transitional(Widgets(both, webhook + "}"), live);
  CHECK_THAT(moved, Catch::Contains(R"("conversion":{"strategy":"None"})") &&
                        Catch::Contains(R"({"name":"v1","served":true,"storage":true})") &&
                        Catch::Contains(R"({"name":"v2","served":true,"storage":false})"));
  CHECK(Transitional(Widgets(kStored, webhook + "}"), live) != "none");
  CHECK(Transitional(Widgets(both, webhook + "}"), Widgets(kStored, "}," + status)) == "none");
}

TEST_CASE("A CRD between two releases is one of v1", "[kube][transitional]") {
  const Crd live =
      Widgets(kStored, R"(},"status":{"storedVersions":["v1"]})", "apiextensions.k8s.io/v1beta1");
  CHECK(Transitional(Widgets(kNew, "}"), live) ==
        "error: the API server does not have apiextensions.k8s.io/v1");
}

}  // namespace transitional_test
}  // namespace kube::crd
