#include <catch2/catch.hpp>

#include "kube/crd/crd_read.h"
#include "tests/support/test_schema.h"

namespace kube::crd {
namespace {

using support::TestCrd;

TEST_CASE("Names are derived from the kind", "[crd][defaults]") {
  const Crd crd = TestCrd("v1", R"({"names":{"kind":"CronTab"}})");
  CHECK(crd.names.singular == "crontab");
  CHECK(crd.names.list_kind == "CronTabList");
  const Crd named = TestCrd("v1", R"({"names":{"kind":"A","singular":"b","listKind":"C"}})");
  CHECK(named.names.singular == "b");
  CHECK(named.names.list_kind == "C");
  CHECK(TestCrd("v1", "{}").names.list_kind.empty());
}

// strings.ToLower makes ASCII of two letters that are not.
TEST_CASE("The singular of a kind with a Kelvin sign is ASCII", "[crd][defaults]") {
  const Crd crd = TestCrd("v1", "{\"names\":{\"kind\":\"\u212Aind\"}}");
  CHECK(crd.names.singular == "kind");
  CHECK(crd.names.list_kind == "\u212AindList");
}

TEST_CASE("Versions whose schemas differ in the text of a number share them", "[crd][defaults]") {
  const Crd crd = TestCrd("v1", R"({"versions":[
      {"name":"v1","schema":{"openAPIV3Schema":{"type":"number","default":0.5}}},
      {"name":"v2","schema":{"openAPIV3Schema":{"type":"number","default":0.50}}}]})");
  CHECK(crd.common.schema != nullptr);
  CHECK(crd.versions[0].own.schema == nullptr);
}

TEST_CASE("v1beta1 preserves unknown fields unless told otherwise", "[crd][defaults]") {
  CHECK(TestCrd("v1beta1", "{}").preserve_unknown_fields);
  CHECK(TestCrd("v1beta1", R"({"preserveUnknownFields":null})").preserve_unknown_fields);
  CHECK(!TestCrd("v1beta1", R"({"preserveUnknownFields":false})").preserve_unknown_fields);
  CHECK(!TestCrd("v1", "{}").preserve_unknown_fields);
}

TEST_CASE("v1beta1 is namespaced by default, v1 has no default", "[crd][defaults]") {
  CHECK(TestCrd("v1beta1", "{}").scope == "Namespaced");
  CHECK(TestCrd("v1", "{}").scope.empty());
}

TEST_CASE("version of v1beta1 stands for a list of one", "[crd][defaults]") {
  const Crd crd = TestCrd("v1beta1", R"({"version":"v1"})");
  REQUIRE(crd.versions.size() == 1);
  CHECK(crd.versions[0].name == "v1");
  CHECK(crd.versions[0].served);
  CHECK(crd.versions[0].storage);
  CHECK(TestCrd("v1beta1", R"({"version":"v1","versions":[{"name":"v2"}]})").versions[0].name ==
        "v2");
}

TEST_CASE("The first of the versions stands for version", "[crd][defaults]") {
  const std::string versions = R"("versions":[{"name":"v2"},{"name":"v1"}]})";
  CHECK(TestCrd("v1", "{" + versions).version == "v2");
  CHECK(TestCrd("v1beta1", "{" + versions).version == "v2");
  CHECK(TestCrd("v1beta1", R"({"version":"v1",)" + versions).version == "v1");
}

TEST_CASE("Without status the storage version is the one stored", "[crd][defaults]") {
  CHECK(TestCrd("v1", R"({"versions":[{"name":"v1"},{"name":"v2","storage":true}]})")
            .stored_versions == std::vector<std::string>{"v2"});
  CHECK(TestCrd("v1", "{}").stored_versions.empty());
}

TEST_CASE("Review versions have a default in v1beta1 only", "[crd][defaults]") {
  const std::string spec = R"({"conversion":{"strategy":"Webhook"}})";
  CHECK(TestCrd("v1beta1", spec).conversion.review_versions == std::vector<std::string>{"v1beta1"});
  CHECK(!TestCrd("v1", spec).conversion.review_versions);
  CHECK(TestCrd("v1", R"({"conversion":{}})").conversion.strategy.empty());
}

TEST_CASE("What all versions of v1 agree on is held once", "[crd][internal]") {
  const std::string version =
      R"({"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},
          "additionalPrinterColumns":[],"name":)";
  const Crd crd = TestCrd("v1", R"({"versions":[)" + version + R"("a"},)" + version + R"("b"}]})");
  CHECK(crd.common.schema->type == "object");
  CHECK(crd.common.subresources->status);
  for (const CrdVersion& v : crd.versions) {
    CHECK(!v.own.has_validation);
    CHECK(!v.own.subresources);
    CHECK(!v.own.printer_columns);
    CHECK(v.schema == crd.common.schema);
    CHECK(v.has_status_subresource());
  }
}

TEST_CASE("A single version of v1 agrees with itself", "[crd][internal]") {
  const Crd crd = TestCrd("v1", R"({"versions":[{"schema":{"openAPIV3Schema":{}}}]})");
  CHECK(crd.common.has_validation);
  CHECK(!crd.versions[0].own.has_validation);
}

TEST_CASE("What versions of v1 differ in stays with them", "[crd][internal]") {
  const Crd crd = TestCrd("v1", R"({"versions":[
      {"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}}},
      {"schema":{"openAPIV3Schema":{"type":"string"}}}]})");
  CHECK(!crd.common.has_validation);
  CHECK(!crd.common.subresources);
  CHECK(crd.versions[0].own.schema->type == "object");
  CHECK(crd.versions[1].schema->type == "string");
  CHECK(crd.versions[0].has_status_subresource());
  CHECK(!crd.versions[1].has_status_subresource());
}

TEST_CASE("In v1beta1 each thing is held where it was written", "[crd][internal]") {
  const Crd top = TestCrd("v1beta1", R"({"versions":[{"name":"a"},{"name":"b"}],
      "validation":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}}})");
  CHECK(top.versions[1].schema == top.common.schema);
  CHECK(top.versions[1].has_status_subresource());
  const Crd apart = TestCrd("v1beta1", R"({"versions":[{"schema":{"openAPIV3Schema":{}}}]})");
  CHECK(!apart.common.has_validation);
  CHECK(apart.versions[0].own.has_validation);
}

TEST_CASE("Where v1beta1 has both, the schema at the top holds", "[crd][internal]") {
  const Crd crd = TestCrd("v1beta1", R"({"validation":{},
      "versions":[{"schema":{"openAPIV3Schema":{"type":"object"}}}]})");
  CHECK(crd.versions[0].schema == nullptr);
  CHECK(crd.versions[0].own.schema->type == "object");
}

}  // namespace
}  // namespace kube::crd
