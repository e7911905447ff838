#include "kube/schema/object_meta.h"

#include <catch2/catch.hpp>

namespace kube::schema {
namespace {

struct Answer {
  std::string metadata;  // or the error, or "absent"
  std::vector<std::string> unknown_fields;
};

Answer Read(const std::string& object, bool drop_invalid_fields) {
  json::Document document;
  REQUIRE(!document.Parse(object));
  const auto meta = GetObjectMeta(document.root(), drop_invalid_fields, document.arena());
  if (!meta) return {meta.error(), {}};
  if (!*meta) return {"absent", {}};
  return {json::Print((*meta)->metadata), (*meta)->unknown_field_paths};
}

std::string Request(const std::string& metadata) {
  return Read(R"({"metadata":)" + metadata + "}", false).metadata;
}

std::string FromEtcd(const std::string& metadata) {
  return Read(R"({"metadata":)" + metadata + "}", true).metadata;
}

TEST_CASE("An object without metadata has none", "[object_meta]") {
  CHECK(Read("{}", false).metadata == "absent");
  CHECK(Read("{}", true).metadata == "absent");
  CHECK(Request("null") == "{}");
  CHECK(Request("{}") == "{}");
}

TEST_CASE("Known fields stay, empty ones vanish", "[object_meta]") {
  const auto [before, after] = GENERATE(table<std::string, std::string>({
      {R"({"name":"n","uid":"u","generation":3})", R"({"generation":3,"name":"n","uid":"u"})"},
      {R"({"name":"","uid":null,"generation":0})", "{}"},
      {R"({"generation":1.0})", R"({"generation":1})"},
      {R"({"generation":null,"deletionGracePeriodSeconds":null})", "{}"},
      {R"({"deletionGracePeriodSeconds":0})", R"({"deletionGracePeriodSeconds":0})"},
      {R"({"labels":{},"annotations":null,"finalizers":[],"ownerReferences":[]})", "{}"},
      {R"({"labels":{"b":null,"a":"x"}})", R"({"labels":{"a":"x","b":""}})"},
      {R"({"finalizers":[null,"f"]})", R"({"finalizers":["","f"]})"},
      {R"({"Name":"n","clusterName":"c"})", "{}"},
  }));
  CHECK(Request(before) == after);
  CHECK(FromEtcd(before) == after);
}

TEST_CASE("An owner reference always has its four strings", "[object_meta]") {
  const std::string empty = R"({"apiVersion":"","kind":"","name":"","uid":""})";
  CHECK(Request(R"({"ownerReferences":[{},null]})") ==
        R"({"ownerReferences":[)" + empty + "," + empty + "]}");
  CHECK(
      Request(R"({"ownerReferences":[{"kind":"K","controller":false,"x":1}]})") ==
      R"({"ownerReferences":[{"apiVersion":"","controller":false,"kind":"K","name":"","uid":""}]})");
}

TEST_CASE("Times become UTC, the zero time vanishes at creation only", "[object_meta]") {
  CHECK(Request(R"({"creationTimestamp":"2020-01-02T03:04:05.9+01:00"})") ==
        R"({"creationTimestamp":"2020-01-02T02:04:05Z"})");
  CHECK(Request(R"({"creationTimestamp":"0001-01-01T00:00:00Z"})") == "{}");
  CHECK(Request(R"({"creationTimestamp":null,"deletionTimestamp":null})") == "{}");
  CHECK(Request(R"({"deletionTimestamp":"0001-01-01T00:00:00Z"})") ==
        R"({"deletionTimestamp":null})");
  CHECK(Request(R"({"managedFields":[{"time":"0001-01-01T00:00:00Z"}]})") ==
        R"({"managedFields":[{"time":null}]})");
}

TEST_CASE("fieldsV1 is kept as it is, its numbers as the server stores them", "[object_meta]") {
  CHECK(Request(R"({"managedFields":[{"fieldsV1":{"f:a":{".":null},"n":[1.0,1e3]},"x":1}]})") ==
        R"({"managedFields":[{"fieldsV1":{"f:a":{".":null},"n":[1,1000]}}]})");
  CHECK(Request(R"({"managedFields":[{"fieldsV1":null},{"fieldsV1":"s"},null]})") ==
        R"({"managedFields":[{},{"fieldsV1":"s"},{}]})");
}

TEST_CASE("A value of a wrong type is an error in Go's words", "[object_meta]") {
  const auto [metadata, error] = GENERATE(table<std::string, std::string>({
      {"[]", "value of type v1.ObjectMeta"},
      {R"({"name":[]})", "struct field ObjectMeta.name of type string"},
      {R"({"uid":[]})", "struct field ObjectMeta.uid of type types.UID"},
      {R"({"generation":[]})", "struct field ObjectMeta.generation of type int64"},
      {R"({"labels":[]})", "struct field ObjectMeta.labels of type map[string]string"},
      {R"({"labels":{"a":[]}})", "struct field ObjectMeta.labels of type string"},
      {R"({"finalizers":[[]]})", "struct field ObjectMeta.finalizers of type string"},
      {R"({"ownerReferences":[[]]})",
       "struct field ObjectMeta.ownerReferences of type v1.OwnerReference"},
      {R"({"ownerReferences":[{"controller":[]}]})",
       "struct field OwnerReference.ownerReferences.controller of type bool"},
      {R"({"ownerReferences":[{"uid":[]}]})",
       "struct field OwnerReference.ownerReferences.uid of type types.UID"},
      {R"({"managedFields":[{"operation":[]}]})",
       "struct field ManagedFieldsEntry.managedFields.operation of type "
       "v1.ManagedFieldsOperationType"},
      {R"({"managedFields":[{"time":[]}]})",
       "struct field ManagedFieldsEntry.managedFields.time of type string"},
      {R"({"deletionTimestamp":[]})", "struct field ObjectMeta.deletionTimestamp of type string"},
  }));
  CHECK(Request(metadata) == "json: cannot unmarshal array into Go " + error);
}

TEST_CASE("Lists and numbers of a wrong type are told apart", "[object_meta]") {
  const std::string start = "json: cannot unmarshal ";
  CHECK(Request(R"({"finalizers":"f"})") ==
        start + "string into Go struct field ObjectMeta.finalizers of type []string");
  CHECK(Request(R"({"ownerReferences":{}})") ==
        start +
            "object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference");
  CHECK(Request(R"({"managedFields":true})") ==
        start +
            "bool into Go struct field ObjectMeta.managedFields of type []v1.ManagedFieldsEntry");
  CHECK(Request(R"({"name":1.5})") ==
        start + "number into Go struct field ObjectMeta.name of type string");
  CHECK(Request(R"({"generation":1.5})") ==
        start + "number 1.5 into Go struct field ObjectMeta.generation of type int64");
  CHECK(
      Request(R"({"deletionGracePeriodSeconds":1e30})") ==
      start +
          "number 1e+30 into Go struct field ObjectMeta.deletionGracePeriodSeconds of type int64");
}

TEST_CASE("Of several errors the first by key wins, a bad time over all", "[object_meta]") {
  CHECK(Request(R"({"uid":1,"name":true})") ==
        "json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string");
  CHECK(Request(R"({"labels":{"b":1,"a":true}})") ==
        "json: cannot unmarshal bool into Go struct field ObjectMeta.labels of type string");
  CHECK(Request(R"({"annotations":1,"deletionTimestamp":"x","creationTimestamp":"y"})") ==
        R"(parsing time "y" as "2006-01-02T15:04:05Z07:00": cannot parse "y" as "2006")");
}

TEST_CASE("Reads drop a bad field whole", "[object_meta]") {
  CHECK(FromEtcd(R"({"name":"n","labels":{"a":"x","b":1}})") == R"({"name":"n"})");
  CHECK(FromEtcd(R"({"name":1,"creationTimestamp":"x","finalizers":["f",1],"uid":"u"})") ==
        R"({"uid":"u"})");
  CHECK(FromEtcd(R"({"ownerReferences":[{"name":"a"},{"name":1}],"generation":2})") ==
        R"({"generation":2})");
}

TEST_CASE("Metadata that is no object cannot be read", "[object_meta]") {
  const auto [metadata, type] = GENERATE(table<std::string, std::string>({
      {R"("x")", "string"},
      {"true", "bool"},
      {"1", "int64"},
      {"1.5", "float64"},
      {"[]", "[]interface {}"},
  }));
  CHECK(FromEtcd(metadata) == "invalid metadata: expected object, got " + type);
}

TEST_CASE("Unknown fields are told at every depth", "[object_meta]") {
  const std::string object = R"({"metadata":{"x":{"y":1},"name":"n","fieldsV1":{},
      "ownerReferences":[{},{"foo":1,"Kind":2}],"managedFields":[{"fieldsV1":{"z":1},"a b":1}]}})";
  const std::vector<std::string> unknown = {"metadata.fieldsV1", "metadata.managedFields[0].a b",
                                            "metadata.ownerReferences[1].Kind",
                                            "metadata.ownerReferences[1].foo", "metadata.x"};
  CHECK(Read(object, false).unknown_fields == unknown);
  CHECK(Read(object, true).unknown_fields == unknown);
}

TEST_CASE("Unknown fields of a dropped field are not told", "[object_meta]") {
  const Answer answer =
      Read(R"({"metadata":{"ownerReferences":[{"foo":1,"name":1}],"bar":1}})", true);
  CHECK(answer.metadata == "{}");
  CHECK(answer.unknown_fields == std::vector<std::string>{"metadata.bar"});
}

TEST_CASE("No more than 100 unknown fields are told, as in Go", "[object_meta]") {
  std::string metadata = R"({"name":"n")";
  for (int i = 100; i < 250; ++i) metadata += ",\"u" + std::to_string(i) + "\":1";
  const Answer answer = Read(R"({"metadata":)" + metadata + "}}", false);
  CHECK(answer.metadata == R"({"name":"n"})");
  CHECK(answer.unknown_fields.size() == 100);
  CHECK(answer.unknown_fields.back() == "metadata.u199");
}

TEST_CASE("Deep nesting in fieldsV1 and in unknown fields is survived", "[object_meta]") {
  const std::size_t depth = json::kMaxDepth - 10;
  const std::string nested = std::string(depth, '[') + std::string(depth, ']');
  CHECK(Request(R"({"x":)" + nested + "}") == "{}");
  CHECK(Request(R"({"managedFields":[{"fieldsV1":)" + nested + "}]}") ==
        R"({"managedFields":[{"fieldsV1":)" + nested + "}]}");
}

}  // namespace
}  // namespace kube::schema
