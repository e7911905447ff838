#include "kube/schema/rule_validation.h"

#include <catch2/catch.hpp>

#include "kube/crd/crd_validation.h"
#include "kube/schema/object_validation.h"
#include "tests/support/test_schema.h"

using kube::schema::RuleOutcome;
using kube::schema::RuleValidator;

namespace {

/// A schema with rules, beside values that are held against it.
class World {
 public:
  explicit World(std::string_view schema)
      : schema_(schema), rules_(RuleValidator::Make(schema_.props, true)) {}

  bool has_rules() const { return rules_ != nullptr; }

  std::vector<std::string> Create(std::string_view text) { return Texts(Run(text, {})); }
  std::vector<std::string> Update(std::string_view text, std::string_view old) {
    return Texts(Run(text, {.old = &Parse(old)}));
  }
  RuleOutcome Ratchet(std::string_view text, std::string_view old) {
    return Run(text, {.old = &Parse(old), .ratchets = true});
  }

 private:
  const kube::json::Value& Parse(std::string_view text) {
    auto& document = documents_.emplace_back(std::make_unique<kube::json::Document>());
    REQUIRE_FALSE(document->Parse(text));
    return document->root();
  }
  RuleOutcome Run(std::string_view text, const kube::schema::RuleUpdate& update) {
    return rules_->Validate(Parse(text), "", update);
  }
  static std::vector<std::string> Texts(const RuleOutcome& outcome) {
    return kube::meta::SortedStrings(outcome.errors);
  }

  support::TestSchema schema_;
  std::unique_ptr<RuleValidator> rules_;
  std::vector<std::unique_ptr<kube::json::Document>> documents_;
};

using Strings = std::vector<std::string>;

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

// The texts are those of apiextensions pkg/apiserver/schema/cel/validation.go, with what
// cel_objects.jsonl shows of it.

TEST_CASE("A schema without rules has no validator, nor has one with rules below allOf alone",
          "[schema][cel]") {
  CHECK_FALSE(World(R"({"type": "object"})").has_rules());
  CHECK_FALSE(
      World(R"({"type": "object", "allOf": [{"x-kubernetes-validations": [{"rule": "false"}]}]})")
          .has_rules());
}

TEST_CASE("A rule that fails is told by its message, reason and field", "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {"spec": {"type": "object",
      "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
      "x-kubernetes-validations": [
        {"rule": "self.a > 1"},
        {"rule": "self.a > 2", "message": " too small "},
        {"rule": "self.a > 3", "messageExpression": "'not ' + string(self.a)"},
        {"rule": "self.a > 4", "messageExpression": "'a\\nb'", "message": "fallback"},
        {"rule": "self.a > 5", "reason": "FieldValueForbidden", "fieldPath": ".b"}]
}
}
})json");
  CHECK(world.Create(R"({"spec": {"a": 1}})") ==
        Strings{"spec.b: Forbidden: failed rule: self.a > 5",
                "spec: Invalid value: failed rule: self.a > 1", "spec: Invalid value: fallback",
                "spec: Invalid value: not 1", "spec: Invalid value: too small"});
  CHECK(world.Create(R"({"spec": {"a": 6}})").empty());
  CHECK(world.Create(R"({"spec": null})").empty());
}

TEST_CASE("Names are escaped, and what has no name stays out of sight", "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {"a.b": {"type": "string"},
      "in": {"type": "boolean"}, "x y": {"type": "object", "properties": {"z": {"type": "integer"}},
      "x-kubernetes-validations": [{"rule": "self.z == 1"}]}},
      "x-kubernetes-validations": [{"rule": "self.a__dot__b == 'x' && self.__in__"}]})json");
  CHECK(world.Create(R"({"a.b": "x", "in": true, "x y": {"z": 1}})").empty());
  CHECK(world.Create(R"({"a.b": "x", "in": true, "x y": {"z": 2}})") ==
        Strings{"x y: Invalid value: failed rule: self.z == 1"});
  CHECK(world.Create(R"({"a.b": "x"})") ==
        Strings{R"(<nil>: Invalid value: "object": no such key: __in__ evaluating rule: )"
                "self.a__dot__b == 'x' && self.__in__"});
}

TEST_CASE("Sets and lists of type map are compared without their order", "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {
      "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"},
              "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "set"}]},
      "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
              "items": {"type": "object", "properties": {"k": {"type": "string"},
                                                         "v": {"type": "integer"}}},
              "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "map"}]},
      "list": {"type": "array", "items": {"type": "string"},
               "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "list"}]}}})json");
  CHECK(
      world.Update(
          R"({"set": ["a", "b"], "map": [{"k": "x", "v": 1}, {"k": "y"}], "list": ["a", "b"]})",
          R"({"set": ["b", "a"], "map": [{"k": "y"}, {"k": "x", "v": 1}], "list": ["b", "a"]})") ==
      Strings{"list: Invalid value: list"});
  CHECK(world.Update(R"({"set": ["a"], "map": [{"k": "x", "v": 1}]})",
                     R"({"set": ["b"], "map": [{"k": "x", "v": 2}]})") ==
        Strings{"map: Invalid value: map", "set: Invalid value: set"});
}

TEST_CASE("Transition rules need a value before, unless they say otherwise", "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {
      "a": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
      "b": {"type": "string", "x-kubernetes-validations": [
        {"rule": "oldSelf.hasValue() || self == 'new'", "optionalOldSelf": true}]}}})json");
  CHECK(world.Create(R"({"a": "x", "b": "old"})") ==
        Strings{R"(b: Invalid value: "old": failed rule: oldSelf.hasValue() || self == 'new')"});
  CHECK(world.Update(R"({"a": "x", "b": "old"})", R"({"a": "y", "b": "z"})") ==
        Strings{R"(a: Invalid value: "x": failed rule: self == oldSelf)"});
}

// What follows was seen of a server of 1.36 (tests/cel/differential.py).

TEST_CASE("A messageExpression is given the value before only beside a rule that names it",
          "[schema][cel]") {
  World alone(R"json({"type": "string", "x-kubernetes-validations": [
      {"rule": "false", "messageExpression": "'was ' + oldSelf", "message": "fallback"}]})json");
  CHECK(alone.Update(R"("b")", R"("a")") == Strings{"<nil>: Invalid value: \"b\": fallback"});
  World beside(R"json({"type": "string", "x-kubernetes-validations": [
      {"rule": "self == oldSelf", "messageExpression": "'was ' + oldSelf"}]})json");
  CHECK(beside.Update(R"("b")", R"("a")") == Strings{"<nil>: Invalid value: \"b\": was a"});
  World optional(R"json({"type": "string", "x-kubernetes-validations": [
      {"rule": "!oldSelf.hasValue()", "optionalOldSelf": true,
       "messageExpression": "'was ' + oldSelf.value()", "message": "fallback"}]})json");
  CHECK(optional.Update(R"("b")", R"("a")") == Strings{"<nil>: Invalid value: \"b\": fallback"});
}

TEST_CASE("Texts of the format byte are read by another alphabet than they are validated by",
          "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {"a": {"type": "string", "format": "byte"}},
      "x-kubernetes-validations": [{"rule": "has(self.a)"}]})json");
  CHECK(world.Create(R"({"a": "YWJj"})").empty());
  CHECK(world.Create(R"({"a": "/wA="})") ==
        Strings{"<nil>: Invalid value: \"object\": Invalid byte formatted string /wA=: illegal "
                "base64 data at input byte 0 evaluating rule: has(self.a)"});
}

TEST_CASE("Sets of bytes cannot be compared", "[schema][cel]") {
  World world(R"json({"type": "array", "x-kubernetes-list-type": "set",
      "items": {"type": "string", "format": "byte"},
      "x-kubernetes-validations": [{"rule": "self == self"}]})json");
  CHECK(world.Create("[]").empty());
  CHECK(world.Create(R"(["YWJj"])") ==
        Strings{"<nil>: Invalid value: \"array\": internal error: runtime error: hash of "
                "unhashable type []uint8 evaluating rule: self == self"});
}

TEST_CASE("What is added to a list of an object is read by its schema again", "[schema][cel]") {
  const auto said = [](std::string_view list, std::string_view rule, std::string_view value) {
    World world(R"({"type": "object", "properties": {"x": {"type": "array", )" + std::string(list) +
                R"(}}, "x-kubernetes-validations": [{"rule": ")" + std::string(rule) + R"("}]})");
    const Strings errors = world.Create(R"({"x": )" + std::string(value) + "}");
    return errors.empty() ? "" : errors.front().substr(0, errors.front().find(" evaluating"));
  };
  constexpr std::string_view kDates = R"("items": {"type": "string", "format": "date"})";
  constexpr std::string_view kSet =
      R"("x-kubernetes-list-type": "set", "items": {"type": "number"})";
  CHECK(said(kSet, "(self.x + self.x)[0] / 2.0 > 0.1", "[1]").empty());
  CHECK(said(kSet, "(self.x + self.x).size() == 2", "[1]").empty());
  CHECK(said(kDates, "(self.x + self.x).all(d, d.getFullYear() == 2020)", R"(["2020-01-01"])") ==
        R"(<nil>: Invalid value: "object": invalid data, expected string, got time.Time)");
  CHECK(said(R"("items": {"x-kubernetes-int-or-string": true})", "(self.x + [1.0]).all(d, d == 1)",
             "[1]") ==
        R"(<nil>: Invalid value: "object": invalid data, expected XIntOrString value to be )"
        "either a string or integer");
  constexpr std::string_view kLists = R"("items": {"type": "array", "items": {"type": "string"}})";
  CHECK(said(kLists, "(self.x + self.x).all(d, d == ['a'])", R"([["a"]])").empty());
  CHECK(said(kLists, "(self.x + [['a']]).all(d, d == ['a'])", R"([["a"]])") ==
        R"(<nil>: Invalid value: "object": invalid data, expected an array for the provided )"
        "schema with type=array");
}

TEST_CASE("Values of an object are compared, searched and printed as the server has them",
          "[schema][cel]") {
  const auto said = [](std::string_view rule) {
    World world(R"({"type": "object", "properties": {
        "l": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "object", "properties": {"a": {"type": "string"}}},
        "p": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "n": {"x-kubernetes-int-or-string": true}},
        "x-kubernetes-validations": [{"rule": ")" +
                std::string(rule) + R"("}]})");
    const Strings errors = world.Create(R"({"l": ["a"], "o": {"a": "x"}, "p": {"b": 1}, "n": 1})");
    if (errors.empty()) return std::string("taken");
    if (errors.front().find("failed rule") != std::string::npos) return std::string("refused");
    const std::string text = errors.front().substr(errors.front().find(": \"object\": ") + 12);
    return text.substr(0, text.find(" evaluating"));
  };
  constexpr std::string_view kNoOverload = "'no such overload': call arguments did not match";
  CHECK_THAT(said("dyn(self.l) == 1"), Catch::StartsWith(std::string(kNoOverload)));
  CHECK(said("dyn(self.l) != 1") == "taken");
  CHECK(said("dyn(self.l) == null") == "refused");
  CHECK(said("[dyn(self.l)] == [dyn(1)]") == "taken");
  CHECK(said("dyn(self.l) in [1, 2]") == "refused");
  CHECK_THAT(said("1 in dyn(self.o)"), Catch::StartsWith(std::string(kNoOverload)));
  CHECK_THAT(said("dyn(self.o)[1] == 1"), Catch::StartsWith(std::string(kNoOverload)));
  CHECK(said("self.n in {1.0: 1}") == "refused");
  CHECK(said("{1.0: 1}[self.n] == 1") == "no such key: 1");
  CHECK(said(R"('%s'.format([dyn(self.o)]) == '{\"a\":\"x\"}')") == "taken");
  CHECK(said("'%s'.format([dyn(self.p)]) == ''") ==
        "internal error: runtime error: invalid memory address or nil pointer dereference");
}

TEST_CASE("Keys of a list of type map are compared by what is printed of four", "[schema][cel]") {
  World world(R"json({"type": "array", "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a", "b", "c", "d"],
      "items": {"type": "object", "properties": {"a": {"x-kubernetes-int-or-string": true},
        "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"}}},
      "x-kubernetes-validations": [{"rule": "self == oldSelf"}]})json");
  CHECK(world.Update(R"([{"a": 1}])", R"([{"a": 1}])").empty());
  CHECK_FALSE(world.Update(R"([{"a": 1}, {"a": "1"}])", R"([{"a": "1"}, {"a": 1}])").empty());
}

TEST_CASE("Regular expressions that an object brings end by their size", "[schema][cel]") {
  World world(R"json({"type": "array", "items": {"type": "string"}, "x-kubernetes-validations": [
      {"rule": "self.all(p, ''.matches('(\\\\pL{30}){30}' + p) || true)"}]})json");
  std::string patterns = "[\"0\"";
  for (int i = 1; i < 1000; ++i) patterns += ",\"" + std::to_string(i) + "\"";
  CHECK(world.Create(patterns + "]").size() == 1);
}

TEST_CASE("What fails and did not change is a warning where the server ratchets", "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {"spec": {"type": "object",
      "properties": {"a": {"type": "string", "x-kubernetes-validations": [{"rule": "self == 'x'"}]},
                     "b": {"type": "integer"}}}}})json");
  const RuleOutcome same =
      world.Ratchet(R"({"spec": {"a": "y", "b": 2}})", R"({"spec": {"a": "y", "b": 1}})");
  CHECK(same.errors.empty());
  CHECK(kube::meta::SortedStrings(same.warnings) ==
        Strings{R"(spec.a: Invalid value: "y": failed rule: self == 'x')"});
  const RuleOutcome other = world.Ratchet(R"({"spec": {"a": "z"}})", R"({"spec": {"a": "y"}})");
  CHECK(kube::meta::SortedStrings(other.errors) ==
        Strings{R"(spec.a: Invalid value: "z": failed rule: self == 'x')"});
}

TEST_CASE("Rules of one object share a budget", "[schema][cel]") {
  World world(R"json({"type": "object", "properties": {"a": {"type": "array", "items": {
      "type": "array", "items": {"type": "integer"},
      "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, y >= 0 && x >= 0))"}]
}
}
}
})json");
  const std::string item = "[" + Repeat("1,", 249) + "1]";
  CHECK(world.Create(R"({"a": [)" + item + "]}").empty());
  const Strings errors = world.Create(R"({"a": [)" + Repeat(item + ",", 39) + item + "]}");
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], Catch::EndsWith("validation failed due to running out of cost budget, "
                                        "no further validation rules will be run"));
}

TEST_CASE("What is nested too deep for a type of CEL is dyn", "[schema][cel]") {
  constexpr int kLevels = 900;
  for (const std::string_view key : {"additionalProperties", "items"}) {
    const std::string type = key == "items" ? "array" : "object";
    const std::string open = R"({"type": ")" + type + R"(", ")" + std::string(key) + "\": ";
    World world(R"({"type": "object", "properties": {"a": {"type": ")" + type +
                R"json(", "x-kubernetes-validations": [{"rule": "size(self) == size(oldSelf)"},
                {"rule": "oldSelf.hasValue() || size(self) == 1", "optionalOldSelf": true}], ")json" +
                std::string(key) + "\": " + Repeat(open, kLevels) + R"({"type": "string"})" +
                Repeat("}", kLevels + 2) + "}");
    const std::string one = key == "items" ? R"({"a": [[]]})" : R"({"a": {"x": {}}})";
    const std::string none = key == "items" ? R"({"a": []})" : R"({"a": {}})";
    CHECK(world.Create(one).empty());
    CHECK(world.Create(none).size() == 1);
    CHECK(world.Update(one, none).size() == 1);
  }
}

TEST_CASE("Errors of the schema keep the rules from being evaluated", "[schema][cel]") {
  const support::TestSchema schema(R"({"type": "object", "required": ["b"],
      "properties": {"a": {"type": "integer", "minimum": 5}, "b": {"type": "string"}},
      "x-kubernetes-validations": [{"rule": "self.a > 10", "message": "small"}]})");
  kube::json::Arena arena;
  const auto structural = kube::schema::MakeStructural(schema.props, arena);
  const auto rules = RuleValidator::Make(schema.props, true);
  kube::schema::PatternChecks patterns = kube::crd::MakePatternChecks();
  const auto errors = [&](std::string_view text) {
    kube::json::Document document;
    REQUIRE_FALSE(document.Parse(text));
    return kube::meta::SortedStrings(kube::schema::ErrorsOfCreate(
        document.root(), {schema.props, structural, rules.get()}, patterns));
  };
  CHECK(errors(R"({"a": 1})") ==
        Strings{"<nil>: Invalid value: null: some validation rules were not checked because the "
                "object was invalid; correct the existing errors to complete validation",
                "a: Invalid value: 1: a in body should be greater than or equal to 5",
                "b: Required value"});
  CHECK(errors(R"({"a": 1, "b": ""})") ==
        Strings{"<nil>: Invalid value: small",
                "a: Invalid value: 1: a in body should be greater than or equal to 5"});
}
