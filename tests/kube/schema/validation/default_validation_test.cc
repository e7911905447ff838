#include "kube/schema/default_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_schema.h"

namespace kube::schema {
namespace default_validation_test {

using support::TestSchema;

struct Row {
  std::string_view name;
  std::string_view schema;
  std::vector<std::string> errors;
};

// What k8s.io/apiextensions-apiserver 0.36 answers, sorted.
const Row
    kRows
        [] =
            {{"A default of the right type",
              R"({"type":"object","properties":{"p":{"type":"string","default":"x"}}})",
              {}},
             {"A default of a wrong type",
              R"({"type":"object","properties":{"p":{"type":"string","default":1}}})",
              {R"(properties[p].default: Invalid value: "integer":  in body must be of type string: "integer")"}},
             {"An unknown field",
              R"({"type":"object","properties":{"p":{"type":"object","default":{"x":1}}}})",
              {R"(properties[p].default: Invalid value: {"x":1}: must not have unknown fields)"}},
             {"An unknown field below",
              R"({"type":"object","properties":{"p":{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"default":{"a":[{"x":1}]}}}})",
              {R"(properties[p].default: Invalid value: {"a":[{"x":1}]}: must not have unknown fields)"}},
             {"Preserved fields",
              R"({"type":"object","properties":{"p":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{"x":1}}}})",
              {}},
             {"A value that is not in the enum",
              R"({"type":"object","properties":{"p":{"type":"string","enum":["a"],"default":"b"}}})",
              {R"(properties[p].default: Unsupported value: "b": supported values: "a")"}},
             {"A missing required field",
              R"({"type":"object","properties":{"p":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"default":{}}}})",
              {"properties[p].default.a: Required value"}},
             {"A null element",
              R"({"type":"object","properties":{"p":{"type":"array","items":{"type":"string"},"default":[null]}}})",
              {R"(properties[p].default.[0]: Invalid value: "null": [0] in body must be of type string: "null")"}},
             {"Any value of int-or-string",
              R"({"type":"object","properties":{"p":{"x-kubernetes-int-or-string":true,"default":true}}})",
              {}},
             {"int-or-string by anyOf",
              R"({"type":"object","properties":{"p":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"default":true}}})",
              {R"(properties[p].default: Invalid value: "": "" must validate at least one schema (anyOf))",
               R"(properties[p].default: Invalid value: "boolean":  in body must be of type integer: "boolean")"}},
             {"A format of another type counts",
              R"({"type":"object","properties":{"p":{"type":"boolean","format":"int32","default":true}}})",
              {}},
             {"A default in a default's property",
              R"({"type":"object","properties":{"p":{"type":"object","properties":{"a":{"type":"integer","default":"x"}},"default":{"a":1}}}})",
              {R"(properties[p].properties[a].default: Invalid value: "string":  in body must be of type integer: "string")"}},
             {"Defaults of map values are not looked at",
              R"({"type":"object","properties":{"p":{"type":"object","additionalProperties":{"type":"string","default":1}}}})",
              {}},
             {"Defaults of items",
              R"({"type":"object","properties":{"p":{"type":"array","items":{"type":"string","default":1}}}})",
              {R"(properties[p].items.default: Invalid value: "integer":  in body must be of type string: "integer")"}},
             {"An embedded resource needs its type",
              R"({"type":"object","properties":{"p":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object","default":{}}}})",
              {"properties[p].default.apiVersion: Required value",
               "properties[p].default.kind: Required value"}},
             {"A bad embedded resource",
              R"({"type":"object","properties":{"p":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object","default":{"apiVersion":"a/b/c","kind":"F_","metadata":{"name":"a/b","namespace":"N","labels":{"x":"-"}}}}}})",
              {R"(properties[p].default.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)",
               R"(properties[p].default.kind: Invalid value: "F_": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))",
               R"(properties[p].default.metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'))",
               R"(properties[p].default.metadata.name: Invalid value: "a/b": may not contain '/')",
               R"(properties[p].default.metadata.namespace: Invalid value: "N": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'))"}},
             {"An embedded resource of wrong types",
              R"({"type":"object","properties":{"p":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object","default":{"apiVersion":"v1","kind":1}}}})",
              {"properties[p].default.kind: Invalid value: 1: must be a string"}},
             {"Embedded metadata of a wrong type", R"({"type":"object","properties":{"p":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object","default":{"apiVersion":"v1","kind":"Foo","metadata":{"labels":1}}}}})", {R"(properties[p].default.metadata: Invalid value: {"labels":1}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string)"}},
             {"Unknown embedded metadata vanishes",
              R"({"type":"object","properties":{"p":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object","default":{"apiVersion":"v1","kind":"Foo","metadata":{"foo":1}}}}})",
              {}},
             {"A default in embedded metadata",
              R"({"type":"object","properties":{"p":{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","default":"a/b"}}}},"x-kubernetes-embedded-resource":true}}})",
              {R"(properties[p].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/')"}},
             {"A default of a bad embedded kind",
              R"({"type":"object","properties":{"p":{"type":"object","properties":{"kind":{"type":"string","default":"f_"}},"x-kubernetes-embedded-resource":true}}})",
              {R"(properties[p].properties[kind].default: Invalid value: "f_": must result in valid metadata: kind: Invalid value: "f_": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'))"}},
             {"A default of metadata of a wrong type", R"({"type":"object","properties":{"p":{"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{"a":1}}}}},"x-kubernetes-embedded-resource":true}}})", {R"(properties[p].properties[metadata].properties[labels].default: Invalid value: {"a":1}: must result in valid metadata: metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string)"}}};

const Row kEmbeddedRows[] = {
    {"A list of embedded resources ends at the first that is wrong",
     R"({"type":"object","properties":{"p":{"type":"array","items":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"type":"object"},"default":[{"apiVersion":"v1","kind":"Foo","metadata":{"foo":1}},{"apiVersion":"v1","kind":1},{"apiVersion":1}]}}})",
     {"properties[p].default[1].kind: Invalid value: 1: must be a string"}},
    {"Unknown metadata in a list of embedded resources vanishes",
     R"({"type":"object","properties":{"p":{"type":"array","items":{"x-kubernetes-embedded-resource":true,"type":"object","properties":{"metadata":{"type":"object","maxProperties":1}}},"default":[{"apiVersion":"v1","kind":"Foo","metadata":{"name":"a","foo":1}}]}}})",
     {}},
    {"A bad value shows what is left of its metadata",
     R"({"type":"object","properties":{"p":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"}},"default":{"apiVersion":"v1","kind":"Foo","metadata":{"name":"a","bogus":1,"creationTimestamp":null},"bad":1}}}})",
     {R"(properties[p].default: Invalid value: {"apiVersion":"v1","bad":1,"kind":"Foo","metadata":{"name":"a"}}: must not have unknown fields)"}},
    {"Several faults of a name are in the server's order",
     R"({"type":"object","properties":{"p":{"type":"object","properties":{"metadata":{"type":"object","default":{"name":"%/","labels":{"a":"-"},"finalizers":["-"],"generateName":"/"},"properties":{"name":{"type":"string"},"generateName":{"type":"string"},"labels":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"finalizers":{"type":"array","items":{"type":"string"}}}}},"x-kubernetes-embedded-resource":true}}})",
     {R"x(properties[p].properties[metadata].default: Invalid value: {"finalizers":["-"],"generateName":"/","labels":{"a":"-"},"name":"%/"}: must result in valid metadata: [metadata.generateName: Invalid value: "/": may not contain '/', metadata.name: Invalid value: "%/": may not contain '/', metadata.name: Invalid value: "%/": may not contain '%', metadata.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), metadata.finalizers: Invalid value: "-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')])x"}}};

std::vector<meta::FieldError> Validate(const TestSchema& schema, std::string_view path,
                                       bool require_pruned) {
  PatternChecks patterns([] { return std::chrono::seconds(0); });
  return ValidateDefaults(schema.props, path, {.require_pruned = require_pruned}, patterns);
}

TEST_CASE("Defaults are refused for what the API server refuses them for", "[defaults]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.name) {
      const TestSchema schema(row.schema);
      CHECK(meta::SortedStrings(Validate(schema, "", /*require_pruned=*/true)) == row.errors);
    }
  }
}

// Coerce goes through lists and changes the default, which errors quote only at the end
// (schema/objectmeta/algorithm.go, schema/defaulting/validation.go).
TEST_CASE("Defaults that hold embedded resources are coerced first", "[defaults]") {
  for (const Row& row : kEmbeddedRows) {
    DYNAMIC_SECTION(row.name) {
      const TestSchema schema(row.schema);
      CHECK(meta::SortedStrings(Validate(schema, "", /*require_pruned=*/true)) == row.errors);
    }
  }
}

TEST_CASE("A default of the whole resource needs its type", "[defaults]") {
  const TestSchema schema(R"({"type":"object","default":{}})");
  CHECK(meta::SortedStrings(Validate(schema, "p", true)) ==
        std::vector<std::string>{"p.default.apiVersion: Required value",
                                 "p.default.kind: Required value"});
}

TEST_CASE("Unknown fields in a default may stay where they were", "[defaults]") {
  const TestSchema schema(
      R"({"type":"object","properties":{"p":{"type":"object","default":{"x":1}}}})");
  CHECK(Validate(schema, "", /*require_pruned=*/false).empty());
  CHECK(HasUnprunedDefaults(schema.props));
}

TEST_CASE("A default that pruning leaves alone is pruned", "[defaults]") {
  const TestSchema schema(R"({"type":"object","properties":{
      "p":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{"x":1}}}})");
  CHECK(!HasUnprunedDefaults(schema.props));
}

}  // namespace default_validation_test
}  // namespace kube::schema
