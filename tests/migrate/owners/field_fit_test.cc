#include "migrate/cluster/field_fit.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/test_schema.h"

namespace migrate::cluster {
namespace field_fit_test {

constexpr char kSchema[] = R"({"type":"object","properties":{
  "spec":{"type":"object","properties":{
    "size":{"type":"integer"},
    "either":{"x-kubernetes-int-or-string":true},
    "labels":{"type":"object","additionalProperties":{"type":"string"}},
    "anything":{"type":"object","additionalProperties":true},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
            "properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}}}},
    "untyped":{"x-kubernetes-preserve-unknown-fields":true},
    "whole":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"}}},
    "list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}},
    "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
             "items":{"type":"object","properties":{"port":{"type":"integer"},
                      "protocol":{"type":"string"},"name":{"type":"string"}}}},
    "args":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "template":{"type":"object","x-kubernetes-embedded-resource":true,
                "properties":{"spec":{"type":"object"}}}}},
  "status":{"type":"object","properties":{"phase":{"type":"string"}}}}})";

/// What of `fields` fits the schema; empty for nothing.
std::string Fit(const std::string& fields, bool preserves = false) {
  const support::TestSchema schema(kSchema);
  kube::json::Document document;
  REQUIRE(!document.Parse(fields));
  kube::json::Arena arena;
  const auto fitting =
      FitFields(document.root(), {.to = &schema.props, .preserves = preserves}, arena);
  return fitting ? kube::json::Print(*fitting) : "";
}

std::string FitSpec(const std::string& fields) {
  const std::string fitting = Fit(R"({"f:spec":)" + fields + "}");
  constexpr std::string_view kStart = R"({"f:spec":)";
  return fitting.empty() ? "" : fitting.substr(kStart.size(), fitting.size() - kStart.size() - 1);
}

TEST_CASE("Fields that the schema has keep their owner", "[migrate][field_fit]") {
  const std::string fields = GENERATE(
      as<std::string>(), R"({"f:size":{}})", R"({"f:either":{}})",
      R"({"f:labels":{".":{},"f:app":{}}})", R"({"f:list":{}})", R"({".":{},"f:size":{}})", "{}",
      R"({"f:anything":{"f:a":{"f:b":{}}}})",
      R"({"f:free":{"f:a":{"f:b":{}},"f:known":{"f:a":{}}}})",
      R"({"f:untyped":{"f:a":{".":{},"f:b":{}}}})", R"({"f:whole":{}})",
      R"({"f:args":{"v:\"-a\"":{}}})", R"({"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}})");
  CAPTURE(fields);
  CHECK(FitSpec(fields) == fields);
}

TEST_CASE("A field of another type in the version that it comes from is dropped",
          "[migrate][field_fit]") {
  const support::TestSchema to(kSchema);
  const support::TestSchema from(R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{
      "size":{"type":"string"},
      "either":{"type":"integer"},
      "labels":{"type":"object","additionalProperties":{"type":"integer"}},
      "list":{"type":"object"},
      "untyped":{"type":"string"},
      "ports":{"type":"array","items":{"type":"object","properties":{"port":{"type":"number"},
               "name":{"type":"boolean"}}}}}}}})");
  const auto [fields, fitting] = GENERATE(table<std::string, std::string>({
      {R"({"f:size":{},"f:either":{}})", R"({"f:either":{}})"},
      {R"({"f:labels":{".":{},"f:app":{}}})", R"({"f:labels":{}})"},
      {R"({"f:list":{},"f:untyped":{}})", R"({"f:untyped":{}})"},
      {R"({"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{},"f:name":{}}}})",
       R"({"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}})"},
      // What the other version does not have may have any type.
      {R"({"f:args":{"v:\"-a\"":{}}})", R"({"f:args":{"v:\"-a\"":{}}})"},
  }));
  CAPTURE(fields);
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({"f:spec":)" + fields + "}"));
  const auto fit =
      FitFields(document.root(), {.to = &to.props, .from = &from.props}, document.arena());
  REQUIRE(fit);
  CHECK(kube::json::Print(*fit) == R"({"f:spec":)" + fitting + "}");
}

TEST_CASE("What the schema does not have is dropped", "[migrate][field_fit]") {
  CHECK(FitSpec(R"({"f:gone":{},"f:size":{}})") == R"({"f:size":{}})");
  CHECK(FitSpec(R"({"f:gone":{".":{},"f:size":{}}})").empty());
  // What is owned by itself stays without its parts.
  CHECK(FitSpec(R"({".":{},"f:gone":{}})") == "{}");
  CHECK(FitSpec(R"({"f:free":{"f:known":{"f:a":{},"f:gone":{}}}})") ==
        R"({"f:free":{"f:known":{"f:a":{}}}})");
  CHECK(Fit(R"({"f:extra":{},"f:status":{"f:phase":{}}})") == R"({"f:status":{"f:phase":{}}})");
}

TEST_CASE("Where the whole CRD preserves unknown fields all of them fit", "[migrate][field_fit]") {
  const std::string fields = R"({"f:extra":{"f:a":{}},"f:spec":{"f:gone":{}}})";
  CHECK(Fit(fields, true) == fields);
  CHECK(Fit(R"({"f:spec":{"f:list":{"f:a":{}},"f:size":{}}})", true) ==
        R"({"f:spec":{"f:size":{}}})");
}

TEST_CASE("What became another type is dropped", "[migrate][field_fit]") {
  const std::string fields = GENERATE(
      as<std::string>(), R"({"f:size":{"f:a":{}}})", R"({"f:either":{"v:1":{}}})",
      R"({"f:list":{"f:a":{}}})", R"({"f:labels":{"k:{\"a\":1}":{}}})", R"({"f:ports":{"f:a":{}}})",
      R"({"f:whole":{"v:1":{}}})", R"({"f:args":{"k:{\"port\":80}":{}}})",
      // Of a list these keys and values, and no others.
      R"({"f:ports":{"k:{\"name\":\"a\"}":{}}})", R"({"f:ports":{"k:{\"port\":\"80\"}":{}}})",
      R"({"f:ports":{"k:{\"port\":80,\"name\":\"a\"}":{}}})", R"({"f:ports":{"k:{}":{}}})",
      R"({"f:ports":{"v:80":{}}})", R"({"f:args":{"v:7":{}}})", R"({"f:ports":{"i:0":{}}})");
  CAPTURE(fields);
  CHECK(FitSpec(fields).empty());
}

TEST_CASE("What became atomic is owned whole by whoever owned a part", "[migrate][field_fit]") {
  CHECK(FitSpec(R"({"f:list":{"k:{\"a\":\"b\"}":{".":{},"f:a":{}}}})") == R"({"f:list":{}})");
  CHECK(FitSpec(R"({"f:whole":{"f:a":{}}})") == R"({"f:whole":{}})");
  CHECK(FitSpec(R"({"f:untyped":{"v:1":{}}})") == R"({"f:untyped":{}})");
}

TEST_CASE("Metadata are the same in all versions", "[migrate][field_fit]") {
  const std::string metadata =
      R"({"f:metadata":{"f:finalizers":{".":{},"v:\"a\"":{}},"f:labels":{"f:app":{}},)"
      R"("f:ownerReferences":{"k:{\"uid\":\"u\"}":{}}}})";
  CHECK(Fit(metadata) == metadata);
  CHECK(FitSpec(R"({"f:template":{"f:metadata":{"f:labels":{"f:a":{}}},"f:other":{}}})") ==
        R"({"f:template":{"f:metadata":{"f:labels":{"f:a":{}}}}})");
  CHECK(Fit(R"({"f:apiVersion":{},"f:kind":{},"f:metadata":7})").empty());
}

TEST_CASE("A version without a schema takes all fields", "[migrate][field_fit]") {
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({"f:spec":{"f:a":{"k:{\"a\":1}":{}}}})"));
  kube::json::Arena arena;
  const auto fitting = FitFields(document.root(), {.to = nullptr}, arena);
  REQUIRE(fitting);
  CHECK(kube::json::Print(*fitting) == R"({"f:spec":{"f:a":{}}})");
}

TEST_CASE("Hostile sets of fields come to nothing", "[migrate][field_fit]") {
  const std::string fields =
      GENERATE(as<std::string>(), "7", "null", "[]", "{}", R"({"f:spec":7})", R"({"":{}})",
               R"({"f:":{}})", R"({".":{}})", R"({"k:{":{}})", R"({"v:":{}})", R"({"i:0":{}})",
               R"({"f:spec":{"f:ports":{"k:{":{}}}})", R"({"f:spec":{"f:ports":{"k:[]":{}}}})",
               R"({"f:spec":{"f:args":{"v:\"":{}}}})", R"({"f:spec":{"f:args":{"v:{}":{}}}})");
  CAPTURE(fields);
  CHECK(Fit(fields).empty());
}

TEST_CASE("What is too deep is dropped", "[migrate][field_fit]") {
  constexpr int kDeep = 9000;
  std::string deep = R"({"f:spec":{"f:size":{},"f:free":)";
  for (int i = 0; i < kDeep; ++i) deep += R"({"f:a":)";
  deep += "{}" + std::string(kDeep, '}') + "}}";
  CHECK(Fit(deep) == R"({"f:spec":{"f:size":{}}})");
}

}  // namespace field_fit_test
}  // namespace migrate::cluster
