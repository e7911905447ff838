#include "migrate/check/managed_fields.h"

#include <catch2/catch.hpp>

#include "tests/support/test_schema.h"

namespace migrate::check {
namespace managed_fields_test {

using kube::schema::PathElement;

PathElement Key(std::string_view key) { return {key, 0, false}; }
PathElement Index(std::size_t index) { return {"", index, true}; }

constexpr std::string_view kObject = R"({
  "metadata": {"managedFields": [
    {"manager": "helm", "time": "2024-01-01T00:00:00Z", "fieldsV1": {
      "f:spec": {".": {}, "f:legacyMode": {},
                 "f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}, "f:proto": {}}},
                 "f:args": {"v:\"-a\"": {}}, "f:gone": {}}}},
    {"manager": "operator", "time": "2024-03-01T00:00:00Z", "fieldsV1": {
      "f:spec": {"f:legacyMode": {}, "f:list": {}}}},
    {"manager": "status-writer", "subresource": "status", "fieldsV1": {"f:status": {"f:phase": {}}}}
  ]},
  "spec": {"legacyMode": true, "ports": [{"port": 443}, {"port": 80, "proto": "TCP", "x": 1}],
           "args": ["-b", "-a"], "list": [{"deep": 1}], "other": 1},
  "status": {"phase": "Up"}
})";

std::string Managers(const kube::json::Value& object, const std::vector<PathElement>& path) {
  const FieldOwners owners = OwnerFinder(object).Find(path);
  std::string text;
  for (const std::string_view manager : owners.managers) text += std::string(manager) + " ";
  return text + std::string(owners.last_written);
}

TEST_CASE("A field is owned by those who own it or its nearest owned ancestor",
          "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(kObject));
  const kube::json::Value& object = document.root();
  CHECK(Managers(object, {Key("spec"), Key("legacyMode")}) == "helm operator 2024-03-01T00:00:00Z");
  CHECK(Managers(object, {Key("spec"), Key("ports"), Index(1), Key("proto")}) ==
        "helm 2024-01-01T00:00:00Z");
  CHECK(Managers(object, {Key("spec"), Key("ports"), Index(1), Key("x")}) ==
        "helm 2024-01-01T00:00:00Z");
  CHECK(Managers(object, {Key("spec"), Key("args"), Index(1)}) == "helm 2024-01-01T00:00:00Z");
  CHECK(Managers(object, {Key("spec"), Key("list"), Index(0), Key("deep")}) ==
        "operator 2024-03-01T00:00:00Z");
  CHECK(Managers(object, {Key("spec"), Key("other")}) == "helm 2024-01-01T00:00:00Z");
  CHECK(Managers(object, {Key("status"), Key("phase")}) == "status-writer ");
  CHECK(Managers(object, {Key("other")}).empty());
}

// A writer whose schema specifies a field owns what is in it, and not the field
// (structured-merge-diff, TypedValue.ToFieldSet).
TEST_CASE("A field is owned by those who own parts of it", "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({
    "metadata": {"managedFields": [
      {"manager": "op", "time": "2024-03-01T00:00:00Z", "fieldsV1": {
        "f:spec": {"f:legacy": {"f:x": {}, "f:y": {"f:z": {}}}}}},
      {"manager": "root", "time": "2023-01-01T00:00:00Z", "fieldsV1": {"f:spec": {".": {}}}}]},
    "spec": {"legacy": {"x": 1, "y": {"z": 2}}}})"));
  CHECK(Managers(document.root(), {Key("spec"), Key("legacy")}) == "op 2024-03-01T00:00:00Z");
}

// An element without a key that is optional has a selector without it.
TEST_CASE("Elements of a list may have different keys", "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({
    "metadata": {"managedFields": [{"manager": "m", "fieldsV1": {"f:l": {
      "k:{\"n\":\"b\"}": {".": {}, "f:n": {}},
      "k:{\"n\":\"c\",\"p\":1}": {".": {}, "f:lost": {}}}}}]},
    "l": [{"n": "b", "p": 1, "lost": 1}, {"n": "c", "p": 1, "lost": 1}]})"));
  CHECK(Managers(document.root(), {Key("l"), Index(0), Key("lost")}).empty());
  CHECK(Managers(document.root(), {Key("l"), Index(1), Key("lost")}) == "m ");
}

TEST_CASE("An object without managedFields has no owners", "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({"metadata":{},"spec":{"a":1}})"));
  CHECK(OwnerFinder(document.root()).Find(std::vector{Key("spec")}).managers.empty());
  CHECK(FindLackingFields(document.root(), nullptr).empty());
}

TEST_CASE("Owned fields that the object lacks are found by their tops",
          "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({
    "metadata": {"managedFields": [
      {"manager": "b", "fieldsV1": {"f:spec": {"f:gone": {"f:below": {}}, "f:here": {},
        "f:ports": {"k:{\"port\":80}": {".": {}, "f:proto": {}}}}}},
      {"manager": "a", "fieldsV1": {"f:spec": {"f:gone": {}}}}]},
    "spec": {"here": 1, "ports": [{"port": 80}]}})"));
  std::string text;
  for (const LackingField& field : FindLackingFields(document.root(), nullptr)) {
    text += field.path + " " + std::string(field.manager) + "\n";
  }
  CHECK(text == "spec.gone a\nspec.gone b\nspec.ports[*].proto b\n");
}

TEST_CASE("Entries of other versions can be left out", "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({
    "metadata": {"managedFields": [
      {"manager": "a", "apiVersion": "e.com/v1beta1", "fieldsV1": {"f:spec": {"f:old": {}}}},
      {"manager": "b", "apiVersion": "e.com/v1", "fieldsV1": {"f:spec": {"f:gone": {}}}}]},
    "spec": {"new": 1}})"));
  CHECK(FindLackingFields(document.root(), nullptr).size() == 2);
  const auto found = FindLackingFields(document.root(), nullptr, "e.com/v1");
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "spec.gone");
}

TEST_CASE("Keys of maps are folded in what the object lacks", "[migrate][managed_fields]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({
    "metadata": {"managedFields": [
      {"manager": "a", "fieldsV1": {"f:spec": {"f:zones": {"f:eu": {"f:gone": {}}, "f:us": {"f:gone": {}},
        "f:left": {}, "f:home": {"f:old": {}}}, "f:list": {"k:{\"id\":1}": {"f:k": {"f:x": {}}}}}}}]},
    "spec": {"zones": {"eu": {}, "us": {}, "home": {}}, "list": [{"id": 1, "k": {}}]}})"));
  const support::TestSchema props(R"({"type":"object","properties":{"spec":{"type":"object",
    "properties":{"zones":{"type":"object","properties":{"home":{"type":"object"}},
      "additionalProperties":{"type":"object"}},
      "list":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},
        "k":{"type":"object","additionalProperties":{"type":"string"}}}}}}}}})");
  kube::json::Arena arena;
  const auto schema = kube::schema::MakeStructural(props.props, arena);
  std::vector<std::string> paths;
  for (const LackingField& field : FindLackingFields(document.root(), &schema)) {
    paths.push_back(field.path);
  }
  CHECK(paths == std::vector<std::string>{"spec.list[*].k.*", "spec.zones.*", "spec.zones.*.gone",
                                          "spec.zones.home.old"});
}

TEST_CASE("Hostile managedFields are taken", "[migrate][managed_fields]") {
  const std::string text = GENERATE(
      R"({"metadata":{"managedFields":[1,null,{"fieldsV1":[]},{"fieldsV1":{"":{},"k:{":{},"v:":1}}]},"a":[1]})",
      R"({"metadata":{"managedFields":{}},"a":[]})", R"({"metadata":[],"a":{}})");
  kube::json::Document document;
  REQUIRE(!document.Parse(text));
  CHECK(OwnerFinder(document.root()).Find(std::vector{Key("a"), Index(0)}).managers.empty());
  FindLackingFields(document.root(), nullptr);
}

TEST_CASE("In a large object the same owners are found", "[migrate][managed_fields]") {
  std::string owned, spec;
  for (int i = 0; i < 100; ++i) {
    const std::string key = "\"f:k" + std::to_string(i) + "\":{}";
    owned += (i == 0 ? "" : ",") + key;
    spec += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
  }
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({"metadata":{"managedFields":[{"manager":"a","fieldsV1":{"f:spec":{)" +
                          owned + R"(}}}]},"spec":{)" + spec + R"(,"x":1}})"));
  OwnerFinder finder(document.root());
  for (int i = 99; i >= 0; --i) {
    const std::string key = "k" + std::to_string(i);
    CHECK(finder.Find(std::vector{Key("spec"), Key(key)}).managers ==
          std::vector<std::string_view>{"a"});
  }
  CHECK(finder.Find(std::vector{Key("spec"), Key("x")}).managers.empty());
  CHECK(finder.Find(std::vector{Key("spec"), Key("none")}).managers.empty());
}

TEST_CASE("Of what managedFields say no more is kept than an object could hold",
          "[migrate][managed_fields]") {
  const std::string key(100'000, 'x');
  std::string gone;
  for (int i = 0; i < 1000; ++i)
    gone += (i == 0 ? "\"f:k" : ",\"f:k") + std::to_string(i) + "\":{}";
  const std::string entry = R"({"manager":"a","fieldsV1":{"f:)" + key + "\":{" + gone + "}}}";
  const bool is_twofold = GENERATE(false, true);
  const std::string entries = is_twofold ? entry + "," + entry : entry;
  kube::json::Document document;
  REQUIRE(
      !document.Parse(R"({"metadata":{"managedFields":[)" + entries + "]},\"" + key + "\":{}}"));
  CHECK(FindLackingFields(document.root(), nullptr).size() == 10);
}

}  // namespace managed_fields_test
}  // namespace migrate::check
