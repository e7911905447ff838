#include "kube/meta/type_meta.h"

#include <catch2/catch.hpp>

#include "tests/support/structural_text.h"

namespace kube::meta {
namespace {

using test::ParseOrThrow;

TEST_CASE("An apiVersion has at most one slash", "[type_meta]") {
  const auto [text, group, version] = GENERATE(table<std::string, std::string, std::string>({
      {"example.com/v1", "example.com", "v1"},
      {"v1", "", "v1"},
      {"example.com/", "example.com", ""},
      {"/v1", "", "v1"},
      {"", "", ""},
      {"/", "", ""},
  }));
  const auto parsed = ParseGroupVersion(text);
  REQUIRE(parsed);
  CHECK(parsed->group == group);
  CHECK(parsed->version == version);
  CHECK(ParseGroupVersion("a/b/c").error() == "unexpected GroupVersion string: a/b/c");
}

TEST_CASE("A request's apiVersion and kind must be strings, whatever their case", "[type_meta]") {
  constexpr char kPrefix[] = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  const auto [body, error] = GENERATE(table<std::string, std::string>({
      {R"({"kind": 5})", "number into Go struct field .kind of type string"},
      {R"({"Kind": {}, "kind": "K"})", "object into Go struct field .kind of type string"},
      {R"({"kind": "K", "APIVERSION": [1]})",
       "array into Go struct field .apiVersion of type string"},
      {R"({"apiVersion": true, "kind": 1})",
       "bool into Go struct field .apiVersion of type string"},
      {R"(["kind"])",
       R"(array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
       R"(Kind string "json:\"kind,omitempty\"" })"},
  }));
  json::Document document;
  CHECK(RequestTypeError(ParseOrThrow(body, document)) == kPrefix + error);
}

TEST_CASE("Absent and null types of a request are no error yet", "[type_meta]") {
  json::Document document;
  CHECK_FALSE(RequestTypeError(ParseOrThrow("{}", document)));
  CHECK_FALSE(RequestTypeError(ParseOrThrow("null", document)));
  CHECK_FALSE(RequestTypeError(ParseOrThrow(R"({"kind": null, "apiVersion": null})", document)));
  CHECK(RequestTypeError(ParseOrThrow(R"({"apiVersion": "a/b/c"})", document)) ==
        "unexpected GroupVersion string: a/b/c");
}

TEST_CASE("What is no string is named by its Go type", "[type_meta]") {
  const auto [value, text] = GENERATE(table<std::string, std::string>({
      {"5", "5 is of the type int64"},
      {"1.5", "1.5 is of the type float64"},
      {"null", "<nil> is of the type <nil>"},
      {"true", "true is of the type bool"},
      {R"([1, ["a"], null])", "[1 [a] <nil>] is of the type []interface {}"},
      {R"({"b": {}, "a": [2]})", "map[a:[2] b:map[]] is of the type map[string]interface {}"},
  }));
  json::Document document;
  const json::Value object = ParseOrThrow("{\"k\": " + value + "}", document);
  CHECK(NestedString(object, "k").error() == ".k accessor error: " + text + ", expected string");
}

TEST_CASE("A string that is absent is no error", "[type_meta]") {
  json::Document document;
  const json::Value object = ParseOrThrow(R"({"k": "v"})", document);
  CHECK(*NestedString(object, "k") == "v");
  CHECK(*NestedString(object, "x") == std::nullopt);
}

TEST_CASE("An object says nothing of itself where its apiVersion cannot be read", "[type_meta]") {
  json::Document document;
  CHECK(TypeOf(ParseOrThrow(R"({"apiVersion": "g/v", "kind": "K"})", document)).ToString() ==
        "g/v, Kind=K");
  CHECK(TypeOf(ParseOrThrow(R"({"apiVersion": "a/b/c", "kind": "K"})", document)).kind.empty());
  CHECK(TypeOf(ParseOrThrow(R"({"apiVersion": 5, "kind": "K"})", document)).ToString() ==
        "/, Kind=K");
}

}  // namespace
}  // namespace kube::meta
