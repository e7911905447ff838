#include "migrate/check/apply_effect.h"

#include <catch2/catch.hpp>
#include <memory>

namespace migrate::check {
namespace apply_effect_test {

kube::crd::Crd Widgets(const std::string& metadata, const std::string& spec) {
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE_FALSE(document->Parse(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com")" +
      metadata + R"(},"spec":{"group":"demo.example.com","scope":"Namespaced",
          "names":{"plural":"widgets","kind":"Widget"},"versions":[])" +
      spec + "}}"));
  auto crd = kube::crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  return *std::move(crd);
}

const std::string kTrue = R"(,"preserveUnknownFields":true)";

/// Of a file that does not name the field.
bool TurnsPruningOn(const std::string& live_metadata, const std::string& file_spec = "") {
  const std::string text = DescribeApply(Widgets("", file_spec), Widgets(live_metadata, kTrue));
  CHECK_THAT(text,
             Catch::EndsWith("kubectl prune migrate widgets.demo.example.com --enable-pruning"));
  return text.find("turns pruning on, without a backup") != text.npos;
}

// Each was seen on kube-apiserver 1.20 with kubectl 1.32: kubectl apply of two manifests in turn.
TEST_CASE("A manifest that no longer names what it has named turns pruning on",
          "[migrate][apply_effect]") {
  const std::string applied =
      R"(,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)";
  CHECK(TurnsPruningOn(applied + R"("{\"spec\":{\"preserveUnknownFields\":true}}\n"})"));
  CHECK_FALSE(TurnsPruningOn(applied + R"("{\"spec\":{}}\n"})"));
  CHECK_FALSE(TurnsPruningOn(applied + R"("no JSON"})"));
  CHECK_FALSE(TurnsPruningOn(""));
}

TEST_CASE("Of server-side apply the managers tell", "[migrate][apply_effect]") {
  const auto owner = [](const std::string& operation) {
    return R"({"manager":"m","operation":")" + operation +
           R"(","fieldsV1":{"f:spec":{"f:preserveUnknownFields":{}}}})";
  };
  const auto managed = [](const std::string& entries) {
    return R"(,"managedFields":[)" + entries + "]";
  };
  CHECK(TurnsPruningOn(managed(owner("Apply"))));
  CHECK_FALSE(TurnsPruningOn(managed(owner("Update"))));
  CHECK_FALSE(TurnsPruningOn(managed(owner("Apply") + "," + owner("Update"))));
}

TEST_CASE("A manifest that says false turns pruning on", "[migrate][apply_effect]") {
  CHECK(TurnsPruningOn("", R"(,"preserveUnknownFields":false)"));
}

}  // namespace apply_effect_test
}  // namespace migrate::check
