#include "kube/crd/custom_resource.h"

#include <catch2/catch.hpp>

#include "tests/support/structural_text.h"

namespace kube::crd {
namespace {

using test::ParseOrThrow;
using Strings = std::vector<std::string>;

/// Versions of the CRD foos.example.com, and one object to send through its server.
class Fixture {
 public:
  Fixture(const std::string& versions, bool preserve_unknown_fields, const std::string& more = "") {
    auto document = std::make_unique<json::Document>();
    ParseOrThrow(R"({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
      "metadata": {"name": "foos.example.com"}, "spec": {"group": "example.com",
      "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"}, "versions": [)" +
                     versions + "]" + more + "}}",
                 *document);
    auto crd = ReadCrd(std::move(document));
    REQUIRE(crd);
    server_.emplace(*crd, preserve_unknown_fields);
  }

  const CustomResourceServer& server() const { return *server_; }
  json::Value& Object(std::string_view text) {
    object_ = ParseOrThrow(text, document_);
    return object_;
  }
  json::Arena& arena() { return document_.arena(); }
  std::string object() const { return json::Print(object_); }

 private:
  std::optional<CustomResourceServer> server_;
  json::Document document_;
  json::Value object_;
};

std::string Version(const std::string& name, bool storage, const std::string& schema,
                    bool served = true) {
  return R"({"name": ")" + name + R"(", "served": )" + (served ? "true" : "false") +
         R"(, "storage": )" + (storage ? "true" : "false") +
         (schema.empty() ? std::string() : R"(, "schema": {"openAPIV3Schema": )" + schema + "}") +
         "}";
}

constexpr char kSchema[] = R"({"type": "object", "properties": {"spec": {"type": "object",
  "properties": {"a": {"type": "string"}, "d": {"type": "integer", "default": 1},
                 "n": {"type": "string"}}}}})";

TEST_CASE("A request is pruned and defaulted, and says what was unknown", "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema), false);
  ServerNotes notes;
  CHECK_FALSE(f.server().OnRequest(f.Object(R"({"apiVersion": "example.com/v1", "kind": "Foo",
    "metadata": {"name": "x", "junk": 1}, "spec": {"z": 1, "b": 2, "n": null}})"),
                                   "v1", f.arena(), &notes));
  CHECK(f.object() ==
        R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"x"},"spec":{"d":1}})");
  CHECK(notes.unknown_fields == Strings{"metadata.junk", "spec.b", "spec.z"});
  CHECK(notes.added_defaults == Strings{"spec.d"});
  CHECK(notes.dropped_nulls == Strings{"spec.n"});
}

TEST_CASE("While unknown fields are preserved only metadata and defaults change",
          "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema), true);
  ServerNotes notes;
  CHECK_FALSE(f.server().OnRequest(f.Object(R"({"apiVersion": "example.com/v1", "kind": "Foo",
    "metadata": {"name": "x", "junk": 1}, "spec": {"b": 2, "n": null}})"),
                                   "v1", f.arena(), &notes));
  CHECK(f.object() == R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"x"},)"
                      R"("spec":{"b":2,"d":1,"n":null}})");
  CHECK(notes.unknown_fields == Strings{"metadata.junk"});
}

TEST_CASE("Numbers become what the server stores", "[custom_resource]") {
  Fixture f(
      Version("v1", true, R"({"type": "object", "x-kubernetes-preserve-unknown-fields": true})"),
      false);
  CHECK_FALSE(f.server().OnRequest(f.Object(R"({"apiVersion": "example.com/v1", "kind": "Foo",
    "metadata": {}, "a": [1.0, 1e3, 12345678901234567890123]})"),
                                   "v1", f.arena()));
  CHECK(f.object() == R"({"a":[1,1000,1.2345678901234568e+22],"apiVersion":"example.com/v1",)"
                      R"("kind":"Foo","metadata":{}})");
}

TEST_CASE("A version that is unknown or has no schema prunes everything", "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema) + "," + Version("v2", false, ""), false);
  const std::string version = GENERATE("v2", "v9");
  CHECK(f.server().FindSchema(version) == nullptr);
  auto error = f.server().OnRequest(
      f.Object(R"({"apiVersion": "example.com/)" + version +
               R"(", "kind": "Foo", "metadata": {"name": "x"}, "spec": {"a": "1"}})"),
      version, f.arena());
  CHECK_FALSE(error);
  CHECK(f.object() ==
        R"({"apiVersion":"example.com/)" + version + R"(","kind":"Foo","metadata":{"name":"x"}})");
}

TEST_CASE("The missing kind is quoted with the body as it was sent", "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema), false);
  CHECK(f.server().OnRequest(f.Object(R"({"b": 1, "a": 2})"), "v1", f.arena()) ==
        R"(Object 'Kind' is missing in '{"b":1,"a":2}')");
  CHECK(f.server().OnRead(f.Object(R"({"b": 1})"), "v1", f.arena(), nullptr, R"({"b": 1 })") ==
        R"(Object 'Kind' is missing in '{"b": 1 }')");
}

TEST_CASE("What is no object is refused", "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema), false);
  CHECK(f.server().OnRead(f.Object("[]"), "v1", f.arena()) ==
        "json: cannot unmarshal array into Go value of type map[string]interface {}");
  CHECK(f.server().OnRead(f.Object("null"), "v1", f.arena()) ==
        "Object 'Kind' is missing in 'null'");
}

TEST_CASE("A read repairs the generation and drops bad metadata", "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema), false);
  CHECK_FALSE(f.server().OnRead(f.Object(R"({"apiVersion": "example.com/v1", "kind": "Foo",
    "metadata": {"name": "x", "labels": {"a": 1}}})"),
                                "v1", f.arena()));
  CHECK(f.object() == R"({"apiVersion":"example.com/v1","kind":"Foo",)"
                      R"("metadata":{"generation":1,"name":"x"}})");
  CHECK(f.server().OnRead(f.Object(R"({"apiVersion": "example.com/v1", "kind": "Foo"})"), "v1",
                          f.arena()));
}

TEST_CASE("A write in the storage version changes nothing any more", "[custom_resource]") {
  // A null in a default outlives the write, but not the next read.
  Fixture f(Version("v1", true, R"({"type": "object", "properties": {"p": {"type": "object",
    "default": {"n": null}, "properties": {"n": {"type": "string"}}}}})"),
            false);
  json::Value& object =
      f.Object(R"({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}})");
  REQUIRE_FALSE(f.server().OnRequest(object, "v1", f.arena()));
  REQUIRE_FALSE(f.server().OnWrite(object, f.arena()));
  CHECK(json::Print(*object.Find("p")) == R"({"n":null})");
  REQUIRE_FALSE(f.server().OnRead(object, "v1", f.arena()));
  CHECK(json::Print(*object.Find("p")) == "{}");
}

TEST_CASE("Deep JSON is answered, not crashed on", "[custom_resource]") {
  Fixture f(Version("v1", true, kSchema), false);
  const std::string deep = std::string(2000, '[') + std::string(2000, ']');
  auto error = f.server().OnRead(f.Object(R"({"kind": "Foo", "apiVersion": )" + deep + "}"), "v1",
                                 f.arena());
  REQUIRE(error);
  CHECK(error->ends_with(" is of the type []interface {}, expected string"));
  CHECK_FALSE(f.server().OnRead(f.Object(R"({"kind": "Foo", "apiVersion": "example.com/v1",
    "metadata": {}, "spec": {"a": )" + deep +
                                         R"(, "z": )" + deep + "}}"),
                                "v1", f.arena()));
}

constexpr char kOnlyA[] = R"({"type": "object", "properties": {"spec": {"type": "object",
  "properties": {"a": {"type": "string"}, "c": {"type": "string"}}}}})";
constexpr char kOnlyB[] = R"({"type": "object", "properties": {"spec": {"type": "object",
  "properties": {"b": {"type": "string", "default": "new"}, "c": {"type": "string"}}}}})";
constexpr char kStoredAsV1[] = R"({"apiVersion": "example.com/v1", "kind": "Foo",
  "metadata": {"name": "x"}, "spec": {"a": "1", "b": "2", "c": null}})";

TEST_CASE("A rewrite prunes by the stored version, then by the storage version",
          "[custom_resource]") {
  Fixture f(Version("v1", false, kOnlyA) + "," + Version("v2", true, kOnlyB), false);
  json::Value& object = f.Object(kStoredAsV1);
  ServerNotes notes;
  REQUIRE_FALSE(f.server().Rewrite(object, f.arena(), &notes));
  CHECK(f.object() == R"({"apiVersion":"example.com/v2","kind":"Foo",)"
                      R"("metadata":{"generation":1,"name":"x"},"spec":{"b":"new"}})");
  CHECK(notes.added_defaults == Strings{"spec.b"});
  CHECK(notes.dropped_nulls == Strings{"spec.c"});
}

TEST_CASE("A rewrite goes through a served version where the storage version is not",
          "[custom_resource]") {
  Fixture f(Version("v1", false, kOnlyA) + "," + Version("v2", true, kOnlyB, false), false);
  json::Value& object = f.Object(kStoredAsV1);
  REQUIRE_FALSE(f.server().Rewrite(object, f.arena()));
  CHECK(f.object() == R"({"apiVersion":"example.com/v2","kind":"Foo",)"
                      R"("metadata":{"generation":1,"name":"x"},"spec":{}})");
}

// As apiextensions 0.36.4 decodes the defaults of a schema.
TEST_CASE("Numbers of defaults become what the server stores", "[custom_resource]") {
  Fixture f(Version("v1", true, R"({"type": "object", "properties": {"spec": {"type": "object",
    "properties": {"a": {"type": "number", "default": 12345678901234567890},
                   "b": {"type": "number", "default": 2.50}}}}})"),
            false);
  json::Value& object = f.Object(
      R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"generation":1},"spec":{}})");
  REQUIRE_FALSE(f.server().OnRead(object, "v1", f.arena()));
  CHECK_THAT(f.object(), Catch::EndsWith(R"("spec":{"a":12345678901234567000,"b":2.5}})"));
}

TEST_CASE("What a webhook converts cannot be made here", "[custom_resource]") {
  Fixture f(Version("v1", false, kOnlyA) + "," + Version("v2", true, kOnlyB), false,
            R"(,"conversion":{"strategy":"Webhook"})");
  CHECK(f.server().converts_by_webhook());
  CHECK_FALSE(f.server().OnRead(f.Object(kStoredAsV1), "v1", f.arena()));
  CHECK(f.server().Rewrite(f.Object(kStoredAsV1), f.arena()) ==
        "a webhook converts it from example.com/v1 to example.com/v2, which can only be asked by "
        "the API server");
}

TEST_CASE("Rewriting again changes nothing", "[custom_resource]") {
  Fixture f(Version("v1", false, kOnlyA) + "," + Version("v2", true, kOnlyB), false);
  json::Value& object = f.Object(kStoredAsV1);
  REQUIRE_FALSE(f.server().Rewrite(object, f.arena()));
  const std::string once = f.object();
  ServerNotes notes;
  REQUIRE_FALSE(f.server().Rewrite(object, f.arena(), &notes));
  CHECK(f.object() == once);
  CHECK(notes.added_defaults.empty());
  CHECK(notes.dropped_nulls.empty());
}

TEST_CASE("A schema that cannot be converted counts as none while fields are preserved",
          "[custom_resource]") {
  const std::string version =
      Version("v1", true, R"({"type": "object", "properties": {"a": {"$ref": "#/x"}}})");
  constexpr char kObject[] =
      R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"generation":1},"spec":{"a":1}})";
  Fixture preserving(version, true);
  CHECK_FALSE(preserving.server().OnRead(preserving.Object(kObject), "v1", preserving.arena()));
  CHECK(preserving.object() == kObject);
  Fixture pruning(version, false);
  CHECK(pruning.server().OnRead(pruning.Object(kObject), "v1", pruning.arena()) ==
        "the server could not properly serve the CR schema");
}

}  // namespace
}  // namespace kube::crd
