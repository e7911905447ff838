#include "kube/suggest/suggestion.h"

#include <catch2/catch.hpp>

#include "kube/crd/crd_condition.h"

namespace kube::suggest {
namespace suggestion_test {

crd::Crd CrdWith(const std::string& schema, const std::string& api_version = "v1") {
  auto document = std::make_unique<json::Document>();
  REQUIRE_FALSE(document->Parse(R"({"apiVersion":"apiextensions.k8s.io/)" + api_version +
                                R"(","kind":"CustomResourceDefinition","metadata":{"name":"w.g.io"},
      "spec":{"group":"g.io","scope":"Namespaced","names":{"plural":"w","kind":"W"},"versions":[
      {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
                                schema + "}}]}}"));
  auto crd = crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  return *std::move(crd);
}

/// What was suggested, as text.
struct Told {
  std::string schema;
  std::vector<std::string> changes;
};

Told ReportOf(const std::string& schema, const std::vector<std::string>& objects,
              Prefer prefer = Prefer::kFields) {
  Observations seen;
  for (const std::string& object : objects) {
    json::Document document;
    REQUIRE_FALSE(document.Parse(object));
    seen.Add(document.root());
  }
  const crd::Crd crd = CrdWith(schema);
  json::Arena arena;
  const Suggestion suggestion = Suggest(crd, seen.root(), {.prefer = prefer}, arena);
  const auto again = crd::ReadCopiedCrd(suggestion.crd);
  REQUIRE(again);
  for (const crd::VersionProblems& version : FindStructuralProblems(*again)) {
    for (const meta::FieldError& error : version.errors) UNSCOPED_INFO(error.ToString());
    CHECK(version.structural());
  }
  Told told{.schema = json::Print(
                *FindByPointer(suggestion.crd, "/spec/versions/0/schema/openAPIV3Schema")),
            .changes = {}};
  for (const SchemaChange& change : suggestion.changes) {
    told.changes.push_back(change.place.path + ": " + change.text);
  }
  return told;
}

// Of a field `x` of the whole object, of which the schema says nothing.
std::string SchemaOf(const std::vector<std::string>& values, Prefer prefer = Prefer::kFields) {
  std::vector<std::string> objects;
  for (const std::string& value : values) objects.push_back(R"({"x":)" + value + "}");
  const std::string whole = ReportOf(R"({"type":"object"})", objects, prefer).schema;
  const std::string before = R"({"properties":{"x":)", behind = R"(},"type":"object"})";
  REQUIRE(whole.starts_with(before));
  REQUIRE(whole.ends_with(behind));
  return whole.substr(before.size(), whole.size() - before.size() - behind.size());
}

TEST_CASE("Fields get the type that was seen", "[kube][suggest]") {
  CHECK(SchemaOf({R"("a")", R"("b")"}) == R"({"type":"string"})");
  CHECK(SchemaOf({"1", "2"}) == R"({"type":"integer"})");
  CHECK(SchemaOf({"1.0"}) == R"({"type":"integer"})");
  CHECK(SchemaOf({"1", "2.5"}) == R"({"type":"number"})");
  CHECK(SchemaOf({"true"}) == R"({"type":"boolean"})");
  CHECK(SchemaOf({"80", R"("http")", R"("25%")"}) == R"({"x-kubernetes-int-or-string":true})");
  CHECK(SchemaOf({R"("a")", "null"}) == R"({"nullable":true,"type":"string"})");
  CHECK(SchemaOf({"null"}) == R"({"nullable":true,"x-kubernetes-preserve-unknown-fields":true})");
  CHECK(SchemaOf({"true", R"("a")"}) == R"({"x-kubernetes-preserve-unknown-fields":true})");
  CHECK(SchemaOf({R"({"a":1})", R"("a")"}) == R"({"x-kubernetes-preserve-unknown-fields":true})");
  CHECK(SchemaOf({"[1,2]"}) == R"({"items":{"type":"integer"},"type":"array"})");
  CHECK(SchemaOf({"[]"}) ==
        R"({"items":{"x-kubernetes-preserve-unknown-fields":true},"type":"array"})");
  CHECK(SchemaOf({"{}"}) == R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
}

TEST_CASE("Records get properties, and maps one schema for all keys", "[kube][suggest]") {
  CHECK(SchemaOf({R"({"a":1,"b":"x"})", R"({"a":2})"}) ==
        R"({"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"type":"object"})");
  const std::string map = R"({"additionalProperties":{"type":"string"},"type":"object"})";
  SECTION("by keys that are no names of fields") {
    CHECK(SchemaOf({R"({"app.kubernetes.io/name":"x"})"}) == map);
    CHECK(SchemaOf({R"({"my-key":"x","b":"y"})"}) == map);
  }
  SECTION("by many keys, of which each is in few objects") {
    CHECK(SchemaOf({R"({"a":"x","b":"x"})", R"({"c":"x","d":"x"})", R"({"e":"x","f":"x"})"}) ==
          map);
  }
  SECTION("by more keys than records have, beyond those that are told apart, too") {
    const std::size_t count = GENERATE(30, 300, 2000);
    std::string keys;
    for (std::size_t i = 0; i < count; ++i) {
      keys += (i == 0 ? "" : ",") + ("\"key" + std::to_string(i)) + R"(":"x")";
    }
    CHECK(SchemaOf({"{" + keys + "}"}) == map);
  }
  SECTION("not by keys of different types") {
    CHECK(SchemaOf({R"({"my-key":"x","b":1.5})"}) ==
          R"({"properties":{"b":{"type":"number"},"my-key":{"type":"string"}},"type":"object"})");
  }
}

TEST_CASE("A map that the schema leaves empty becomes one", "[kube][suggest]") {
  CHECK(ReportOf(R"({"type":"object","properties":{"files":{"type":"object"}}})",
                 {R"({"files":{"a.xml":"x","b.xml":"y"}})"})
            .schema ==
        R"({"properties":{"files":{"additionalProperties":{"type":"string"},"type":"object"}},)"
        R"("type":"object"})");
}

TEST_CASE("Whole resources are embedded ones, if the server takes them as such",
          "[kube][suggest]") {
  CHECK(SchemaOf({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"b":1}})"}) ==
        R"({"type":"object","x-kubernetes-embedded-resource":true,)"
        R"("x-kubernetes-preserve-unknown-fields":true})");
  // It would drop what metadata does not have, and refuse such a name.
  CHECK(SchemaOf({R"({"apiVersion":"v1","kind":"Pod","metadata":{"garbage":"a"}})"}) ==
        R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
  CHECK(SchemaOf({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a/b"}})"}) ==
        R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
}

TEST_CASE("One mark at the highest place, where that is preferred", "[kube][suggest]") {
  CHECK(SchemaOf({R"({"a":{"b":1}})"}, Prefer::kPreserve) ==
        R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
  CHECK(SchemaOf({"1"}, Prefer::kPreserve) == R"({"type":"integer"})");
  CHECK(ReportOf(R"({"type":"object","properties":{"spec":{"type":"object"}}})",
                 {R"({"spec":{"a":1,"b":{"c":2}}})"}, Prefer::kPreserve)
            .schema ==
        R"({"properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},)"
        R"("type":"object"})");
}

TEST_CASE("What is specified stays, and what is not pruned is not specified", "[kube][suggest]") {
  const std::string schema = GENERATE(
      R"({"properties":{"a":{"pattern":"^x","type":"string"}},"type":"object"})",
      R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})",
      R"({"properties":{"m":{"additionalProperties":{"type":"string"},"type":"object"}},"type":"object"})");
  const Told told =
      ReportOf(schema, {R"({"apiVersion":"g.io/v1","kind":"W","metadata":{"name":"x"}})"});
  CHECK(told.schema == schema);
  CHECK(told.changes.empty());
}

TEST_CASE("Objects of another type than the schema's are left to a person", "[kube][suggest]") {
  const Told told =
      ReportOf(R"({"properties":{"a":{"type":"string"}},"type":"object"})", {R"({"a":{"b":1}})"});
  CHECK(told.changes ==
        std::vector<std::string>{"a: the schema says string, and objects hold object"});
}

TEST_CASE("Types that are missing come from the schema, from objects, or stay open",
          "[kube][suggest]") {
  const auto fixed = [](const std::string& node, const std::vector<std::string>& values) {
    std::vector<std::string> objects;
    for (const std::string& value : values) objects.push_back(R"({"x":)" + value + "}");
    return ReportOf(R"({"properties":{"x":)" + node + "}}", objects).schema;
  };
  const auto whole = [](const std::string& node) {
    return R"({"properties":{"x":)" + node + R"(},"type":"object"})";
  };
  CHECK(fixed(R"({"description":"d"})", {}) ==
        whole(R"({"description":"d","x-kubernetes-preserve-unknown-fields":true})"));
  CHECK(fixed(R"({"description":"d"})", {"true"}) ==
        whole(R"({"description":"d","type":"boolean"})"));
  CHECK(fixed(R"({"properties":{"a":{"type":"string"}}})", {}) ==
        whole(R"({"properties":{"a":{"type":"string"}},"type":"object"})"));
  CHECK(fixed(R"({"pattern":"^a"})", {}) == whole(R"({"pattern":"^a","type":"string"})"));
  // A number was valid by a pattern.
  CHECK(fixed(R"({"pattern":"^a"})", {"1"}) == whole(R"({"pattern":"^a","type":"integer"})"));
  CHECK(fixed(R"({"type":"array"})", {}) ==
        whole(R"({"items":{"x-kubernetes-preserve-unknown-fields":true},"type":"array"})"));
  CHECK(
      fixed(R"({"type":"array"})", {R"([{"a":1}])"}) ==
      whole(R"({"items":{"properties":{"a":{"type":"integer"}},"type":"object"},"type":"array"})"));
  CHECK(fixed(R"({"type":"date"})", {}) == whole(R"({"type":"string"})"));
}

struct Nested {
  std::string before, after;
};

TEST_CASE("What may not be nested is said outside, and no valid value becomes invalid",
          "[kube][suggest]") {
  const Nested nested = GENERATE(
      Nested{R"({"anyOf":[{"type":"integer"},{"type":"string"}]})",
             R"({"x-kubernetes-int-or-string":true})"},
      Nested{R"({"anyOf":[{"type":"integer","minimum":1},{"type":"string","pattern":"^a"}]})",
             R"({"minimum":1,"pattern":"^a","x-kubernetes-int-or-string":true})"},
      Nested{
          R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})",
          R"({"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true})"},
      Nested{R"({"oneOf":[{"type":"object"},{"type":"string"}]})",
             R"({"x-kubernetes-preserve-unknown-fields":true})"},
      Nested{R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]})",
             R"({"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object"})"},
      Nested{R"({"allOf":[{"type":"string"},{"pattern":"^a"}]})",
             R"({"allOf":[{"pattern":"^a"}],"type":"string"})"},
      // Of these the second takes numbers, too.
      Nested{R"({"anyOf":[{"type":"string"},{"minimum":1}]})",
             R"({"x-kubernetes-preserve-unknown-fields":true})"},
      Nested{R"({"not":{"type":"string"}})", R"({"x-kubernetes-preserve-unknown-fields":true})"},
      Nested{R"({"type":"string","not":{"type":"string","pattern":"^a"}})",
             R"({"not":{"pattern":"^a"},"type":"string"})"},
      // More than one may fit once a type is dropped.
      Nested{R"({"type":"object","properties":{"a":{"type":"string"}},
                "oneOf":[{"properties":{"a":{"type":"integer","minimum":1}}},{"required":["b"]}]})",
             R"({"anyOf":[{"properties":{"a":{"minimum":1}}},{"required":["b"]}],)"
             R"("properties":{"a":{"type":"string"}},"type":"object"})"},
      // What only the root's validations name has to be specified.
      Nested{R"({"type":"object","anyOf":[{"properties":{"a":{"minimum":1}},"required":["a"]}]})",
             R"({"anyOf":[{"properties":{"a":{"minimum":1}},"required":["a"]}],"type":"object"})"},
      Nested{
          R"({"type":"object","additionalProperties":{"type":"string"},
                "anyOf":[{"properties":{"a":{"pattern":"^q"}}},{"required":["b"]}]})",
          R"({"additionalProperties":{"type":"string"},)"
          R"("anyOf":[{"properties":{"a":{"pattern":"^q"}}},{"required":["b"]}],"type":"object"})"},
      Nested{R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
                "allOf":[{"properties":{"a":{"type":"object"}}}]})",
             R"({"properties":{"a":{"x-kubernetes-preserve-unknown-fields":true}},"type":"object",)"
             R"("x-kubernetes-preserve-unknown-fields":true})"},
      Nested{R"({"type":"string","not":{"nullable":true,"enum":["a"]}})", R"({"type":"string"})"},
      Nested{R"({"type":"array","allOf":[{"items":{"type":"string"}}]})",
             R"({"items":{"type":"string"},"type":"array"})"});
  CAPTURE(nested.before);
  CHECK(ReportOf(R"({"type":"object","properties":{"x":)" + nested.before + "}}", {}).schema ==
        R"({"properties":{"x":)" + nested.after + R"(},"type":"object"})");
}

TEST_CASE("What no schema of v1 may say is said otherwise", "[kube][suggest]") {
  CHECK(
      ReportOf(
          R"({"definitions":{"A":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/A"}}})",
          {})
          .schema == R"({"properties":{"x":{"type":"string"}},"type":"object"})");
  CHECK(ReportOf(R"({"definitions":{"A":{"properties":{"a":{"$ref":"#/definitions/A"}}}},
                   "properties":{"x":{"$ref":"#/definitions/A"}}})",
                 {})
            .schema ==
        R"({"properties":{"x":{"properties":{"a":{"x-kubernetes-preserve-unknown-fields":true}},)"
        R"("type":"object"}},"type":"object"})");
  CHECK(ReportOf(R"({"properties":{"x":{"patternProperties":{".*":{"type":"string"}}}}})", {})
            .schema ==
        R"({"properties":{"x":{"additionalProperties":{"type":"string"},"type":"object"}},)"
        R"("type":"object"})");
  // Keys that do not match were free.
  CHECK(
      ReportOf(R"({"properties":{"x":{"patternProperties":{"^a":{"type":"string"}}}}})", {})
          .schema ==
      R"({"properties":{"x":{"additionalProperties":{"x-kubernetes-preserve-unknown-fields":true},)"
      R"("type":"object"}},"type":"object"})");
  CHECK(ReportOf(R"({"definitions":{"A":{"properties":{"b":{"type":"string"}},"required":["b"]}},
                   "properties":{"x":{"$ref":"#/definitions/A","properties":{"c":{"type":"string"}}}}})",
                 {})
            .schema ==
        R"({"properties":{"x":{"properties":{"b":{"type":"string"},"c":{"type":"string"}},)"
        R"("required":["b"],"type":"object"}},"type":"object"})");
  CHECK(
      ReportOf(R"({"type":"object","properties":{"x":null}})", {R"({"x":{"a":1}})"}).schema ==
      R"({"properties":{"x":{"properties":{"a":{"type":"integer"}},"type":"object"}},"type":"object"})");
  CHECK(
      ReportOf(
          R"({"additionalProperties":true,"nullable":true,"properties":{"metadata":{"type":"object",
                   "properties":{"name":{"type":"string"},"labels":{"type":"object"}}}}})",
          {})
          .schema ==
      R"({"properties":{"metadata":{"properties":{"name":{"type":"string"}},"type":"object"}},)"
      R"("type":"object","x-kubernetes-preserve-unknown-fields":true})");
}

TEST_CASE("Definitions that name each other many times come to an end", "[kube][suggest]") {
  std::string definitions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = R"({"$ref":"#/definitions/D)" + std::to_string(i + 1) + R"("})";
    definitions += (i == 0 ? "" : ",") + ("\"D" + std::to_string(i)) + R"(":{"properties":{"a":)" +
                   next + R"(,"b":)" + next + "}}";
  }
  const Told told = ReportOf(
      R"({"definitions":{)" + definitions + R"(},"properties":{"x":{"$ref":"#/definitions/D0"}}})",
      {});
  CHECK(told.schema.size() < 10'000'000);
}

TEST_CASE("A CRD of v1beta1 becomes one of v1", "[kube][suggest]") {
  auto document = std::make_unique<json::Document>();
  REQUIRE_FALSE(document->Parse(
      R"({"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition",
          "metadata":{"name":"w.g.io","uid":"u","labels":{"a":"b"},
                      "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}},
          "spec":{"group":"g.io","names":{"plural":"w","kind":"W"},"version":"v1",
                  "subresources":{"status":{}},"preserveUnknownFields":false,
                  "additionalPrinterColumns":[{"name":"A","type":"string","JSONPath":".spec.a"}],
                  "conversion":{"strategy":"Webhook","webhookClientConfig":{"url":"https://a"}},
                  "validation":{"openAPIV3Schema":{"type":"object"}}},
          "status":{"storedVersions":["v1"]}})"));
  const auto crd = crd::ReadCrd(std::move(document));
  REQUIRE(crd);
  json::Arena arena;
  CHECK(
      json::Print(Suggest(*crd, {}, {}, arena).crd) ==
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"labels":{"a":"b"},"name":"w.g.io"},)"
      R"("spec":{"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://a"},)"
      R"("conversionReviewVersions":["v1beta1"]}},"group":"g.io","names":{"kind":"W","plural":"w"},)"
      R"("preserveUnknownFields":false,"scope":"Namespaced","versions":[{)"
      R"("additionalPrinterColumns":[{"jsonPath":".spec.a","name":"A","type":"string"}],)"
      R"("name":"v1","schema":{"openAPIV3Schema":{"type":"object"}},"served":true,"storage":true,)"
      R"("subresources":{"status":{}}}]}})");
}

std::vector<std::string> LeftOf(const std::string& schema,
                                const std::vector<std::string>& objects) {
  Observations seen;
  for (const std::string& object : objects) {
    json::Document document;
    REQUIRE_FALSE(document.Parse(object));
    seen.Add(document.root());
  }
  const crd::Crd crd = CrdWith(schema);
  json::Arena arena;
  std::vector<std::string> left;
  for (const SchemaChange& change : Suggest(crd, seen.root(), {}, arena).changes) {
    if (change.kind == SchemaChange::Kind::kLeft) left.push_back(change.place.path);
  }
  return left;
}

TEST_CASE("What nobody can say but who wrote it is left", "[kube][suggest]") {
  using Left = std::vector<std::string>;
  CHECK(LeftOf(R"({"type":"object","properties":{"x":{"type":"array",
                   "items":[{"type":"string"},{"type":"integer"}]}}})",
               {}) == Left{"x"});
  CHECK(LeftOf(R"({"type":"object","properties":{"x":{"type":"object",
                   "dependencies":{"a":["b"]}}}})",
               {}) == Left{"x"});
  CHECK(LeftOf(R"({"type":"object","properties":{"x":{"type":"object","dependencies":{}}}})", {})
            .empty());
  CHECK(LeftOf(R"({"type":"object","properties":{"x":{"x-kubernetes-int-or-string":true}}})",
               {R"({"x":{"a":1}})"}) == Left{"x"});
  const std::string set = R"({"type":"object","properties":{"l":{"type":"array",
                              "x-kubernetes-list-type":"set","items":{"type":"string"}}}})";
  CHECK(LeftOf(set, {R"({"l":["a"]})"}).empty());
  CHECK(LeftOf(set, {R"({"l":[null]})"}) == Left{"l"});
  const std::string map = R"({"type":"object","properties":{"l":{"type":"array",
      "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"])";
  CHECK(LeftOf(map + "}}}", {R"({"l":[{"name":"a"}]})"}) == Left{"l"});
  CHECK(LeftOf(map + R"(,"items":{"type":"object","required":["name"],
                         "properties":{"name":{"type":"string"}}}}}})",
               {R"({"l":[{"name":"a","b":1}]})"})
            .empty());
}

TEST_CASE("Nulls stay where any value was taken", "[kube][suggest]") {
  const auto of = [](const std::string& x, const std::string& value) {
    return ReportOf(R"({"type":"object","properties":{"x":)" + x + "}}",
                    {R"({"x":)" + value + "}", R"({"x":"s"})"})
        .schema;
  };
  const auto is = [](const std::string& x) {
    return R"({"properties":{"x":)" + x + R"(},"type":"object"})";
  };
  CHECK(of(R"({"description":"d"})", "null") ==
        is(R"({"description":"d","nullable":true,"type":"string"})"));
  CHECK(ReportOf(R"({"type":"object","properties":{"x":{"type":"array","items":{}}}})",
                 {R"({"x":[null,"a"]})"})
            .schema == is(R"({"items":{"nullable":true,"type":"string"},"type":"array"})"));
  CHECK(
      ReportOf(
          R"({"type":"object","properties":{"x":{"type":"object","additionalProperties":true}}})",
          {R"({"x":{"a":null,"b":{"c":1}}})"})
          .schema ==
      is(R"({"additionalProperties":{"nullable":true,"x-kubernetes-preserve-unknown-fields":true},)"
         R"("type":"object"})"));
}

// RULES of pruning: additionalProperties prune what is below keys even where fields are kept.
TEST_CASE("What is kept is kept whole", "[kube][suggest]") {
  const auto is = [](const std::string& x) {
    return R"({"properties":{"x":)" + x + R"(},"type":"object"})";
  };
  CHECK(ReportOf(R"({"type":"object","properties":{"x":{"type":"object","additionalProperties":true,
                   "x-kubernetes-preserve-unknown-fields":true}}})",
                 {R"({"x":{"a":{"y":1}}})"})
            .schema ==
        is(R"({"additionalProperties":{"x-kubernetes-preserve-unknown-fields":true},)"
           R"("type":"object","x-kubernetes-preserve-unknown-fields":true})"));
  CHECK(ReportOf(R"({"type":"object","properties":{"x":{"additionalProperties":true}}})",
                 {R"({"x":{"a":{"y":1}}})", R"({"x":"s"})"})
            .schema ==
        is(R"({"additionalProperties":{"x-kubernetes-preserve-unknown-fields":true},)"
           R"("x-kubernetes-preserve-unknown-fields":true})"));
  // Of elements of a list that keeps unknown fields none are pruned.
  const std::string list = R"({"items":{"properties":{"a":{"type":"string"}},"type":"object"},)"
                           R"("type":"array","x-kubernetes-preserve-unknown-fields":true})";
  CHECK(ReportOf(R"({"type":"object","properties":{"x":)" + list + "}}",
                 {R"({"x":[{"a":"s","z":1}]})"})
            .schema == is(list));
}

TEST_CASE("Records are no maps, and keys that users choose no fields", "[kube][suggest]") {
  const auto of_many = [](const std::string& value) {
    return SchemaOf(std::vector<std::string>(5, value));
  };
  std::string fields, wanted;
  for (int i = 10; i < 40; ++i) {
    fields += (fields.empty() ? "\"opt" : ",\"opt") + std::to_string(i) + "\":\"x\"";
    wanted += (wanted.empty() ? "\"opt" : ",\"opt") + std::to_string(i) + R"(":{"type":"string"})";
  }
  CHECK(of_many("{" + fields + "}") == R"({"properties":{)" + wanted + R"(},"type":"object"})");
  CHECK(
      of_many(R"({"image":"a","pull-policy":"b"})") ==
      R"({"properties":{"image":{"type":"string"},"pull-policy":{"type":"string"}},"type":"object"})");
  CHECK(of_many(R"({"example.com/a":"b"})") ==
        R"({"additionalProperties":{"type":"string"},"type":"object"})");
  CHECK(SchemaOf({R"({"requests":{"memory":"1Gi","cpu":1}})"})
            .find(R"("requests":{"additionalProperties":{"x-kubernetes-int-or-string":true})") !=
        std::string::npos);
  SECTION("values of many forms are kept") {
    CHECK(
        SchemaOf(
            {R"({"a.x":{"one":1,"two":"s"},"b.x":{"three":3,"four":"s"},"c.x":{"five":5,"six":"s"},
                        "d.x":{"seven":7,"eight":"s"}})"}) ==
        R"({"additionalProperties":{"type":"object","x-kubernetes-preserve-unknown-fields":true},)"
        R"("type":"object"})");
  }
  SECTION("beside properties") {
    CHECK(ReportOf(R"({"type":"object","properties":{"x":{"type":"object",
                     "properties":{"a":{"type":"string"}}}}})",
                   {R"({"x":{"a":"s","app.io/k1":"1","app.io/k2":"2"}})"})
              .schema ==
          R"({"properties":{"x":{"properties":{"a":{"type":"string"}},"type":"object",)"
          R"("x-kubernetes-preserve-unknown-fields":true}},"type":"object"})");
  }
  SECTION("a thousand of them in one place") {
    std::string keys;
    for (int i = 0; i < 100; ++i) {
      keys +=
          (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + (i % 2 == 0 ? "\":1" : "\":{\"a\":1}");
    }
    CHECK(SchemaOf({"{" + keys + "}"}) ==
          R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})");
  }
}

TEST_CASE("An empty object that holds resources is an embedded one", "[kube][suggest]") {
  CHECK(
      ReportOf(R"({"type":"object","properties":{"t":{"type":"object"}}})",
               {R"({"t":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"b":1}}})"})
          .schema == R"({"properties":{"t":{"type":"object","x-kubernetes-embedded-resource":true,)"
                     R"("x-kubernetes-preserve-unknown-fields":true}},"type":"object"})");
}

// RFC 6902: "add" replaces a member that is there.
TEST_CASE("A patch leaves what the form leaves out", "[kube][suggest]") {
  const auto patch_of = [](const std::string& annotations, const std::string& group = "a.k8s.io") {
    auto document = std::make_unique<json::Document>();
    REQUIRE_FALSE(document->Parse(
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)" +
        annotations + R"("name":"w.)" + group + R"("},"spec":{"group":")" + group +
        R"(","scope":"Cluster",)"
        R"("names":{"plural":"w","kind":"W"},"versions":[{"name":"v1","served":true,"storage":true,)"
        R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})"));
    const auto crd = crd::ReadCrd(std::move(document));
    REQUIRE(crd);
    json::Arena arena;
    const Suggestion suggestion = Suggest(*crd, {}, {}, arena);
    return json::Print(PatchOf(suggestion, *crd, arena));
  };
  const std::string applied =
      R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"},)";
  CHECK(patch_of(applied).find(R"("path":"/metadata/annotations/api-approved.kubernetes.io")") !=
        std::string::npos);
  CHECK(patch_of(applied).find(R"("path":"/metadata/annotations",)") == std::string::npos);
  CHECK(patch_of(applied, "a.io") == "[]");
  CHECK(patch_of("").find(R"("path":"/metadata/annotations",)") != std::string::npos);
}

TEST_CASE("No number is told that is not known", "[kube][suggest]") {
  Observations seen;
  json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"m":{"a.x":{"n":1},"b.x":{"n":2}}})"));
  seen.Add(document.root());
  json::Arena arena;
  const crd::Crd crd = CrdWith(R"({"type":"object"})");
  for (const SchemaChange& change : Suggest(crd, seen.root(), {}, arena).changes) {
    CHECK(change.objects == (change.place.path == "m" ? 1 : 0));
  }
}

TEST_CASE("However much one object holds, others count", "[kube][suggest]") {
  std::string large;
  for (int i = 0; i < 230; ++i) {
    large += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":{";
    for (int j = 0; j < 230; ++j) {
      large += (j == 0 ? "\"k" : ",\"k") + std::to_string(j) + "\":1";
    }
    large += "}";
  }
  const std::string schema = ReportOf(R"({"type":"object","properties":{"spec":{"type":"object",
      "properties":{"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})",
                                      {R"({"spec":{"free":{)" + large + "}}}",
                                       R"({"spec":{"other":"x"},"status":{"phase":"a"}})"})
                                 .schema;
  CHECK(schema.find(R"("other":{"type":"string"})") != std::string::npos);
  CHECK(schema.find(R"("phase":{"type":"string"})") != std::string::npos);
}

TEST_CASE("What the server finds no fault with stays", "[kube][suggest]") {
  const std::string schema = GENERATE(
      R"({"x-kubernetes-preserve-unknown-fields":true})", R"({"nullable":false,"type":"object"})",
      R"({"properties":{"metadata":{"properties":{},"type":"object"}},"type":"object"})",
      R"({"properties":{"x":{"additionalProperties":true,"properties":{"a":{"type":"string"}},)"
      R"("type":"object"}},"type":"object"})");
  CHECK(ReportOf(schema, {}).changes.empty());
}

TEST_CASE("What is seen by several threads is one", "[kube][suggest]") {
  const auto add = [](Observations& seen, const std::string& object) {
    json::Document document;
    REQUIRE_FALSE(document.Parse(object));
    seen.Add(document.root());
  };
  Observations one, other;
  add(one, R"({"a":[{"b":1},{"b":2}]})");
  add(other, R"({"a":[{"b":"x"}],"c":null})");
  add(other, R"({"a":[]})");
  one.Merge(std::move(other));
  CHECK(one.objects() == 3);
  const ObservedShape& a = *one.root().Field("a");
  CHECK(a.objects == 3);
  CHECK(a.elements->objects == 2);
  CHECK(a.elements->values == 3);
  CHECK(a.elements->Field("b")->types == (kInteger | kString));
  CHECK(one.root().Field("c")->types == kNull);
}

TEST_CASE("Objects as deep as may be take no memory without end", "[kube][suggest]") {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += R"({"a":)";
  deep += "1" + std::string(5000, '}');
  CHECK(ReportOf(R"({"type":"object"})", {deep}).schema.size() < 10'000);
}

}  // namespace suggestion_test
}  // namespace kube::suggest
