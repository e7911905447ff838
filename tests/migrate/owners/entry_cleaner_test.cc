#include "migrate/owners/entry_cleaner.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/test_schema.h"

namespace migrate::owners {
namespace entry_cleaner_test {

constexpr char kSpec[] = R"({"group":"g","scope":"Namespaced","names":{"plural":"ws","kind":"W"},
  "versions":[
    {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{
        "a":{"type":"string"},"b":{"type":"string"}}}}}}},
    {"name":"v1beta1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
      "x-kubernetes-preserve-unknown-fields":true}}}]})";

std::string Entry(const std::string& version, const std::string& manager, const std::string& fields,
                  const std::string& time = "2024-01-01T00:00:00Z",
                  const std::string& operation = "Apply", const std::string& more = "") {
  return R"({"apiVersion":")" + version + R"(","fieldsType":"FieldsV1","fieldsV1":)" + fields +
         R"(,"manager":")" + manager + R"(","operation":")" + operation + R"(")" + more +
         R"(,"time":")" + time + R"("})";
}

/// The cleaned entries; "untouched" where none was stale.
std::string Clean(const std::string& entries) {
  const EntryCleaner cleaner(support::TestCrd("v1", kSpec));
  kube::json::Document object;
  REQUIRE(!object.Parse(R"({"metadata":{"managedFields":)" + entries + "}}"));
  const auto cleaned = cleaner.Clean(object.root(), object.arena());
  return cleaned ? std::to_string(cleaned->changed) + " " + kube::json::Print(cleaned->entries)
                 : "untouched";
}

TEST_CASE("A stale entry is said in the storage version", "[migrate][entry_cleaner]") {
  CHECK(Clean("[" + Entry("g/v1alpha1", "kubectl", R"({"f:spec":{"f:a":{},"f:gone":{}}})") + "]") ==
        "1 [" + Entry("g/v1", "kubectl", R"({"f:spec":{"f:a":{}}})") + "]");
}

TEST_CASE("Entries of other versions of the CRD stay as they are", "[migrate][entry_cleaner]") {
  const std::string others = Entry("g/v1", "one", R"({"f:spec":{"f:gone":{}}})") + "," +
                             Entry("g/v1beta1", "two", R"({"f:x":{}})");
  CHECK(Clean("[" + others + "]") == "untouched");
  CHECK(
      Clean("[" + others + "," + Entry("g/v1alpha1", "three", R"({"f:spec":{"f:a":{}}})") + "]") ==
      "1 [" + others + "," + Entry("g/v1", "three", R"({"f:spec":{"f:a":{}}})") + "]");
}

TEST_CASE("An entry of which nothing is left is dropped", "[migrate][entry_cleaner]") {
  const std::string gone = Entry("g/v1alpha1", "kubectl", R"({"f:spec":{"f:gone":{}}})");
  CHECK(Clean("[" + gone + "]") == "1 []");
  CHECK(Clean("[" + Entry("g/v1", "one", "{}") + "," + gone + "]") ==
        "1 [" + Entry("g/v1", "one", "{}") + "]");
}

TEST_CASE("Entries of one manager are merged, wherever they stand", "[migrate][entry_cleaner]") {
  const std::string known = Entry("g/v1", "m", R"({"f:spec":{"f:b":{}}})", "2024-01-01T00:00:00Z");
  const std::string merged =
      Entry("g/v1", "m", R"({"f:spec":{"f:a":{},"f:b":{}}})", "2024-02-02T00:00:00Z");
  const std::string alpha =
      Entry("g/v1alpha1", "m", R"({"f:spec":{"f:a":{}}})", "2024-02-02T00:00:00Z");
  CHECK(Clean("[" + known + "," + alpha + "]") == "1 [" + merged + "]");
  CHECK(Clean("[" + alpha + "," + known + "]") == "1 [" + merged + "]");
  // Of two that are stale.
  CHECK(Clean("[" + alpha + "," + Entry("g/v0", "m", R"({"f:spec":{"f:b":{}}})") + "]") ==
        "2 [" + merged + "]");
}

TEST_CASE("Another operation, subresource or manager is another owner",
          "[migrate][entry_cleaner]") {
  const std::string fields = R"({"f:spec":{"f:a":{}}})";
  const std::string time = "2024-01-01T00:00:00Z";
  const std::string status = R"(,"subresource":"status")";
  const std::string others = Entry("g/v1", "m", fields) + "," +
                             Entry("g/v1", "m", fields, time, "Update", status) + "," +
                             Entry("g/v1", "n", fields, time, "Update");
  CHECK(Clean("[" + others + "," + Entry("g/v0", "m", fields, time, "Update") + "]") ==
        "1 [" + others + "," + Entry("g/v1", "m", fields, time, "Update") + "]");
}

TEST_CASE("Entries that the API server would not read are dropped if they are stale",
          "[migrate][entry_cleaner]") {
  CHECK(Clean(R"([{"apiVersion":"g/v0","manager":"m","fieldsV1":{"f:spec":{"f:a":{}}}}])") ==
        "1 []");
  CHECK(Clean(R"([{"apiVersion":"g/v0","fieldsType":"FieldsV1","fieldsV1":7}])") == "1 []");
  CHECK(Clean(R"([{"apiVersion":7,"fieldsType":"FieldsV1"}])") == "1 []");
  CHECK(Clean(R"([7,null,[]])") == "untouched");
  CHECK(Clean(R"({})") == "untouched");
}

TEST_CASE("The cleaner outlives the CRD that it was made from", "[migrate][entry_cleaner]") {
  std::unique_ptr<EntryCleaner> cleaner;
  {
    const kube::crd::Crd crd = support::TestCrd("v1", kSpec);
    cleaner = std::make_unique<EntryCleaner>(crd);
  }
  kube::json::Document object;
  REQUIRE(!object.Parse(R"({"metadata":{"managedFields":[)" +
                        Entry("g/v0", "m", R"({"f:spec":{"f:a":{}}})") + "]}}"));
  CHECK(cleaner->Clean(object.root(), object.arena())->changed == 1);
}

TEST_CASE("What is too deep to be printed stays as it is", "[migrate][entry_cleaner]") {
  constexpr int kDeep = 9000;
  std::string deep;
  for (int i = 0; i < kDeep; ++i) deep += R"({"f:a":)";
  deep += "{}" + std::string(kDeep, '}');
  CHECK(Clean("[" + Entry("g/v0", "m", deep) + "]") == "untouched");
  CHECK(Clean("[" + Entry("g/v0", "m", "{}") + "," + Entry("g/v1", "n", deep) + "]") ==
        "untouched");
}

TEST_CASE("A thousand managers are no more work than they are", "[migrate][entry_cleaner]") {
  std::string entries = "[";
  for (int i = 0; i < 20000; ++i) {
    entries += (i == 0 ? "" : ",") +
               Entry(i % 2 ? "g/v1" : "g/v0", "m" + std::to_string(i / 2), R"({"f:spec":{}})");
  }
  CHECK(Clean(entries + "]").starts_with("10000 ["));
}

}  // namespace entry_cleaner_test
}  // namespace migrate::owners
