#include "migrate/check/apply_effect.h"

#include <catch2/catch.hpp>
#include <memory>

#include "kube/crd/crd_validation.h"

namespace migrate::check {
namespace apply_effect_test {

kube::crd::Crd Widgets(const std::string& metadata, const std::string& spec,
                       const std::string& schema = R"({"type":"object"})") {
  auto document = std::make_unique<kube::json::Document>();
  REQUIRE_FALSE(document->Parse(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com")" +
      metadata + R"(},"spec":{"group":"demo.example.com","scope":"Namespaced",
          "names":{"plural":"widgets","kind":"Widget","singular":"widget","listKind":"WidgetList"},
          "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
      schema + "}}]" + spec + "}}"));
  auto crd = kube::crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  return *std::move(crd);
}

const std::string kTrue = R"(,"preserveUnknownFields":true)";

report::ApplyReport Foretell(kube::crd::Crd file, const kube::crd::Crd* live) {
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  return ForetellApply(file, live, std::nullopt, patterns);
}

/// Of a file that does not name the field.
bool TurnsPruningOn(const std::string& live_metadata, const std::string& file_spec = "") {
  const kube::crd::Crd live = Widgets(live_metadata, kTrue);
  return !Foretell(Widgets("", file_spec), &live).preserves_unknown_fields;
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

// The words of kube-apiserver 1.20 and kubectl 1.32.
TEST_CASE("Defaults are refused while unknown fields are preserved", "[migrate][apply_effect]") {
  const char* defaulted = R"({"type":"object","properties":{"a":{"type":"string","default":"x"}}})";
  const kube::crd::Crd live = Widgets("", kTrue);
  const report::ApplyReport apply = Foretell(Widgets("", "", defaulted), &live);
  CHECK_FALSE(apply.accepted);
  CHECK(apply.preserves_unknown_fields);
  CHECK(
      apply.message ==
      R"(The CustomResourceDefinition "widgets.demo.example.com" is invalid: )"
      "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in "
      "the schema");
  CHECK(Foretell(Widgets("", R"(,"preserveUnknownFields":false)", defaulted), &live).accepted);
  CHECK(Foretell(Widgets("", "", defaulted), nullptr).accepted);
}

TEST_CASE("What apply does to a CRD that still preserves unknown fields is told",
          "[migrate][apply_effect]") {
  report::CrdReport crd;
  crd.name = "widgets.demo.example.com";
  crd.replaced.emplace().preserve_unknown_fields = true;
  crd.apply.emplace().accepted = true;
  CHECK_THAT(DescribeApply(crd), Catch::Contains("turns pruning on, without a backup"));
  crd.apply->preserves_unknown_fields = true;
  CHECK_THAT(DescribeApply(crd), Catch::Contains("leaves it so"));
  crd.apply->accepted = false;
  CHECK(DescribeApply(crd).empty());
  crd.apply->accepted = true;
  crd.replaced->preserve_unknown_fields = false;
  CHECK(DescribeApply(crd).empty());
}

TEST_CASE("A conversion that no manifest names stays", "[migrate][apply_effect]") {
  const std::string webhook =
      R"(,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
      R"("clientConfig":{"url":"https://example.com"}}})";
  const auto strategy = [&](const std::string& file_spec, const std::string& live_metadata) {
    kube::crd::Crd file = Widgets("", file_spec);
    TakeConversionThatStays(file, Widgets(live_metadata, webhook));
    return file.conversion.strategy;
  };
  CHECK(strategy("", "") == "Webhook");
  CHECK(strategy(R"(,"conversion":{"strategy":"None"})", "") == "None");
  CHECK(strategy("", R"(,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)"
                     R"("{\"spec\":{\"conversion\":{}}}"})") == "None");
}

}  // namespace apply_effect_test
}  // namespace migrate::check
