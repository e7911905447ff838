#include "kube/crd/unknown_keys.h"

#include <catch2/catch.hpp>

namespace kube::crd {
namespace unknown_keys_test {

using Strings = std::vector<std::string>;

/// "path (meant)"
Strings Find(const std::string& text) {
  json::Document document;
  REQUIRE_FALSE(document.Parse(text));
  Strings found;
  for (const UnknownKey& key : FindUnknownKeys(document.root())) {
    found.push_back(key.path + (key.meant.empty() ? "" : " (" + key.meant + ")"));
  }
  return found;
}

std::string Crd(const std::string& version, const std::string& spec) {
  return R"({"apiVersion":"apiextensions.k8s.io/)" + version +
         R"(","kind":"CustomResourceDefinition","metadata":{"name":"a"},"spec":{)" + spec + "}}";
}

TEST_CASE("Keys that no CRD has are told by their path", "[kube][unknown_keys]") {
  CHECK(Find(Crd("v1", R"("group":"g","verions":[])")) == Strings{"spec.verions (versions)"});
  CHECK(Find(Crd("v1", R"("versions":[{"name":"v1"},{"name":"v2","schema":{"openAPIV3Schema":
      {"type":"object","properties":{"spec":{"enums":[]}}}}}])")) ==
        Strings{"spec.versions[1].schema.openAPIV3Schema.properties.spec.enums (enum)"});
}

TEST_CASE("Names of properties are no keys", "[kube][unknown_keys]") {
  CHECK(Find(Crd("v1", R"("versions":[{"schema":{"openAPIV3Schema":{"properties":{"foo":
      {"type":"string","default":{"bar":1},"example":{"x":1}}}}}}])"))
            .empty());
}

TEST_CASE("Each version of the API has its own keys", "[kube][unknown_keys]") {
  const std::string old = R"("version":"v1","validation":{"openAPIV3Schema":{}},)"
                          R"("additionalPrinterColumns":[{"JSONPath":".a"}])";
  CHECK(Find(Crd("v1beta1", old)).empty());
  CHECK(Find(Crd("v1", old)) ==
        Strings{"spec.version (versions)", "spec.validation", "spec.additionalPrinterColumns"});
  CHECK(Find(Crd("v1", R"("versions":[{"additionalPrinterColumns":[{"JSONPath":".a"}]}])")) ==
        Strings{"spec.versions[0].additionalPrinterColumns[0].JSONPath (jsonPath)"});
}

TEST_CASE("What the server reads by code of its own is not looked into", "[kube][unknown_keys]") {
  CHECK(Find(Crd("v1", R"("versions":[{"schema":{"openAPIV3Schema":{"items":{"foo":1},
      "additionalProperties":{"foo":1}}}}])"))
            .empty());
}

TEST_CASE("What only later servers know is told with their release", "[kube][unknown_keys]") {
  json::Document document;
  REQUIRE_FALSE(document.Parse(Crd("v1", R"("versions":[{"selectableFields":[{"jsonPath":".a"}],
      "schema":{"openAPIV3Schema":{"x-kubernetes-validations":[{"rule":"true",
      "messageExpression":"'a'"}]}}}])")));
  const auto since = [&document](const base::Release& release) {
    Strings found;
    for (const UnknownKey& key : FindUnknownKeys(document.root(), release)) {
      REQUIRE(key.since);
      found.push_back(key.since->ToString() + " " + key.path.substr(key.path.rfind('.') + 1));
    }
    return found;
  };
  CHECK(since({1, 20}) == Strings{"1.30 selectableFields", "1.23 x-kubernetes-validations"});
  CHECK(since({1, 25}) == Strings{"1.30 selectableFields", "1.27 messageExpression"});
  CHECK(since({1, 36}).empty());
}

TEST_CASE("A key of any length and letters is told as a word", "[kube][unknown_keys]") {
  CHECK(UnknownKey{.path = "a\"b"}.Message() == R"(unknown field "a\"b")");
  CHECK(UnknownKey{.path = std::string(1 << 20, 'k')}.Message().size() < 1200);
}

TEST_CASE("What is no object has no keys", "[kube][unknown_keys]") {
  CHECK(Find(R"({"apiVersion":"apiextensions.k8s.io/v1","spec":[{"x":1}],"metadata":3})").empty());
}

}  // namespace unknown_keys_test
}  // namespace kube::crd
