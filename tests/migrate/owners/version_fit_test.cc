#include "migrate/cluster/version_fit.h"

#include <catch2/catch.hpp>
#include <string>

#include "migrate/cluster/stale_entries.h"
#include "tests/support/test_schema.h"

namespace migrate::cluster {
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
  const KnownVersions known(crd, *crd.StorageVersion(), KnownVersions::Unfit::kStale);
  return !known.IsStale(entry.root());
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

TEST_CASE("What a version specifies has to fit, also where it takes any other field",
          "[migrate][version_fit]") {
  const auto preserving = [](const std::string& properties) {
    return R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{)" +
           properties + "}}";
  };
  const std::string a = R"("a":)" + kText, number = R"("a":{"type":"integer"})";
  CHECK(VersionHolds(preserving(a), Object(a)));
  CHECK(VersionHolds(preserving(""), Object(a)));
  CHECK_FALSE(VersionHolds(preserving(number), Object(a)));
  CHECK(VersionHolds(preserving(a), preserving(a)));
  CHECK_FALSE(VersionHolds(preserving(a), preserving("")));
  CHECK_FALSE(VersionHolds(Object(a), preserving(a)));
}

bool HoldsSpec(const std::string& spec, const std::string& value) {
  const support::TestSchema schema(Root(spec));
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(
      R"({"apiVersion":"g/v1","kind":"W","metadata":{"name":"a","x":[1]},"spec":)" + value + "}"));
  return HoldsObject(&schema.props, object.root());
}

// By structured-merge-diff's typed/validate.go.
TEST_CASE("A version holds an object by the fields and types that it has",
          "[migrate][version_fit]") {
  const std::string number = R"({"type":"integer"})";
  const std::string schema = Object(
      R"("a":)" + kText + R"(,"n":)" + number +
      R"(,"either":{"x-kubernetes-int-or-string":true},)" +
      R"("map":{"type":"object","additionalProperties":)" + number + "}," +
      R"("any":{"type":"object","additionalProperties":true},)" +
      R"("free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":)" +
      kText + "}}," + R"("list":{"type":"array","items":)" + Object(R"("a":)" + kText) + "}," +
      R"("inner":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":)" +
      Object("") + "}}");
  const auto [value, is_held] = GENERATE(table<std::string, bool>({
      {"{}", true},
      {"null", true},
      {R"({"a":"x","n":1})", true},
      {R"({"a":null,"n":1.5})", true},
      {R"({"b":"x"})", false},
      {R"({"a":1})", false},
      {R"({"n":"1"})", false},
      {R"({"a":{}})", false},
      {R"({"either":1})", true},
      {R"({"either":"50%"})", true},
      {R"({"either":[]})", false},
      {R"({"map":{"x":1}})", true},
      {R"({"map":{"x":"1"}})", false},
      {R"({"map":[]})", false},
      {R"({"any":{"x":{"y":[1]}}})", true},
      {R"({"free":{"x":{"y":[1]},"a":"x"}})", true},
      {R"({"free":{"a":1}})", false},
      {R"({"list":[{"a":"x"},{"a":"x"},{}]})", true},
      {R"({"list":[{"b":"x"}]})", false},
      {R"({"list":{}})", false},
      {R"({"inner":{"apiVersion":"v1","kind":"K","metadata":{"labels":{}},"spec":{}}})", true},
      {R"({"inner":{"other":{}}})", false},
      {"[]", false},
      {R"("x")", false},
  }));
  CAPTURE(value);
  CHECK(HoldsSpec(schema, value) == is_held);
}

TEST_CASE("A version holds lists whose elements it can tell apart", "[migrate][version_fit]") {
  const std::string ports =
      R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],"items":)" +
      Object(R"("port":{"type":"integer"},"name":)" + kText) + "}";
  CHECK(HoldsSpec(ports, R"([{"port":80},{"port":81,"name":"a"}])"));
  CHECK_FALSE(HoldsSpec(ports, R"([{"port":80},{"port":80}])"));
  CHECK_FALSE(HoldsSpec(ports, R"([{"name":"a"}])"));
  CHECK_FALSE(HoldsSpec(ports, R"([null])"));
  CHECK_FALSE(HoldsSpec(ports, R"(["a"])"));
  const std::string set =
      R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})";
  CHECK(HoldsSpec(set, R"(["a","b"])"));
  CHECK_FALSE(HoldsSpec(set, R"(["a","a"])"));
  CHECK_FALSE(HoldsSpec(set, R"([null])"));
  CHECK_FALSE(HoldsSpec(set, R"([{}])"));
  CHECK_FALSE(HoldsSpec(set, R"([1])"));
}

TEST_CASE("A version whose list tells elements apart does not hold one that does not",
          "[migrate][version_fit]") {
  const auto list = [](const std::string& type) {
    return R"({"type":"array",)" + type + R"("items":{"type":"string"}})";
  };
  const std::string set = R"("x-kubernetes-list-type":"set",)";
  CHECK(VersionHolds(list(set), list(set)));
  CHECK(VersionHolds(list(""), list(set)));
  CHECK_FALSE(VersionHolds(list(set), list("")));
}

TEST_CASE("A version without a schema holds every object", "[migrate][version_fit]") {
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"spec":{"a":1}})"));
  CHECK(HoldsObject(nullptr, object.root()));
}

TEST_CASE("An object that is too deep is held by none", "[migrate][version_fit]") {
  const support::TestSchema schema(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
    "properties":{"spec":{"type":"object","additionalProperties":{"type":"object",
    "x-kubernetes-preserve-unknown-fields":true}}}})");
  std::string deep;
  for (int i = 0; i < 9000; ++i) deep += R"({"a":)";
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"spec":)" + deep + "1" + std::string(9000, '}') + "}"));
  // Below what is preserved nothing is looked at.
  CHECK(HoldsObject(&schema.props, object.root()));
}

}  // namespace version_fit_test
}  // namespace migrate::cluster
