#include "migrate/shards/record_store.h"

#include <catch2/catch.hpp>

#include "kube/json/json.h"
#include "migrate/shards/shard_record_json.h"
#include "tests/support/fake_cluster.h"

namespace migrate::shards {
namespace record_store_test {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using test_support::FakeAnswer;
using test_support::FakeStatus;
using test_support::FakeText;
using Strings = std::vector<std::string>;

const std::string kConfigMaps = "/api/v1/namespaces/kube-system/configmaps";
const std::string kConfigMap = kConfigMaps + "/kubectl-prune-widgets-u";

ShardRecord Record(std::int64_t round = 1) {
  return {.crd_uid = "u",
          .generation = 3,
          .storage_version = "v1",
          .purpose = "flags",
          .round = round,
          .parts = {{}, {.step = ShardPart::Step::kDone, .holder = "a"}}};
}

std::string Quote(const std::string& text) {
  return kube::json::Print(kube::json::Value::String(text));
}

FakeAnswer Holding(const ShardRecord& record, const std::string& resource_version) {
  return FakeText(200, "application/json",
                  R"({"kind":"ConfigMap","metadata":{"resourceVersion":")" + resource_version +
                      R"("},"data":{"record":)" + Quote(PrintShardRecord(record)) + "}}");
}

FakeAnswer Conflict() { return FakeStatus(409, "Conflict", "the object has been modified"); }
FakeAnswer Trouble() { return FakeStatus(500, "InternalError", "etcdserver: request timed out"); }
FakeAnswer Absent() { return FakeStatus(404, "NotFound", "configmaps not found"); }

/// A server that has these answers to questions about the ConfigMap, one after the other.
struct Answering {
  explicit Answering(const std::vector<FakeAnswer>& answers) {
    int number = 0;
    for (const FakeAnswer& answer : answers) {
      test_support::FakeFault fault;
      fault.target = "/configmaps";
      fault.first = ++number;
      fault.answer = answer;
      cluster.server.AddFault(fault);
    }
  }
  Strings Sent() const { return cluster.server.RequestLines(); }

  test_support::FakeCluster cluster;
  RecordStore store{{"kube-system", "kubectl-prune-widgets-u", "widgets.demo.example.com", "u"},
                    cluster.session()};
};

TEST_CASE("Where there is no ConfigMap nobody has begun", "[migrate][shards]") {
  Answering server({Absent()});
  const auto read = server.store.Read();
  REQUIRE(read);
  CHECK_FALSE(read->record);
  CHECK(read->resource_version.empty());
  CHECK(server.Sent() == Strings{"GET " + kConfigMap});
}

TEST_CASE("What a ConfigMap holds is read with its version", "[migrate][shards]") {
  Answering server({Holding(Record(), "17")});
  const auto read = server.store.Read();
  REQUIRE(read);
  CHECK(read->record == Record());
  CHECK(read->resource_version == "17");
}

TEST_CASE("What cannot be understood is nobody's to replace", "[migrate][shards]") {
  Answering server({FakeText(200, "application/json",
                             R"({"metadata":{"resourceVersion":"1"},"data":{"record":"x"}})")});
  const auto read = server.store.Read();
  REQUIRE_FALSE(read);
  CHECK_THAT(read.error(),
             Contains("kubectl delete configmap -n kube-system kubectl-prune-widgets-u"));
}

TEST_CASE("The first write makes the ConfigMap, which goes with the CRD", "[migrate][shards]") {
  Answering server({Holding(Record(), "1")});
  CHECK(*server.store.Write(Record(), {}) == Stored::kYes);
  CHECK(server.Sent() == Strings{"POST " + kConfigMaps});
  kube::json::Document sent;
  REQUIRE_FALSE(sent.Parse(server.cluster.server.requests()[0].body));
  const kube::json::Value& metadata = *sent.root().Find("metadata");
  CHECK(metadata.Find("resourceVersion") == nullptr);
  CHECK(kube::json::Print(*metadata.Find("ownerReferences")) ==
        R"([{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
        R"("name":"widgets.demo.example.com","uid":"u"}])");
  CHECK(ReadShardRecord(sent.root().Find("data")->FindText("record")) == Record());
}

TEST_CASE("A write is for what was read alone", "[migrate][shards]") {
  Answering server({Holding(Record(2), "18")});
  CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kYes);
  CHECK(server.Sent() == Strings{"PUT " + kConfigMap});
  kube::json::Document sent;
  REQUIRE_FALSE(sent.Parse(server.cluster.server.requests()[0].body));
  CHECK(sent.root().Find("metadata")->FindText("resourceVersion") == "17");
}

TEST_CASE("Who is overtaken is told, and nothing is written", "[migrate][shards]") {
  SECTION("by a change") {
    Answering server({Conflict(), Holding(Record(5), "18")});
    CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kOvertaken);
    CHECK(server.Sent() == Strings{"PUT " + kConfigMap, "GET " + kConfigMap});
  }
  SECTION("by somebody who was first") {
    Answering server({Conflict(), Holding(Record(5), "1")});
    CHECK(*server.store.Write(Record(2), {}) == Stored::kOvertaken);
  }
  SECTION("by somebody who has deleted it") {
    Answering server({Absent(), Absent()});
    CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kOvertaken);
  }
}

TEST_CASE("An answer that is lost is looked up", "[migrate][shards]") {
  FakeAnswer lost;
  lost.lost = true;
  SECTION("it was done") {
    Answering server({lost, Holding(Record(2), "18")});
    CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kYes);
  }
  SECTION("it was not, and is tried again") {
    Answering server({lost, Holding(Record(), "17"), Holding(Record(2), "18")});
    CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kYes);
    CHECK(server.Sent() == Strings{"PUT " + kConfigMap, "GET " + kConfigMap, "PUT " + kConfigMap});
  }
  SECTION("it was not, and others were faster") {
    Answering server({lost, Holding(Record(5), "18")});
    CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kOvertaken);
  }
  SECTION("it was, though the next try is overtaken by it") {
    Answering server({Trouble(), Holding(Record(), "17"), Conflict(), Holding(Record(2), "18")});
    CHECK(*server.store.Write(Record(2), {"17", Record()}) == Stored::kYes);
  }
}

TEST_CASE("A right that is missing is told with what to do", "[migrate][shards]") {
  const FakeAnswer forbidden = FakeStatus(403, "Forbidden", "no");
  Answering reading({forbidden});
  CHECK_THAT(reading.store.Read().error(),
             Contains("cannot get the ConfigMap \"kube-system/kubectl-prune-widgets-u\"") &&
                 Contains("allow get, create and update of configmaps"));
  Answering writing({forbidden});
  CHECK_THAT(writing.store.Write(Record(), {}).error(), Contains("cannot create the ConfigMap"));
}

TEST_CASE("Trouble that does not end is given up after half a minute", "[migrate][shards]") {
  std::vector<FakeAnswer> answers(200, Trouble());
  Answering server(answers);
  const auto written = server.store.Write(Record(2), {"17", Record()});
  REQUIRE_FALSE(written);
  CHECK_THAT(written.error(), Contains("it is not known whether"));
  CHECK(server.cluster.clock.passed() >= 30s);
  CHECK(server.cluster.clock.passed() < 60s);
}

}  // namespace record_store_test
}  // namespace migrate::shards
