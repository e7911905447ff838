#include "kube/schema/pruning.h"

#include <catch2/catch.hpp>

#include "kube/schema/schema_props.h"

namespace kube::schema {
namespace {

struct Pruned {
  std::string object;
  std::vector<std::string> paths;
};

Pruned PruneText(const std::string& schema, const std::string& object, bool is_resource_root) {
  json::Document schema_document, document;
  REQUIRE(!schema_document.Parse(schema));
  REQUIRE(!document.Parse(object));
  const auto props = ReadSchemaProps(schema_document.root());
  REQUIRE(props);
  const StructuralSchema structural = MakeStructural(*props, schema_document.arena());
  std::vector<std::string> paths = Prune(document.root(), &structural, is_resource_root);
  return {json::Print(document.root()), std::move(paths)};
}

// Expected values from the rules (RULES 9) and from what the API server answers.
TEST_CASE("What a schema does not specify goes", "[pruning]") {
  using Paths = std::vector<std::string>;
  const auto [schema, object, pruned,
              paths] = GENERATE(table<std::string, std::string, std::string, Paths>({
      {R"({"properties":{"a":{}}})", R"({"a":1,"b":{"c":2}})", R"({"a":1})", {"b"}},
      {R"({"properties":{"a":{"items":{"properties":{"x":{}}}}}})",
       R"({"a":[{"x":1,"y":2},{"y":3}]})",
       R"({"a":[{"x":1},{}]})",
       {"a[0].y", "a[1].y"}},
      {R"({"properties":{"m":{"additionalProperties":true}}})",
       R"({"m":{"k":{"x":1},"s":2}})",
       R"({"m":{"k":{},"s":2}})",
       {"m.k.x"}},
      {R"({"properties":{"m":{"additionalProperties":false}}})",
       R"({"m":{"k":[{"x":1}]}})",
       R"({"m":{"k":[{}]}})",
       {"m.k[0].x"}},
      {R"({"x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"object"}}})",
       R"({"a":{"x":1},"b":{"y":2}})",
       R"({"a":{},"b":{"y":2}})",
       {"a.x"}},
      {R"({"properties":{"l":{"x-kubernetes-preserve-unknown-fields":true,"items":{}}}})",
       R"({"l":[{"x":1}]})",
       R"({"l":[{"x":1}]})",
       {}},
      {R"({"properties":{"e":{"x-kubernetes-embedded-resource":true}}})",
       R"({"e":{"apiVersion":"v1","kind":"P","metadata":{"x":1},"spec":{}}})",
       R"({"e":{"apiVersion":"v1","kind":"P","metadata":{"x":1}}})",
       {"e.spec"}},
      {R"({"properties":{"s":{"type":"string"}}})", R"({"s":{"x":null}})", R"({"s":{}})", {"s.x"}},
      {R"({"properties":{"":{}}})", R"({"":{"a":1}})", R"({"":{}})", {".a"}},
  }));
  CAPTURE(schema, object);
  const Pruned result = PruneText(schema, object, true);
  CHECK(result.object == pruned);
  CHECK(result.paths == paths);
}

TEST_CASE("Only a resource root keeps apiVersion, kind and metadata", "[pruning]") {
  const std::string object = R"({"apiVersion":"v1","kind":"X","metadata":{"a":1},"b":2})";
  CHECK(PruneText("{}", object, true).object ==
        R"({"apiVersion":"v1","kind":"X","metadata":{"a":1}})");
  const Pruned bare = PruneText("{}", object, false);
  CHECK(bare.object == "{}");
  CHECK(bare.paths == std::vector<std::string>{"b"});
}

TEST_CASE("Without a schema nothing is specified", "[pruning]") {
  json::Document document;
  REQUIRE(!document.Parse(R"({"kind":"X","spec":{"a":1}})"));
  CHECK(Prune(document.root(), nullptr, true) == std::vector<std::string>{"spec"});
  CHECK(json::Print(document.root()) == R"({"kind":"X"})");
}

TEST_CASE("Fields can be dropped without telling which", "[pruning]") {
  json::Document schema_document, document;
  REQUIRE(!schema_document.Parse(R"({"properties":{"a":{},"m":{"additionalProperties":{}}}})"));
  REQUIRE(!document.Parse(R"({"kind":"X","a":{"b":1},"m":{"k":{"c":1}},"d":2})"));
  const auto props = ReadSchemaProps(schema_document.root());
  const StructuralSchema schema = MakeStructural(*props, schema_document.arena());
  DropUnknownFields(document.root(), &schema, true);
  CHECK(json::Print(document.root()) == R"({"a":{},"kind":"X","m":{"k":{}}})");
}

TEST_CASE("Finding unknown fields changes nothing and folds paths", "[pruning]") {
  class Collector : public UnknownFieldSink {
   public:
    void OnUnknownField(const UnknownField& field) override {
      text += field.Path() + " " + std::string(field.folded_path) + " " +
              std::to_string(field.elements.size()) + "\n";
    }
    std::string text;
  } collector;
  json::Document schema_document, document;
  REQUIRE(!schema_document.Parse(
      R"({"properties":{"m":{"additionalProperties":{"items":{"properties":{"x":{}}}}}}})"));
  const std::string object = R"({"m":{"k":[{"x":1},{"y":2}]}})";
  REQUIRE(!document.Parse(object));
  const auto props = ReadSchemaProps(schema_document.root());
  const StructuralSchema schema = MakeStructural(*props, schema_document.arena());
  FindUnknownFields(document.root(), &schema, true, collector);
  CHECK(collector.text == "m.k[1].y m.*[*].y 4\n");
  CHECK(json::Print(document.root()) == object);
}

TEST_CASE("Names that hold dots are quoted for people, and not where the server records them",
          "[pruning]") {
  class Collector : public UnknownFieldSink {
   public:
    void OnUnknownField(const UnknownField& field) override {
      text += field.Path() + " " + std::string(field.folded_path) + " " + field.QuotedPath() + "\n";
    }
    std::string text;
  } collector;
  json::Document schema_document, document;
  REQUIRE(!schema_document.Parse(
      R"({"properties":{"files":{"additionalProperties":{"items":{"properties":{"x":{}}}}}}})"));
  REQUIRE(!document.Parse(R"({"files":{"a.xml":[{"b.c":1}]},"d.e":2})"));
  const auto props = ReadSchemaProps(schema_document.root());
  const StructuralSchema schema = MakeStructural(*props, schema_document.arena());
  FindUnknownFields(document.root(), &schema, true, collector);
  CHECK(collector.text ==
        "files.a.xml[0].b.c files.*[*]['b.c'] files['a.xml'][0]['b.c']\n"
        "d.e ['d.e'] ['d.e']\n");
}

}  // namespace
}  // namespace kube::schema
