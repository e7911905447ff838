#include "migrate/cluster/entry_cleaner.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/support/test_schema.h"

namespace migrate::cluster {
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
  const EntryCleaner cleaner(support::TestCrd("v1", kSpec), "v1", Cleaning::kAlways);
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
    cleaner = std::make_unique<EntryCleaner>(crd, "v1", Cleaning::kAlways);
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

constexpr char kTwoVersions[] = R"({"group":"g","scope":"Namespaced",
  "names":{"plural":"ws","kind":"W"},
  "versions":[
    {"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{
        "a":{"type":"string"},"b":{"type":"string"}}}}}}},
    {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]})";

/// The cleaned entries of an object with this spec, written as `written`; "untouched".
std::string CleanOf(const std::string& spec, const std::string& entries, Cleaning cleaning,
                    const std::string& written = "v2", const std::string& changed_spec = "",
                    const std::string& conversion = "", const std::set<std::string>& unfit = {}) {
  std::string crd = kTwoVersions;
  crd.insert(crd.size() - 1, conversion);
  const EntryCleaner cleaner(support::TestCrd("v1", crd), written, cleaning, unfit);
  kube::json::Document object, changed;
  const auto text = [&entries](const std::string& of) {
    return R"({"metadata":{"managedFields":[)" + entries + R"(]},"spec":)" + of + "}";
  };
  REQUIRE(!object.Parse(text(spec)));
  if (!changed_spec.empty()) REQUIRE(!changed.Parse(text(changed_spec)));
  const auto cleaned = cleaner.Clean(object.root(), object.arena(),
                                     changed_spec.empty() ? nullptr : &changed.root());
  return cleaned ? kube::json::Print(cleaned->entries) : "untouched";
}

TEST_CASE("Entries are cleaned of objects that their version does not hold",
          "[migrate][entry_cleaner]") {
  const std::string one = Entry("g/v1", "m", R"({"f:spec":{"f:a":{}}})");
  const std::string two = Entry("g/v2", "m", R"({"f:spec":{"f:a":{}}})");
  CHECK(CleanOf(R"({"a":"x","b":"y"})", one, Cleaning::kAuto) == "[" + two + "]");
  CHECK(CleanOf(R"({"a":"x"})", one, Cleaning::kAuto) == "untouched");
  CHECK(CleanOf(R"({"a":"x"})", one, Cleaning::kAlways) == "[" + two + "]");
  CHECK(CleanOf(R"({"a":"x","b":"y"})", two, Cleaning::kAuto) == "untouched");
  // The server reads the object as it will be, too.
  CHECK(CleanOf(R"({"a":"x"})", one, Cleaning::kAuto, "v2", R"({"b":"y"})") == "[" + two + "]");
  // In the other version all fits.
  CHECK(CleanOf(R"({"a":"x"})", two, Cleaning::kAuto, "v1") == "untouched");
  CHECK(CleanOf(R"({"a":"x"})", Entry("g/v0", "m", R"({"f:spec":{"f:a":{},"f:b":{}}})"),
                Cleaning::kAuto, "v1") == "[" + one + "]");
}

TEST_CASE("Entries that hold the object stay beside those that are cleaned",
          "[migrate][entry_cleaner]") {
  const std::string fields = R"({"f:spec":{"f:a":{}}})";
  CHECK(CleanOf(R"({"a":"x"})", Entry("g/v1", "m", fields) + "," + Entry("g/v0", "n", fields),
                Cleaning::kAuto) ==
        "[" + Entry("g/v1", "m", fields) + "," + Entry("g/v2", "n", fields) + "]");
}

TEST_CASE("Defaults that the write brings count, and what it prunes does not",
          "[migrate][entry_cleaner]") {
  constexpr char kDefault[] =
      R"({"group":"g","scope":"Namespaced","names":{"plural":"ws","kind":"W"},
    "versions":[
    {"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{
        "a":{"type":"string"},"mode":{"type":"string","default":"fast"}}}}}}},
    {"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]})";
  const EntryCleaner cleaner(support::TestCrd("v1", kDefault), "v2", Cleaning::kAuto);
  const auto [object, is_cleaned] = GENERATE(table<std::string, bool>({
      {R"("spec":{"a":"x"})", true},
      {R"("spec":{"a":"x","mode":"slow"})", true},
      // Without spec there is nothing to set a default in.
      {R"("status":{})", false},
  }));
  kube::json::Document document;
  REQUIRE(!document.Parse(R"({"metadata":{"managedFields":[)" +
                          Entry("g/v1", "m", R"({"f:spec":{"f:a":{}}})") + "]}," + object + "}"));
  CHECK(cleaner.Clean(document.root(), document.arena()).has_value() == is_cleaned);
  CHECK(CleanOf(R"({"a":"x","pruned":1})", Entry("g/v1", "m", R"({"f:spec":{"f:a":{}}})"),
                Cleaning::kAuto) == "untouched");
}

TEST_CASE("Where a webhook converts those entries are cleaned that the server was seen to empty",
          "[migrate][entry_cleaner]") {
  const std::string webhook = R"(,"conversion":{"strategy":"Webhook"})";
  const std::string one = Entry("g/v1", "m", R"({"f:spec":{"f:a":{}}})");
  const std::string two = Entry("g/v2", "m", R"({"f:spec":{"f:a":{}}})");
  const std::string spec = R"({"b":"y"})";
  CHECK(CleanOf(spec, one, Cleaning::kAuto, "v2", "", webhook) == "untouched");
  CHECK(CleanOf(spec, one, Cleaning::kAuto, "v2", "", webhook, {"v1"}) == "[" + two + "]");
  CHECK(CleanOf(spec, two, Cleaning::kAuto, "v2", "", webhook, {"v1", "v2"}) == "untouched");
}

TEST_CASE("The entries for which a server empties managedFields are found",
          "[migrate][entry_cleaner]") {
  const EntryCleaner cleaner(support::TestCrd("v1", kTwoVersions), "v2", Cleaning::kAuto);
  CHECK(cleaner.needs_objects());
  const std::string fields = R"({"f:spec":{"f:a":{}}})";
  const std::string entries = Entry("g/v0", "gone", fields) + "," + Entry("g/v1", "m", fields) +
                              "," + Entry("g/v2", "n", fields);
  const auto [spec, found] = GENERATE(table<std::string, std::size_t>({
      {R"({"b":"y"})", 1},
      {R"({"a":"y"})", 0},
  }));
  kube::json::Document object;
  REQUIRE(
      !object.Parse(R"({"metadata":{"managedFields":[)" + entries + R"(]},"spec":)" + spec + "}"));
  const auto unfit = cleaner.FindUnfit(object.root());
  REQUIRE(unfit.size() == found);
  if (found > 0) CHECK(unfit[0]->FindText("manager") == "m");
}

}  // namespace entry_cleaner_test
}  // namespace migrate::cluster
