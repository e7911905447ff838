#include "migrate/owners/version_fit.h"

#include <catch2/catch.hpp>
#include <string>

#include "migrate/owners/stale_entries.h"
#include "tests/support/test_schema.h"

namespace migrate::owners {
namespace version_fit_test {

std::string Root(const std::string& spec) {
  return R"({"type":"object","properties":{"spec":)" + spec + "}}";
}

/// Whether v1 with this schema of spec holds what v2, which is stored, has.
bool VersionHolds(const std::string& spec, const std::string& stored,
                  const std::string& conversion = "") {
  const auto version = [](const std::string& name, bool storage, const std::string& schema) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":)" + Root(schema) + "}}";
  };
  const kube::crd::Crd crd = support::TestCrd(
      "v1", R"({"group":"g","scope":"Namespaced","names":{"plural":"ws","kind":"W"},"versions":[)" +
                version("v1", false, spec) + "," + version("v2", true, stored) + "]" + conversion +
                "}");
  kube::json::Document entry;
  REQUIRE_FALSE(entry.Parse(R"({"apiVersion":"g/v1","fieldsV1":{"f:spec":{}}})"));
  return !KnownVersions::ThatHoldAll(crd).IsStale(entry.root());
}

const std::string kText = R"({"type":"string"})";

std::string Object(const std::string& properties) {
  return R"({"type":"object","properties":{)" + properties + "}}";
}

TEST_CASE("A version holds what has its fields and types", "[migrate][version_fit]") {
  CHECK(VersionHolds(Object(R"("a":)" + kText), Object(R"("a":)" + kText)));
  CHECK(VersionHolds(Object(R"("a":)" + kText + R"(,"b":)" + kText), Object(R"("a":)" + kText)));
  CHECK_FALSE(
      VersionHolds(Object(R"("a":)" + kText), Object(R"("a":)" + kText + R"(,"b":)" + kText)));
  CHECK_FALSE(VersionHolds(Object(R"("a":{"type":"integer"})"), Object(R"("a":)" + kText)));
}

TEST_CASE("A version holds maps and lists by what is in them", "[migrate][version_fit]") {
  const auto list = [](const std::string& items) {
    return R"({"type":"array","items":)" + items + "}";
  };
  const auto map = [](const std::string& values) {
    return R"({"type":"object","additionalProperties":)" + values + "}";
  };
  const std::string one = Object(R"("a":)" + kText);
  CHECK(VersionHolds(list(one), list(one)));
  CHECK_FALSE(VersionHolds(list(Object("")), list(one)));
  CHECK(VersionHolds(map(one), map(one)));
  CHECK_FALSE(VersionHolds(map(kText), map(one)));
  CHECK(VersionHolds(map(kText), one));
  CHECK_FALSE(VersionHolds(one, map(kText)));
}

TEST_CASE("What preserves unknown fields holds all, and no other what preserves them",
          "[migrate][version_fit]") {
  const std::string all = R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})";
  CHECK(VersionHolds(all, Object(R"("a":)" + kText)));
  CHECK(VersionHolds(all, all));
  CHECK_FALSE(VersionHolds(Object(R"("a":)" + kText), all));
}

TEST_CASE("What a webhook converts is not judged by schemas", "[migrate][version_fit]") {
  CHECK(VersionHolds(Object(""), Object(R"("a":)" + kText),
                     R"(,"conversion":{"strategy":"Webhook"})"));
}

}  // namespace version_fit_test
}  // namespace migrate::owners
