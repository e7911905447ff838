#include <catch2/catch.hpp>

#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"

namespace kube::schema {
namespace dropped_metadata_test {

using Strings = std::vector<std::string>;

constexpr char kSchema[] = R"({"type": "object", "properties": {
  "e": {"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true},
  "m": {"type": "object", "additionalProperties":
        {"type": "object", "x-kubernetes-embedded-resource": true}},
  "l": {"type": "array", "items": {"type": "object", "x-kubernetes-embedded-resource": true,
        "properties": {"inner": {"type": "object", "x-kubernetes-embedded-resource": true}}}}}})";

class Sink : public UnknownFieldSink {
 public:
  void OnUnknownField(const UnknownField& field) override {
    paths.push_back(field.Path());
    folded.emplace_back(field.folded_path);
    values.push_back(json::Print(field.value));
  }
  Strings paths, folded, values;
};

Sink Lost(const std::string& object) {
  json::Document schema_document, document;
  REQUIRE(!schema_document.Parse(kSchema));
  REQUIRE(!document.Parse(object));
  const auto props = ReadSchemaProps(schema_document.root());
  REQUIRE(props);
  const StructuralSchema schema = MakeStructural(*props, schema_document.arena());
  Sink sink;
  FindLostFields(document.root(), &schema, sink);
  CHECK(json::Print(document.root(), json::KeyOrder::kAsWritten) == object);
  return sink;
}

// Expected values from RULES 10 and 11.
TEST_CASE("Of the metadata of an embedded resource what ObjectMeta does not know is lost",
          "[schema]") {
  const auto [object, lost] = GENERATE(table<std::string, Strings>({
      {R"({"e":{"metadata":{"name":"n","scope":"s","labels":{"a":"b"}}}})", {"e.metadata.scope"}},
      {R"({"e":{"metadata":{"scope":""}}})", {"e.metadata.scope"}},
      {R"({"e":{"metadata":{"scope":null}}})", {"e.metadata.scope"}},
      {R"({"e":{"metadata":{"Name":"n"}}})", {"e.metadata.Name"}},
      {R"({"e":{"metadata":{"ownerReferences":[{"name":"a"},{"name":"b","of":1}]}}})",
       {"e.metadata.ownerReferences[1].of"}},
      {R"({"e":{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{"f:b":{}}},"by":1}]}}})",
       {"e.metadata.managedFields[0].by"}},
      {R"({"e":{"metadata":{"ownerReferences":[{"kind":"","to":"","labels":{}}]}}})",
       {"e.metadata.ownerReferences[0].to", "e.metadata.ownerReferences[0].labels"}},
      // A value of a wrong type takes its field along.
      {R"({"e":{"metadata":{"name":"n","labels":{"a":"b","c":1}}}})", {"e.metadata.labels"}},
      {R"({"e":{"metadata":{"generation":"1"}}})", {"e.metadata.generation"}},
      {R"({"e":{"metadata":{"annotations":["a"]},"kind":1,"apiVersion":{}}})",
       {"e.metadata.annotations", "e.kind", "e.apiVersion"}},
      {R"({"m":{"k":{"metadata":{"x":1},"spec":{}}}})", {"m.k.metadata.x", "m.k.spec"}},
      {R"({"l":[{},{"inner":{"metadata":{"y":2}},"metadata":{"x":3}}]})",
       {"l[1].inner.metadata.y", "l[1].metadata.x"}},
  }));
  CAPTURE(object);
  CHECK(Lost(object).paths == lost);
}

TEST_CASE("What says nothing is not lost, nor what no schema changes anything about", "[schema]") {
  const std::string object = GENERATE(
      R"({"e":{"metadata":{"labels":{},"finalizers":[],"namespace":"","generation":0}}})",
      R"({"e":{"metadata":{"creationTimestamp":null,"name":null},"kind":null}})",
      R"({"e":{"metadata":{"labels":{"a":null},"finalizers":[null]}}})",
      R"({"e":{"metadata":{"creationTimestamp":"2026-01-01T00:00:00+01:00","generation":1.0}}})",
      R"({"e":{"metadata":null}})",
      // With these the server cannot read the object at all.
      R"({"e":{"metadata":"text"}})", R"({"m":{"k":{"metadata":[]}}})",
      // Embedded, but not specified to be; and the object's own.
      R"({"e":{"spec":{"metadata":{"x":1}}}})", R"({"metadata":{"x":1,"labels":1},"kind":1})");
  CAPTURE(object);
  CHECK(Lost(object).paths == Strings{});
}

TEST_CASE("A lost field of embedded metadata is counted and told as other lost fields",
          "[schema]") {
  const Sink lost =
      Lost(R"({"l":[{"metadata":{"ownerReferences":[{"o.p":[7]}],"labels":{"a":1}}}]})");
  CHECK(lost.folded == Strings{"l[*].metadata.ownerReferences[*]['o.p']", "l[*].metadata.labels"});
  CHECK(lost.values == Strings{"[7]", R"({"a":1})"});
}

}  // namespace dropped_metadata_test
}  // namespace kube::schema
