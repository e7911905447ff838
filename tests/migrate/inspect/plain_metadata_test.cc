#include <catch2/catch.hpp>

#include "kube/schema/object_meta.h"
#include "migrate/check/file_run.h"

namespace migrate::check {
namespace plain_metadata_test {

TEST_CASE("Metadata is plain only where ObjectMeta surely takes it", "[plain_metadata]") {
  const auto [metadata, plain] = GENERATE(table<std::string, bool>({
      {R"({"name":"a","namespace":"b","labels":{"l":"v"},"annotations":{},"uid":"u"})", true},
      {R"({"creationTimestamp":"2024-01-28T23:59:59Z","generation":3,"finalizers":["f"]})", true},
      {R"({"creationTimestamp":null})", true},
      {R"({"name":1})", false},
      {R"({"labels":{"l":1}})", false},
      {R"({"labels":[]})", false},
      {R"({"creationTimestamp":"2024-13-01T00:00:00Z"})", false},
      {R"({"creationTimestamp":"2024-02-30T00:00:00Z"})", false},
      {R"({"creationTimestamp":"yesterday"})", false},
      {R"({"generation":"3"})", false},
      {R"({"finalizers":[1]})", false},
      {R"({"ownerReferences":"x"})", false},
      {R"({"managedFields":[]})", true},
      {R"({"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
       R"("time":"2024-01-28T23:59:59Z","fieldsV1":{"f:spec":{".":{},"f:a":{}}}}]})",
       true},
      {R"({"managedFields":{}})", false},
      {R"({"managedFields":[1]})", false},
      {R"({"managedFields":[{"manager":1}]})", false},
      {R"({"managedFields":[{"time":"2024-02-30T00:00:00Z"}]})", false},
      {R"({"managedFields":[{"fieldsV1":"f:spec"}]})", false},
      {R"({"managedFields":[{"fieldsV1":{"f:spec":1}}]})", false},
      {"[]", false},
      {"null", false},
  }));
  CAPTURE(metadata);
  kube::json::Document document;
  REQUIRE(!document.Parse("{\"metadata\":" + metadata + "}"));
  CHECK(HasPlainMetadata(document.root()) == plain);
  if (plain) CHECK(kube::schema::GetObjectMeta(document.root(), false, document.arena()));
}

TEST_CASE("An object without metadata is plain", "[plain_metadata]") {
  CHECK(HasPlainMetadata(kube::json::Value::Object()));
}

}  // namespace plain_metadata_test
}  // namespace migrate::check
