#include "migrate/check/hints.h"

#include <catch2/catch.hpp>

namespace migrate::check {
namespace hints_test {

std::string HintFor(kube::meta::ErrorType type, std::string field, std::string detail) {
  return Hint({type, std::move(field), "", std::move(detail)});
}

const std::string kBase = "spec.versions[0].schema.openAPIV3Schema";

TEST_CASE("A hint names the field that the schema is of", "[schema][hints]") {
  const std::string detail = "must not be empty for specified object fields";
  const auto [path, name] = GENERATE(table<std::string, std::string>({
      {"properties[spec].type", "spec"},
      {"properties[spec].properties[a.b/c[0]].type", "a.b/c[0]"},
      {"properties[m].additionalProperties.type", "the values of m"},
      {"properties[l].items.items.type", "the items of the items of l"},
      {"items.type", "the items of the root"},
      {kBase + ".additionalProperties.type", "the values of the root"},
      {kBase + ".properties[foo].anyOf[0].type", "foo"},
  }));
  CHECK(HintFor(kube::meta::ErrorType::kRequired, path, detail) ==
        "give " + name +
            " a type: \"type: object\" where it has properties, else that of what objects hold");
}

TEST_CASE("A hint for a value validation names what to move where", "[schema][hints]") {
  CHECK(HintFor(kube::meta::ErrorType::kForbidden, "properties[foo].anyOf[1].nullable",
                "must be false to be structural") == "move nullable out of anyOf to foo itself");
  CHECK(HintFor(kube::meta::ErrorType::kForbidden, "properties[foo].allOf[0].not.type",
                "must be empty to be structural") ==
        "move type out of not to foo itself; for an integer or a string set "
        "x-kubernetes-int-or-string: true there");
}

TEST_CASE("A hint for an incomplete schema names the missing field", "[schema][hints]") {
  CHECK(HintFor(kube::meta::ErrorType::kRequired, kBase + ".properties[bar]",
                "because it is defined in " + kBase + ".oneOf[0].properties[bar]") ==
        "specify bar outside of oneOf too, with its type: oneOf can only restrict it");
}

TEST_CASE("A hint for a rule that does not compile follows the compiler's first error",
          "[schema][hints]") {
  const std::string place = kBase + ".properties[spec].x-kubernetes-validations[0].";
  const std::string last = GENERATE("rule", "messageExpression");
  const auto hint = [&](const std::string& error) {
    const std::string begin = last == "rule" ? "c" : "messageExpression c";
    return HintFor(kube::meta::ErrorType::kInvalid, place + last,
                   begin + "ompilation failed: ERROR: <input>:1:5: " + error);
  };
  CHECK(hint("undefined field 'a{owner}'\n | self.a") ==
        "no schema specifies a{owner}: specify it, or correct the expression");
  CHECK(hint("undeclared reference to 'min' (in container '')") ==
        "there is no variable and no function min: correct the expression of spec; fields are "
        "those of self");
  CHECK(hint("found no matching overload for '_<_' applied to '(int, string)'") ==
        "the operands have types that do not go together: convert one, as by int(), double() or "
        "string()");
  CHECK(hint("found no matching overload for 'startsWith' applied to 'string.()'") ==
        "startsWith() takes other arguments than these");
  CHECK(hint("found no matching overload for '_<_' applied to '(int, string)'\n | self.a < "
             "undefined field 'x'\nERROR: <input>:1:9: undefined field 'b'") ==
        hint("found no matching overload for '_+_' applied to '(int, string)'"));
  CHECK(hint("Syntax error: mismatched input") ==
        "correct the syntax of the CEL expression, where the caret is");
  CHECK(hint("something new") == "correct the CEL expression");
}

TEST_CASE("Names from the CRD are not taken for parts of the hint", "[schema][hints]") {
  CHECK(HintFor(kube::meta::ErrorType::kRequired, "properties[{owner}].type",
                "must not be empty for specified object fields") ==
        "give {owner} a type: \"type: object\" where it has properties, else that of what objects "
        "hold");
  CHECK(HintFor(kube::meta::ErrorType::kRequired, "properties[a]].type", "x") == "set type");
  CHECK(HintFor(kube::meta::ErrorType::kInvalid, "", "x").empty());
}

TEST_CASE("Where objects tell the type, the hint is what they hold", "[schema][hints]") {
  kube::suggest::Observations seen;
  kube::json::Document one, other;
  REQUIRE_FALSE(one.Parse(
      R"({"spec": {"mode": "a", "port": 1, "any": true, "list": [{"x": 1}], "map": {"k": 1.5}}})"));
  REQUIRE_FALSE(other.Parse(R"({"spec": {"mode": null, "port": "b", "any": 1, "words": ["w"]}})"));
  seen.Add(one.root());
  seen.Add(other.root());
  const auto hint = [&seen](const std::string& path, const std::string& message) {
    return HintByObjects(kBase + path, kBase + path + ": Required value: " + message, seen.root());
  };
  const std::string empty = "must not be empty for specified object fields";
  CHECK(hint(".properties[spec].properties[mode].type", empty) ==
        "give mode a type: \"type: string\", as in 2 objects");
  CHECK(hint(".properties[spec].properties[port].type", empty) ==
        "give port a type: \"x-kubernetes-int-or-string: true\", as in 2 objects");
  CHECK(hint(".properties[spec].properties[any].type", empty) ==
        "any is boolean, integer in 2 objects: x-kubernetes-preserve-unknown-fields: true in the "
        "place of a type takes any value");
  CHECK(hint(".properties[spec].type", empty) ==
        "give spec a type: \"type: object\", as in 2 objects; kubectl prune suggest prints what is "
        "below");
  CHECK(hint(".properties[spec].properties[map].additionalProperties.type", empty) ==
        "give the values of map a type: \"type: number\", as in 1 object");
  CHECK(hint(".properties[spec].properties[words].items", "must be specified") ==
        "say what words holds: \"items: {type: string}\", as in 1 object");
  CHECK(hint(".properties[spec].properties[list].items", "must be specified") ==
        "say what list holds: \"items: {type: object}\", as in 1 object; kubectl prune suggest "
        "prints "
        "what is below");
  CHECK(hint(".properties[spec].properties[unseen].type", empty).empty());
  CHECK(hint(".properties[spec].properties[mode].nullable", "must be false").empty());
}

struct Finding {
  kube::meta::ErrorType type;
  const char* field;
  const char* detail;
};

// The details of pkg/apiserver/schema and pkg/apis/apiextensions/validation that concern schemas
// and pruning.
constexpr Finding kFindings[] = {
    {kube::meta::ErrorType::kRequired, "items", "must be specified"},
    {kube::meta::ErrorType::kRequired, "type", "must not be empty at the root"},
    {kube::meta::ErrorType::kRequired, "items.type", "must not be empty for specified array items"},
    {kube::meta::ErrorType::kInvalid, "type", "must be object at the root"},
    {kube::meta::ErrorType::kRequired, "type",
     "must be object if x-kubernetes-embedded-resource is true"},
    {kube::meta::ErrorType::kRequired, "properties",
     "must not be empty if x-kubernetes-embedded-resource is true without "
     "x-kubernetes-preserve-unknown-fields"},
    {kube::meta::ErrorType::kForbidden, "additionalProperties",
     "must not be used if x-kubernetes-embedded-resource is set"},
    {kube::meta::ErrorType::kForbidden, "additionalProperties", "must not be used at the root"},
    {kube::meta::ErrorType::kInvalid, "x-kubernetes-preserve-unknown-fields",
     "must be false if x-kubernetes-int-or-string is true"},
    {kube::meta::ErrorType::kInvalid, "x-kubernetes-embedded-resource",
     "must be false if x-kubernetes-int-or-string is true"},
    {kube::meta::ErrorType::kInvalid, "properties[kind].type", "must be string"},
    {kube::meta::ErrorType::kInvalid, "properties[metadata].type", "must be object"},
    {kube::meta::ErrorType::kForbidden, "properties[metadata]",
     "must not specify anything other than name and generateName, but metadata is implicitly "
     "specified"},
    {kube::meta::ErrorType::kInvalid, "pattern",
     "must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: `[`"},
    {kube::meta::ErrorType::kForbidden, "anyOf[0].x-kubernetes-list-type",
     "must be undefined to be structural"},
    {kube::meta::ErrorType::kForbidden, "anyOf[0].properties[metadata]",
     "must not be specified in a nested context"},
    {kube::meta::ErrorType::kForbidden, "nullable", "nullable cannot be true at the root"},
    {kube::meta::ErrorType::kInvalid, "type",
     "only \"object\" is allowed as the type at the root of the schema if the status subresource "
     "is enabled"},
    {kube::meta::ErrorType::kInvalid, "spec.validation.openAPIV3Schema",
     "only [Description Type] fields are allowed at the root of the schema if the status "
     "subresource is enabled"},
    {kube::meta::ErrorType::kNotSupported, "type", "supported values: \"array\", \"boolean\""},
    {kube::meta::ErrorType::kForbidden, "type",
     "type cannot be set to null, use nullable as an alternative"},
    {kube::meta::ErrorType::kForbidden, "uniqueItems",
     "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
    {kube::meta::ErrorType::kForbidden, "additionalProperties",
     "additionalProperties and properties are mutual exclusive"},
    {kube::meta::ErrorType::kInvalid, "x-kubernetes-preserve-unknown-fields",
     "must be true or undefined"},
    {kube::meta::ErrorType::kForbidden, "$ref", "$ref is not supported"},
    {kube::meta::ErrorType::kForbidden, "id", "id is not supported"},
    {kube::meta::ErrorType::kForbidden, "additionalItems", "additionalItems is not supported"},
    {kube::meta::ErrorType::kForbidden, "patternProperties", "patternProperties is not supported"},
    {kube::meta::ErrorType::kForbidden, "definitions", "definitions is not supported"},
    {kube::meta::ErrorType::kForbidden, "dependencies", "dependencies is not supported"},
    {kube::meta::ErrorType::kForbidden, "items", "items must be a schema object and not an array"},
    {kube::meta::ErrorType::kForbidden, "x-kubernetes-embedded-resource",
     "must not be used inside of resource meta"},
    {kube::meta::ErrorType::kInvalid, "type",
     "must be array if x-kubernetes-list-type is specified"},
    {kube::meta::ErrorType::kNotSupported, "x-kubernetes-list-type",
     "supported values: \"atomic\""},
    {kube::meta::ErrorType::kInvalid, "items.x-kubernetes-map-type",
     "must be atomic as item of a list with x-kubernetes-list-type=set"},
    {kube::meta::ErrorType::kInvalid, "items.x-kubernetes-list-type",
     "must be atomic as item of a list with x-kubernetes-list-type=set"},
    {kube::meta::ErrorType::kForbidden, "items.nullable",
     "cannot be nullable when x-kubernetes-list-type is set"},
    {kube::meta::ErrorType::kRequired, "x-kubernetes-list-map-keys",
     "must not be empty if x-kubernetes-list-type is map"},
    {kube::meta::ErrorType::kRequired, "x-kubernetes-list-type",
     "must be map if x-kubernetes-list-map-keys is non-empty"},
    {kube::meta::ErrorType::kRequired, "items",
     "must have a schema if x-kubernetes-list-type is map"},
    {kube::meta::ErrorType::kInvalid, "items.type",
     "must be object if parent array's x-kubernetes-list-type is map"},
    {kube::meta::ErrorType::kInvalid, "items.properties[a].type",
     "must be a scalar type if parent array's x-kubernetes-list-type is map"},
    {kube::meta::ErrorType::kInvalid, "x-kubernetes-list-map-keys",
     "entries must all be names of item properties"},
    {kube::meta::ErrorType::kInvalid, "x-kubernetes-list-map-keys",
     "must not contain duplicate entries"},
    {kube::meta::ErrorType::kRequired, "items.properties[a].default",
     "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required "
     "property"},
    {kube::meta::ErrorType::kForbidden, "items.properties[a].nullable",
     "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"},
    {kube::meta::ErrorType::kInvalid, "type",
     "must be object if x-kubernetes-map-type is specified"},
    {kube::meta::ErrorType::kInvalid, "default", "must not have unknown fields"},
    {kube::meta::ErrorType::kInvalid, "default", " in body must be of type string: \"integer\""},
    {kube::meta::ErrorType::kRequired, "default.apiVersion", ""},
    {kube::meta::ErrorType::kInvalid, "default.metadata",
     "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"},
    {kube::meta::ErrorType::kForbidden, "default", "must not be set in top-level metadata"},
    {kube::meta::ErrorType::kForbidden, "default",
     "must not be set inside additionalProperties applying to object metadata"},
    {kube::meta::ErrorType::kForbidden, "default",
     "must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use "
     "apiextensions.k8s.io/v1)"},
    {kube::meta::ErrorType::kRequired, "x-kubernetes-validations[0].rule", "rule is not specified"},
    {kube::meta::ErrorType::kInvalid, "x-kubernetes-validations[0].rule",
     "compilation failed: ERROR"},
    {kube::meta::ErrorType::kInternal, "x-kubernetes-validations",
     "unable to convert structural schema to CEL declarations"},
    {kube::meta::ErrorType::kInvalid, "spec.preserveUnknownFields",
     "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
     "spec.versions[*].schema instead"},
    {kube::meta::ErrorType::kInvalid, "spec.preserveUnknownFields",
     "must be false in order to use defaults in the schema"},
    {kube::meta::ErrorType::kInvalid, "spec.preserveUnknownFields", "must be false"},
    {kube::meta::ErrorType::kRequired, "spec.versions[0].schema.openAPIV3Schema", ""},
    {kube::meta::ErrorType::kRequired, "spec.versions[0].schema.openAPIV3Schema",
     "because otherwise all fields are pruned"},
    {kube::meta::ErrorType::kInvalid, "spec.conversion.strategy",
     "must be None if spec.preserveUnknownFields is true"},
    {kube::meta::ErrorType::kForbidden, "spec.validation",
     "top-level and per-version schemas are mutually exclusive"},
    {kube::meta::ErrorType::kInvalid, "spec.versions",
     "per-version schemas may not all be set to identical values (top-level validation should be "
     "used instead)"},
};

TEST_CASE("Every finding about schemas and pruning has a hint", "[schema][hints]") {
  for (const Finding& finding : kFindings) {
    CAPTURE(finding.field, finding.detail);
    const std::string hint = HintFor(finding.type, finding.field, finding.detail);
    REQUIRE(!hint.empty());
    CHECK(hint.find('\n') == std::string::npos);
    for (const char* placeholder : {"{owner}", "{self}", "{last}", "{junctor}"}) {
      CHECK(hint.find(placeholder) == std::string::npos);
    }
    CHECK(hint.back() != '.');
    CHECK((hint[0] >= 'a' && hint[0] <= 'z'));
  }
}

TEST_CASE("Every conversion error has a hint", "[schema][hints]") {
  const std::string keyword = GENERATE("id", "schema", "$ref", "patternProperties", "dependencies",
                                       "additionalItems", "definitions");
  CHECK(!ConversionHint("OpenAPIV3Schema '" + keyword + "' is not supported").empty());
  CHECK(ConversionHint("OpenAPIV3Schema 'items' must be a schema, but is an array") ==
        "give arrays one schema under items that holds for every element");
  CHECK(!ConversionHint("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or "
                        "undefined")
             .empty());
  CHECK(ConversionHint("something else").empty());
}

}  // namespace hints_test
}  // namespace migrate::check
