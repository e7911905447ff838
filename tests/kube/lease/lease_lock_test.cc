#include "kube/client/lease_lock.h"

#include <catch2/catch.hpp>

#include "tests/kube/lease/election_world.h"
#include "tests/support/fake_cluster.h"

namespace kube::client {
namespace lease_lock_test {

using lease_test::Texts;
using test_support::FakeText;
using Action = LeaseLock::Action;

struct Locked {
  Locked() { cluster.server.Add(lease_test::kLeaseCrd); }
  /// Until the call has ended, "done" or its error.
  std::string Wait() {
    while (lock.is_under_way()) cluster.client.Poll(cluster.clock.Now() + std::chrono::seconds(1));
    return outcome;
  }
  void Answer(const test_support::FakeAnswer& answer) {
    test_support::FakeFault fault;
    fault.answer = answer;
    cluster.server.AddFault(fault);
  }

  test_support::FakeCluster cluster;
  std::string outcome;
  LeaseLock lock{"shop", "boss", cluster.session(), [this](const std::optional<CallError>& error) {
                   outcome = error ? error->message : "done";
                 }};
};

TEST_CASE("A Lease is created, read and updated", "[kube][lease]") {
  Locked locked;
  locked.lock.Create({"a", 15, "2026-01-01T00:00:00.000000Z", "", 0});
  CHECK(locked.Wait() == "done");
  CHECK(locked.lock.action() == Action::kCreate);
  CHECK(locked.cluster.server.requests().back().body ==
        R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"boss",)"
        R"("namespace":"shop"},"spec":{"acquireTime":"2026-01-01T00:00:00.000000Z",)"
        R"("holderIdentity":"a","leaseDurationSeconds":15,"leaseTransitions":0}})");
  locked.lock.Update({"b", 16, "", "", 1});
  CHECK(locked.Wait() == "done");
  locked.lock.Get();
  CHECK(locked.Wait() == "done");
  CHECK(locked.lock.record() == LeaseRecord{"b", 16, "", "", 1});
  CHECK(locked.lock.spec_text() ==
        R"({"holderIdentity":"b","leaseDurationSeconds":16,"leaseTransitions":1})");
  CHECK(locked.cluster.server.RequestLines() == Texts{"POST " + lease_test::kList,
                                                      "PUT " + lease_test::kLease,
                                                      "GET " + lease_test::kLease});
}

TEST_CASE("An update leaves all but the spec as the server has it", "[kube][lease]") {
  Locked locked;
  locked.cluster.server.Add(
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"namespace":"shop",)"
      R"("name":"boss","uid":"u","labels":{"a":"b"}},"later":1.5,"spec":{"later":true}})");
  locked.lock.Get();
  CHECK(locked.Wait() == "done");
  locked.lock.Update({});
  CHECK(locked.Wait() == "done");
  json::Document sent;
  REQUIRE_FALSE(sent.Parse(locked.cluster.server.requests().back().body));
  CHECK(json::Print(*sent.root().Find("spec")) ==
        R"({"holderIdentity":"","leaseDurationSeconds":0,"leaseTransitions":0})");
  const json::Value* metadata = sent.root().Find("metadata");
  CHECK(json::Print(*metadata->Find("labels")) == R"({"a":"b"})");
  CHECK(json::Print(*sent.root().Find("later")) == "1.5");
  CHECK(metadata->FindText("uid") == "u");
  CHECK_FALSE(metadata->FindText("resourceVersion").empty());
}

TEST_CASE("A Lease that is created goes with its owner", "[kube][lease]") {
  Locked locked;
  LeaseLock lock(
      "shop", "boss", locked.cluster.session(), [](const auto&) {},
      LeaseOwner{"demo.example.com/v1", "Shop", "main", "owner-uid"});
  lock.Create({"a", 15, "", "", 0});
  while (lock.is_under_way()) {
    locked.cluster.client.Poll(locked.cluster.clock.Now() + std::chrono::seconds(1));
  }
  json::Document sent;
  REQUIRE_FALSE(sent.Parse(locked.cluster.server.requests().back().body));
  CHECK(json::Print(*sent.root().Find("metadata")->Find("ownerReferences")) ==
        R"([{"apiVersion":"demo.example.com/v1","kind":"Shop","name":"main","uid":"owner-uid"}])");
}

TEST_CASE("An answer that is no Lease is an error", "[kube][lease]") {
  Locked locked;
  const auto [body] = GENERATE(table<std::string>({
      {"[]"},
      {"{}"},
      {R"({"kind":"Lease","metadata":)"},
      {R"({"kind":"Lease"})"},
      {R"({"kind":"Lease","metadata":{"resourceVersion":5}})"},
      {R"({"kind":"Pod","metadata":{"resourceVersion":"5"},"spec":{}})"},
  }));
  CAPTURE(body);
  locked.Answer(FakeText(200, "application/json", body));
  locked.lock.Get();
  CHECK(locked.Wait() == "the server's answer to GET " + lease_test::kLease + " is no Lease");
}

TEST_CASE("An answer without end is given up", "[kube][lease]") {
  Locked locked;
  locked.cluster.server.SetPieceSize(1024 * 1024);
  locked.Answer(FakeText(200, "application/json",
                         R"({"kind":"Lease","metadata":{"resourceVersion":"1"},"x":")" +
                             std::string(5'000'000, 'x') + "\"}"));
  locked.lock.Get();
  CHECK_THAT(locked.Wait(), Catch::EndsWith("is longer than 4194304 bytes"));
}

TEST_CASE("Names are escaped", "[kube][lease]") {
  Locked locked;
  LeaseLock lock("a/b", "c?d", locked.cluster.session(), [](const auto&) {});
  lock.Get();
  locked.cluster.client.Poll(locked.cluster.clock.Now());
  CHECK(locked.cluster.server.RequestLines() ==
        Texts{"GET /apis/coordination.k8s.io/v1/namespaces/a%2Fb/leases/c%3Fd"});
}

TEST_CASE("A connection on which nothing came is not used again", "[kube][lease]") {
  Locked locked;
  locked.lock.Get();
  locked.lock.Abandon();
  CHECK_FALSE(locked.lock.is_under_way());
  locked.lock.Get();
  locked.Wait();
  locked.lock.Get();
  locked.Wait();
  const auto& requests = locked.cluster.server.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].fresh_connection);
  CHECK_FALSE(requests[1].fresh_connection);
}

}  // namespace lease_lock_test
}  // namespace kube::client
