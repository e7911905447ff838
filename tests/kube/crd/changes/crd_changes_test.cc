#include "kube/crd/crd_changes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::crd {
namespace crd_changes_test {

using Strings = std::vector<std::string>;

struct Parts {
  std::string group = "g.example.com", scope = "Namespaced", conversion = "", more = "";
  std::string names = R"("plural":"gs","singular":"g","kind":"G","listKind":"GList")";
  std::string versions = R"({"name":"v1","served":true,"storage":true,
                             "schema":{"openAPIV3Schema":{"type":"object"}}})";
  std::string status = R"({"storedVersions":["v1"]})";
};

Crd Make(const Parts& parts) {
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"gs.g.example.com"},"spec":{"group":")" +
      parts.group + R"(","scope":")" + parts.scope + R"(","names":{)" + parts.names +
      R"(},"versions":[)" + parts.versions + "]" +
      (parts.conversion.empty() ? "" : R"(,"conversion":)" + parts.conversion) + parts.more +
      R"(},"status":)" + parts.status + "}");
  REQUIRE(crd);
  return *std::move(crd);
}

std::string Version(const std::string& name, bool served, bool storage,
                    const std::string& schema = R"({"type":"object"})",
                    const std::string& more = "") {
  return R"({"name":")" + name + R"(","served":)" + (served ? "true" : "false") + R"(,"storage":)" +
         (storage ? "true" : "false") + R"(,"schema":{"openAPIV3Schema":)" + schema + "}" + more +
         "}";
}

// "version path kind from -> to", a "!" before what may break somebody.
Strings Compare(const Parts& live, const Parts& proposed) {
  const Crd before = Make(live), after = Make(proposed);
  Strings found;
  for (const Change& change : CompareCrds(before, after).changes) {
    found.push_back((change.breaking ? "!" : "") + change.version + " " + change.path + " " +
                    std::string(NameOf(change.kind)) + " " + change.from + " -> " + change.to);
  }
  return found;
}

TEST_CASE("What a CRD is called, and where it lives, is told", "[crd][changes]") {
  CHECK(Compare({}, {}).empty());
  CHECK(Compare({}, {.scope = "Cluster"}) == Strings{"!  scope Namespaced -> Cluster"});
  CHECK(Compare({}, {.group = "h.example.com"}) ==
        Strings{"!  group g.example.com -> h.example.com"});
  CHECK(Compare({}, {.names = R"("plural":"hs","singular":"h","kind":"H","listKind":"HList")"}) ==
        Strings{"!  kind G -> H", "!  listKind GList -> HList", "!  plural gs -> hs",
                "!  singular g -> h"});
  const std::string names = R"("plural":"gs","singular":"g","kind":"G","listKind":"GList")";
  CHECK(Compare({.names = names + R"(,"shortNames":["a","b"])"},
                {.names = names + R"(,"shortNames":["b","c"])"}) ==
        Strings{"!  shortNames a -> c"});
  CHECK(Compare({}, {.names = names + R"(,"shortNames":["c"])"}).empty());
}

TEST_CASE("How objects are converted is told", "[crd][changes]") {
  const auto webhook = [](const std::string& name, const std::string& versions) {
    return R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":[)" + versions +
           R"(],"clientConfig":{"service":{"name":")" + name + R"(","namespace":"n"}}}})";
  };
  CHECK(Compare({}, {.conversion = webhook("a", R"("v1")")}) ==
        Strings{"!  conversionStrategy None -> Webhook"});
  CHECK(Compare({.conversion = webhook("a", R"("v1")")}, {}) ==
        Strings{"!  conversionStrategy Webhook -> None"});
  CHECK(Compare({.conversion = webhook("a", R"("v1")")}, {.conversion = webhook("b", R"("v1")")}) ==
        Strings{"!  conversionWebhook n/a:443 -> n/b:443"});
  CHECK(Compare({.conversion = webhook("a", R"("v1","v1beta1")")},
                {.conversion = webhook("a", R"("v1")")}) ==
        Strings{"!  conversionReviewVersions v1, v1beta1 -> v1"});
  CHECK(Compare({.conversion = webhook("a", R"("v1")")},
                {.conversion = webhook("a", R"("v1","v2")")}) ==
        Strings{"  conversionReviewVersions v1 -> v1, v2"});
}

TEST_CASE("Versions that go, are not served, or are stored no more are told", "[crd][changes]") {
  const Parts both{.versions = Version("v1", true, true) + "," + Version("v1beta1", true, false)};
  CHECK(Compare(both, {}) == Strings{"!v1beta1  versionRemoved v1beta1 -> "});
  CHECK(Compare({}, both).empty());
  const Parts one_served{.versions =
                             Version("v1", true, true) + "," + Version("v1beta1", false, false)};
  CHECK(Compare(both, one_served) == Strings{"!v1beta1  versionNotServed v1beta1 -> "});
  CHECK(Compare(one_served, both).empty());
  CHECK(Compare(one_served, {}) == Strings{"v1beta1  versionRemoved v1beta1 -> "});
  const Parts other{.versions = Version("v1", true, false) + "," + Version("v1beta1", true, true)};
  CHECK(Compare(both, other) == Strings{"  storageVersion v1 -> v1beta1"});
  const Parts gone{.versions = Version("v1beta1", true, true)};
  CHECK(Compare(both, gone) == Strings{"  storageVersion v1 -> v1beta1",
                                       "!v1  storedVersionMissing v1 -> ",
                                       "!v1  versionRemoved v1 -> "});
}

TEST_CASE("Pruning and subresources are told", "[crd][changes]") {
  const Parts preserves{.more = R"(,"preserveUnknownFields":true)"};
  CHECK(Compare(preserves, {}) == Strings{"!  preserveUnknownFields true -> false"});
  CHECK(Compare({}, preserves) == Strings{"  preserveUnknownFields false -> true"});
  const Parts with{.versions = Version("v1", true, true, R"({"type":"object"})",
                                       R"(,"subresources":{"status":{},"scale":{
    "specReplicasPath":".spec.r","statusReplicasPath":".status.r"}})")};
  CHECK(Compare({}, with) ==
        Strings{"!v1  statusSubresource false -> true", "v1  scaleSubresource false -> true"});
  CHECK(Compare(with, {}) ==
        Strings{"!v1  statusSubresource true -> false", "!v1  scaleSubresource true -> false"});
}

const std::string kWithA = R"({"type":"object","properties":{"a":{"type":"string"}}})";

TEST_CASE("Schemas are compared version by version, a new one with that of the storage version",
          "[crd][changes]") {
  const Parts live{.versions = Version("v1", true, true, kWithA)};
  CHECK(Compare(live, {}) == Strings{"!v1 a fieldRemoved string -> "});
  // There are no objects of a version that is new, unless all become such.
  CHECK(Compare(live,
                {.versions = Version("v1", true, true, kWithA) + "," + Version("v2", true, false)})
            .empty());
  CHECK(Compare(live, {.versions =
                           Version("v1", true, false, kWithA) + "," + Version("v2", true, true)}) ==
        Strings{"  storageVersion v1 -> v2", "!v2 a fieldRemoved string -> "});
}

}  // namespace crd_changes_test
}  // namespace kube::crd
