#include "migrate/check/weighed_changes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "migrate/check/crd_check.h"
#include "tests/support/test_schema.h"

namespace migrate::check {
namespace weighed_changes_test {

using Strings = std::vector<std::string>;

struct Situation {
  std::string v1 = "{}", v1beta1 = "{}";  ///< of spec
  std::string more = "";                  ///< put into the spec of the CRD
  std::string stored = R"("v1")";
};

std::string Version(const std::string& name, bool storage, const std::string& spec) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
         R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" + spec + "}}}}";
}

kube::crd::Crd Widgets(const Situation& situation) {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"widgets.demo.example.com"},
          "spec":{"group":"demo.example.com","scope":"Namespaced",
                  "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
                  "versions":[)" +
      Version("v1", true, situation.v1) + "," + Version("v1beta1", false, situation.v1beta1) + "]" +
      situation.more + R"(},"status":{"storedVersions":[)" + situation.stored + "]}}");
  REQUIRE(crd);
  return *std::move(crd);
}

// "version path kind: objects" of each change, by objects with these values of spec.
Strings Weigh(const Situation& live, const Situation& proposed, const Strings& specs,
              bool reads_objects = true) {
  const kube::crd::Crd replaced = Widgets(live);
  const CrdCheck check(Widgets(proposed), "new.yaml",
                       {.origin = CrdCheckOptions::Origin::kProposal, .replaced = &replaced});
  CrdTally all;
  for (const std::string& spec : specs) {
    kube::json::Document object;
    REQUIRE_FALSE(object.Parse(
        R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":)" +
        spec + "}"));
    // As several threads do.
    CrdTally tally;
    check.CheckObject({object.root(), {}, ""}, tally);
    all.Merge(std::move(tally));
  }
  const report::CrdReport report = reads_objects ? check.Report(all) : check.facts().report;
  REQUIRE(report.changes);
  Strings found;
  for (const report::ChangeUse& change : report.changes->changes) {
    found.push_back(change.version + " " + change.path + " " + change.kind + ": " +
                    (change.objects ? std::to_string(*change.objects) : "?"));
  }
  return found;
}

const std::string kWide = R"({"type":"object","properties":{"a":{"type":"integer"}}})";
const std::string kNarrow =
    R"({"type":"object","properties":{"a":{"type":"integer","maximum":3}}})";
const Strings kSpecs = {R"({"a":1})", R"({"a":4})", R"({"a":5})", "{}"};

TEST_CASE("Each change is weighed by the objects that it touches", "[migrate][weighed_changes]") {
  CHECK(Weigh({.v1 = kWide}, {.v1 = kNarrow}, kSpecs) == Strings{"v1 spec.a maximum: 2"});
  CHECK(Weigh({.v1 = kNarrow}, {.v1 = kWide}, kSpecs) == Strings{"v1 spec.a maximum: 0"});
  CHECK(Weigh({.v1 = kWide}, {.v1 = kWide}, kSpecs).empty());
  CHECK(Weigh({.v1 = kWide}, {.v1 = R"({"type":"object"})"}, kSpecs) ==
        Strings{"v1 spec.a fieldRemoved: 3"});
}

TEST_CASE("Without objects nothing is counted", "[migrate][weighed_changes]") {
  CHECK(Weigh({.v1 = kWide}, {.v1 = kNarrow}, {}, false) == Strings{"v1 spec.a maximum: ?"});
  CHECK(Weigh({.v1 = kWide}, {.v1 = kNarrow}, {}) == Strings{"v1 spec.a maximum: 0"});
}

TEST_CASE("What concerns the CRD concerns all of its objects", "[migrate][weighed_changes]") {
  CHECK(Weigh({}, {.more = R"(,"conversion":{"strategy":"Webhook","webhook":{
    "conversionReviewVersions":["v1"],"clientConfig":{"url":"https://a.example.com"}}})"},
              kSpecs) == Strings{"  conversionStrategy: 4"});
}

TEST_CASE("Another version can be told where all objects are stored in the one that is read",
          "[migrate][weighed_changes]") {
  const Situation proposed{.v1 = kWide, .v1beta1 = kNarrow};
  CHECK(Weigh({.v1 = kWide, .v1beta1 = kWide}, proposed, kSpecs) ==
        Strings{"v1beta1 spec.a maximum: 2"});
  CHECK(Weigh({.v1 = kWide, .v1beta1 = kWide, .stored = R"("v1beta1","v1")"}, proposed, kSpecs) ==
        Strings{"v1beta1 spec.a maximum: ?"});
}

TEST_CASE("What a webhook makes of objects is not known", "[migrate][weighed_changes]") {
  const std::string webhook = R"(,"conversion":{"strategy":"Webhook","webhook":{
    "conversionReviewVersions":["v1"],"clientConfig":{"url":"https://a.example.com"}}})";
  CHECK(Weigh({.v1 = kWide, .v1beta1 = kWide, .more = webhook},
              {.v1 = kNarrow, .v1beta1 = kNarrow, .more = webhook},
              kSpecs) == Strings{"v1 spec.a maximum: 2", "v1beta1 spec.a maximum: ?"});
}

TEST_CASE("A CRD that preserves tells of all versions, and turning pruning on of what is lost",
          "[migrate][weighed_changes]") {
  const std::string preserves = R"(,"preserveUnknownFields":true)";
  CHECK(Weigh({.v1 = kWide, .v1beta1 = kWide, .more = preserves, .stored = R"("v1beta1","v1")"},
              {.v1 = kNarrow, .v1beta1 = kNarrow}, {R"({"a":4})", R"({"a":1,"b":2})"}) ==
        Strings{"  preserveUnknownFields: 1", "v1 spec.a maximum: 1", "v1beta1 spec.a maximum: 1"});
}

TEST_CASE("A CRD that the cluster does not have changes nothing", "[migrate][weighed_changes]") {
  const CrdCheck check(Widgets({}), "new.yaml", {.origin = CrdCheckOptions::Origin::kProposal});
  CHECK_FALSE(check.Report({}).changes);
  const CrdCheck local(Widgets({}), "new.yaml", {});
  CHECK_FALSE(local.Report({}).changes);
}

}  // namespace weighed_changes_test
}  // namespace migrate::check
