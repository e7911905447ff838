#include "migrate/guard/guarded_crds.h"

#include <catch2/catch.hpp>
#include <regex>

#include "kube/base/result.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/test_schema.h"

namespace migrate::guard {
namespace guarded_crds_test {

using kube::admission::Resource;
using Strings = std::vector<std::string>;

const std::string kPreserves = R"(,"preserveUnknownFields":true)";

// v1, the storage version, knows spec.a, and v1beta1 knows spec.b.
kube::crd::Crd Crd(const std::string& plural, const std::string& more = kPreserves,
                   const std::string& generation = "1") {
  std::string text = test_support::FakeCrdText(plural, more);
  text.insert(text.find(R"("name")"), R"("uid":"u","generation":)" + generation + ",");
  auto crd = support::ReadCrdText(text);
  REQUIRE(crd);
  return *std::move(crd);
}

cluster::Proposal Proposal(const std::string& plural, const std::string& more = "") {
  return {.place = {}, .source = plural + ".yaml", .crd = Crd(plural, more)};
}

std::vector<cluster::Proposal> Proposals(const std::string& plural) {
  std::vector<cluster::Proposal> proposals;
  proposals.push_back(Proposal(plural));
  return proposals;
}

Strings VersionsOf(const std::vector<VersionSchema>& schemas) {
  Strings versions;
  for (const VersionSchema& schema : schemas) versions.push_back(schema.version);
  return versions;
}

TEST_CASE("A request is held against its own version and the storage version", "[migrate][guard]") {
  const GuardedCrd crd(Crd("widgets"), nullptr);
  CHECK(VersionsOf(crd.SchemasOf("v1")) == Strings{"v1"});
  const std::vector<VersionSchema> schemas = crd.SchemasOf("v1beta1");
  CHECK(VersionsOf(schemas) == Strings{"v1beta1", "v1"});
  CHECK(schemas[0].schema->FindProperty("spec")->FindProperty("b") != nullptr);
  CHECK(schemas[1].schema->FindProperty("spec")->FindProperty("b") == nullptr);
  CHECK(VersionsOf(crd.SchemasOf("v7")) == Strings{"v1"});
  CHECK(crd.report() == report::GuardedUse{.name = "widgets.demo.example.com",
                                           .source = "",
                                           .preserve_unknown_fields = true});
}

TEST_CASE("When a field is removed is told by what the cluster has", "[migrate][guard]") {
  const cluster::Proposal proposal = Proposal("widgets");
  const auto when = [](const kube::crd::Crd& live, const cluster::Proposal* proposed) {
    return GuardedCrd(live, proposed).WhenRemoved();
  };
  CHECK(when(Crd("widgets"), nullptr) == " will be removed when pruning is turned on");
  CHECK(when(Crd("widgets"), &proposal) == " will be removed when pruning is turned on");
  CHECK(when(Crd("widgets", ""), nullptr) == " is removed");
  CHECK(when(Crd("widgets", ""), &proposal) == " will be removed when its new CRD is applied");
}

TEST_CASE("What a webhook makes of another version is not known", "[migrate][guard]") {
  const kube::crd::Crd live =
      Crd("widgets", kPreserves + R"(,"conversion":{"strategy":"Webhook","webhook":{
          "conversionReviewVersions":["v1"],"clientConfig":{"url":"https://x.example.com"}}})");
  CHECK(VersionsOf(GuardedCrd(live, nullptr).SchemasOf("v1beta1")) == Strings{"v1beta1"});
  SECTION("that apply leaves where the file does not name it") {
    const cluster::Proposal silent = Proposal("widgets");
    CHECK(VersionsOf(GuardedCrd(live, &silent).SchemasOf("v1beta1")) == Strings{"v1beta1"});
    const cluster::Proposal none = Proposal("widgets", R"(,"conversion":{"strategy":"None"})");
    CHECK(VersionsOf(GuardedCrd(live, &none).SchemasOf("v1beta1")) == Strings{"v1beta1", "v1"});
  }
}

// The server refuses to turn pruning on for these.
TEST_CASE("By a schema that is missing or not structural nothing is pruned", "[migrate][guard]") {
  std::string text = test_support::FakeCrdText("widgets", kPreserves);
  SECTION("missing") { text = std::regex_replace(text, std::regex(R"("schema")"), R"("other")"); }
  SECTION("not structural") {
    text = std::regex_replace(text, std::regex(R"("type":"object")"), R"("title":"object")");
  }
  auto live = support::ReadCrdText(text);
  REQUIRE(live);
  const GuardedCrd crd(*live, nullptr);
  CHECK(crd.SchemasOf("v1").empty());
  CHECK(crd.SchemasOf("v1beta1").empty());
  CHECK(crd.report().unusable_versions == Strings{"v1", "v1beta1"});
}

TEST_CASE("A proposal's schemas are taken in the place of the cluster's", "[migrate][guard]") {
  auto proposal = Proposal("widgets");
  const GuardedCrd crd(Crd("widgets"), &proposal);
  CHECK(crd.report().source == "widgets.yaml");
  CHECK(crd.report().preserve_unknown_fields);
  CHECK(VersionsOf(crd.SchemasOf("v1beta1")) == Strings{"v1beta1", "v1"});
}

TEST_CASE("Of all CRDs those are guarded that preserve unknown fields", "[migrate][guard]") {
  const GuardedCrds crds({.all = true}, {});
  CHECK(crds.Make(Crd("widgets")) != nullptr);
  CHECK(crds.Make(Crd("widgets", "")) == nullptr);
}

TEST_CASE("Without names those are guarded that are proposed", "[migrate][guard]") {
  const GuardedCrds crds({}, Proposals("gears"));
  CHECK(crds.Make(Crd("widgets")) == nullptr);
  const GuardedCrds::Pointer gears = crds.Make(Crd("gears", ""));
  REQUIRE(gears != nullptr);
  CHECK(gears->report().source == "gears.yaml");
  CHECK(crds.UnguardedProposals() == Strings{"gears.demo.example.com"});
}

TEST_CASE("Named CRDs are guarded whatever they preserve", "[migrate][guard]") {
  const GuardedCrds crds({.names = {"widgets"}}, {});
  CHECK(crds.Make(Crd("widgets", "")) != nullptr);
  CHECK(crds.Make(Crd("gears")) == nullptr);
}

TEST_CASE("What is guarded is found by its resource, and may be replaced", "[migrate][guard]") {
  GuardedCrds crds({.all = true}, {});
  CHECK(crds.revision() == 0);
  crds.Replace({{"widgets.demo.example.com", crds.Make(Crd("widgets"))},
                {"gears.demo.example.com", crds.Make(Crd("gears"))}});
  CHECK(crds.revision() == 1);
  CHECK(crds.resources() == std::vector<Resource>{{"demo.example.com", "*", "gears"},
                                                  {"demo.example.com", "*", "widgets"}});
  const GuardedCrds::Pointer widgets = crds.Find("demo.example.com", "widgets");
  REQUIRE(widgets != nullptr);
  CHECK(widgets->kind() == "Kindwidgets");
  CHECK(crds.Find("demo.example.com", "cogs") == nullptr);
  CHECK(crds.Find("example.com", "widgets") == nullptr);

  crds.Put(widgets->name(), crds.Make(Crd("widgets")));
  CHECK(crds.Find("demo.example.com", "widgets") == widgets);
  CHECK(crds.revision() == 1);

  crds.Put(widgets->name(), crds.Make(Crd("widgets", kPreserves, "2")));
  CHECK(crds.Find("demo.example.com", "widgets") != widgets);
  CHECK(crds.revision() == 2);

  // It prunes now.
  crds.Put(widgets->name(), crds.Make(Crd("widgets", "", "3")));
  CHECK(crds.Find("demo.example.com", "widgets") == nullptr);
  crds.Remove("gears.demo.example.com");
  crds.Remove("gears.demo.example.com");
  CHECK(crds.resources().empty());
  CHECK(crds.revision() == 4);
  // Whoever has it keeps it.
  CHECK(VersionsOf(widgets->SchemasOf("v1")) == Strings{"v1"});
}

TEST_CASE("Two proposals for one CRD are one too many", "[migrate][guard]") {
  std::vector<cluster::Proposal> proposals = Proposals("widgets");
  proposals.push_back(Proposal("widgets"));
  proposals[1].source = "other.yaml";
  CHECK_THROWS_WITH(GuardedCrds({}, std::move(proposals)),
                    "widgets.yaml and other.yaml both give \"widgets.demo.example.com\"; requests "
                    "can be held against one of them only");
}

}  // namespace guarded_crds_test
}  // namespace migrate::guard
