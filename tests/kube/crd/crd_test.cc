#include "kube/crd/crd.h"

#include <catch2/catch.hpp>

#include "tests/support/test_schema.h"

namespace kube::crd {
namespace {

using support::TestCrd;

TEST_CASE("Only CustomResourceDefinitions of v1 and v1beta1 are CRDs", "[crd]") {
  const auto [api_version, kind, want] = GENERATE(table<std::string, std::string, bool>({
      {"apiextensions.k8s.io/v1", "CustomResourceDefinition", true},
      {"apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", true},
      {"apiextensions.k8s.io/v2", "CustomResourceDefinition", false},
      {"apiextensions.k8s.io/v1", "CustomResourceDefinitionList", false},
      {"v1", "ConfigMap", false},
  }));
  json::Document document;
  REQUIRE(!document.Parse(R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"("})"));
  CHECK(IsCrd(document.root()) == want);
}

TEST_CASE("Versions are found by name and by storage", "[crd]") {
  const Crd crd = TestCrd("v1", R"({"versions":[{"name":"v1","served":true},
                                                {"name":"v2","storage":true}]})");
  CHECK(crd.FindVersion("v1")->served);
  CHECK(crd.FindVersion("v3") == nullptr);
  CHECK(crd.StorageVersion()->name == "v2");
  CHECK(TestCrd("v1", "{}").StorageVersion() == nullptr);
}

TEST_CASE("Conditions are found by type", "[crd]") {
  const auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "status":{"conditions":[{"type":"Established","status":"True"},
                                  {"type":"Terminating","status":"False","reason":"x"}]}})");
  REQUIRE(crd);
  CHECK(crd->IsConditionTrue("Established"));
  CHECK(!crd->IsConditionTrue("Terminating"));
  CHECK(!crd->IsConditionTrue("NamesAccepted"));
  CHECK(crd->FindCondition("Terminating")->FindText("reason") == "x");
}

}  // namespace
}  // namespace kube::crd
