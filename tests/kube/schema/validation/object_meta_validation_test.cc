#include "kube/schema/object_meta_validation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::schema {
namespace object_meta_validation_test {

using Strings = std::vector<std::string>;

Strings Validate(std::string_view text) {
  json::Document document;
  REQUIRE(!document.Parse(text));
  return meta::SortedStrings(ValidateObjectMeta(document.root(), "metadata"));
}

TEST_CASE("Metadata as Kubernetes makes it is valid", "[object_meta_validation]") {
  CHECK(Validate("null").empty());
  CHECK(Validate(R"({"name":"a","generation":1,"labels":{"example.com/a":"b"},
                     "annotations":{"Example.com/A":"any text"},"finalizers":["x/y","orphan"],
                     "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"n","uid":"u"}],
                     "managedFields":[{"manager":"m","operation":"Apply","fieldsType":"FieldsV1"}]})")
            .empty());
}

TEST_CASE("The generation is not negative", "[object_meta_validation]") {
  CHECK(Validate(R"({"generation":-1})") ==
        Strings{"metadata.generation: Invalid value: -1: must be greater than or equal to 0"});
}

TEST_CASE("Annotations are limited in size", "[object_meta_validation]") {
  const std::string limit(256 * 1024 - 1, 'x');
  CHECK(Validate(R"({"annotations":{"a":")" + limit + R"("}})").empty());
  CHECK(Validate(R"({"annotations":{"a":"x)" + limit + R"("}})") ==
        Strings{"metadata.annotations: Too long: may not be more than 262144 bytes"});
}

TEST_CASE("An owner needs a version, kind, name and UID", "[object_meta_validation]") {
  CHECK(
      Validate(R"({"ownerReferences":[{"apiVersion":"a/b/c","kind":"","name":"","uid":""}]})") ==
      Strings{
          R"(metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty)",
          R"(metadata.ownerReferences.kind: Invalid value: "": must not be empty)",
          R"(metadata.ownerReferences.name: Invalid value: "": must not be empty)",
          R"(metadata.ownerReferences.uid: Invalid value: "": must not be empty)"});
}

TEST_CASE("Events own nothing", "[object_meta_validation]") {
  CHECK(Validate(R"({"ownerReferences":[
            {"apiVersion":"v1","kind":"Event","name":"n","uid":"u","controller":true}]})") ==
        Strings{R"(metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event",)"
                R"("name":"n","uid":"u","controller":true}: /v1, Kind=Event is disallowed from )"
                R"(being an owner)"});
}

// ParseGroupVersion takes the group before the slash, which may be empty.
TEST_CASE("Events own nothing, however their version is written", "[object_meta_validation]") {
  const Strings errors = Validate(R"({"ownerReferences":[
      {"apiVersion":"/v1","kind":"Event","name":"n","uid":"u"},
      {"apiVersion":"g/v1","kind":"Event","name":"n","uid":"u"}]})");
  CHECK(errors == Strings{R"(metadata.ownerReferences: Invalid value: {"apiVersion":"/v1",)"
                          R"("kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed )"
                          R"(from being an owner)"});
}

// validateObjectMetaAccessorWithOptsCommon.
TEST_CASE("The order is the server's", "[object_meta_validation]") {
  json::Document document;
  REQUIRE(!document.Parse(R"({"finalizers":["-"],"labels":{"a":"-"},"annotations":{"-":""},
      "managedFields":[{"operation":"x"}],"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n"}],
      "generation":-1})"));
  Strings fields;
  for (const meta::FieldError& error : ValidateObjectMeta(document.root(), "m")) {
    fields.push_back(error.field);
  }
  CHECK(fields == Strings{"m.generation", "m.labels", "m.annotations", "m.ownerReferences.uid",
                          "m.finalizers", "m.managedFields[0].operation"});
}

TEST_CASE("Only one owner controls", "[object_meta_validation]") {
  const Strings errors = Validate(R"({"ownerReferences":[
      {"apiVersion":"v1","kind":"A","name":"a","uid":"u","controller":true},
      {"apiVersion":"v1","kind":"B","name":"b","uid":"u","controller":true}]})");
  REQUIRE(errors.size() == 1);
  CHECK(
      errors.front().ends_with("Only one reference can have Controller set to true. Found "
                               "\"true\" in references for A/a and B/b"));
}

TEST_CASE("The two finalizers of deletion exclude each other", "[object_meta_validation]") {
  CHECK(Validate(R"({"finalizers":["orphan","foregroundDeletion"]})") ==
        Strings{R"(metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: )"
                "finalizer orphan and foregroundDeletion cannot be both set"});
}

TEST_CASE("Entries of managedFields are checked", "[object_meta_validation]") {
  CHECK(
      Validate(R"({"managedFields":[{"manager":"a\u0007","operation":"x","fieldsType":"y"}]})") ==
      Strings{
          R"(metadata.managedFields[0].fieldsType: Invalid value: "y": must be `FieldsV1`)",
          R"(metadata.managedFields[0].manager: Invalid value: "a\a": invalid character U+0007 (at position 1))",
          R"(metadata.managedFields[0].operation: Invalid value: "x": must be `Apply` or `Update`)"});
}

TEST_CASE("An update does not check finalizers and generation", "[object_meta_validation]") {
  json::Document document;
  REQUIRE(!document.Parse(R"({"generation":-1,"finalizers":["/"],"labels":{"a":"-"}})"));
  const auto errors = ValidateObjectMetaUpdate(document.root(), "metadata");
  REQUIRE(errors.size() == 1);
  CHECK(errors.front().field == "metadata.labels");
}

}  // namespace object_meta_validation_test
}  // namespace kube::schema
