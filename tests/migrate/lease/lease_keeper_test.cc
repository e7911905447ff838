#include "migrate/migration/lease_keeper.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "kube/json/json.h"
#include "tests/migrate/lease/inline_leases.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace lease_keeper_test {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using kube::client::lease_test::SpecText;

constexpr char kLeases[] = "leases.coordination.k8s.io";

struct Keeping {
  Keeping() { cluster.server.Add(kube::client::lease_test::kLeaseCrd); }

  void Run(kube::base::Clock::Duration time) {
    const auto end = cluster.clock.Now() + time;
    while (cluster.clock.Now() < end) {
      keeper.Advance();
      cluster.client.Poll(std::min(end, cluster.clock.Now() + 100ms));
    }
    keeper.Advance();
  }
  LeaseState StandingOf(Leases::Number lease) { return keeper.Look(lease).standing; }
  /// Puts there what another one has written.
  void Put(const std::string& spec) {
    cluster.server.Add(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{)"
                       R"("namespace":"shop","name":"boss"},"spec":)" +
                       spec + "}");
  }
  const kube::json::Value& Stored(const std::string& name = "boss") const {
    const kube::json::Value* stored = cluster.server.Stored(kLeases, "shop/" + name);
    REQUIRE(stored != nullptr);
    return *stored;
  }
  std::string Holder(const std::string& name = "boss") const {
    return std::string(Stored(name).Find("spec")->FindText("holderIdentity"));
  }

  test_support::FakeCluster cluster;
  LeaseKeeper keeper{cluster.session(), lease_test::Midnight};
};

LeaseRequest Boss(std::vector<std::string> predecessors = {}) {
  return {.namespace_ = "shop",
          .name = "boss",
          .identity = "a",
          .predecessors = std::move(predecessors),
          .crd_name = "widgets.demo.example.com",
          .crd_uid = "crd-uid"};
}

TEST_CASE("A Lease is taken, renewed, and given back", "[migrate][lease]") {
  Keeping keeping;
  const Leases::Number lease = keeping.keeper.Seek(Boss());
  CHECK(keeping.StandingOf(lease) == LeaseState::kSought);
  keeping.Run(1s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
  CHECK(keeping.Holder() == "a");
  CHECK(kube::json::Print(*keeping.Stored().Find("metadata")->Find("ownerReferences")) ==
        R"([{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
        R"("name":"widgets.demo.example.com","uid":"crd-uid"}])");
  keeping.Run(5min);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
  keeping.keeper.GiveBack(lease);
  keeping.keeper.Advance();
  CHECK(keeping.Holder().empty());
}

TEST_CASE("Several Leases are kept at once, and all given back at the end", "[migrate][lease]") {
  Keeping keeping;
  LeaseRequest clerk = Boss();
  clerk.name = "clerk";
  const Leases::Number one = keeping.keeper.Seek(Boss());
  keeping.Run(10s);
  const Leases::Number other = keeping.keeper.Seek(clerk);
  keeping.Run(1min);
  CHECK(keeping.StandingOf(one) == LeaseState::kOurs);
  CHECK(keeping.StandingOf(other) == LeaseState::kOurs);
  keeping.keeper.End();
  CHECK(keeping.Holder().empty());
  CHECK(keeping.Holder("clerk").empty());
}

TEST_CASE("Somebody else's Lease is seen, and taken when it has expired", "[migrate][lease]") {
  Keeping keeping;
  keeping.Put(SpecText("b", "00:00:00", "00:00:00", 30));
  const Leases::Number lease = keeping.keeper.Seek(Boss());
  keeping.Run(29s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOthers);
  CHECK(keeping.keeper.Look(lease).record.holder_identity == "b");
  // A candidate looks again after 2.2 retry periods at most.
  keeping.Run(13s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
  CHECK(keeping.Holder() == "a");
}

TEST_CASE("Who seeks or gives back does not wait for the thread to look about by itself",
          "[migrate][lease]") {
  Keeping keeping;
  const auto wakes = [&keeping] { return keeping.cluster.server.wakes(); };
  const Leases::Number lease = keeping.keeper.Seek(Boss());
  CHECK(wakes() == 1);
  keeping.keeper.GiveBack(lease);
  CHECK(wakes() == 2);
  // What is not kept is nobody's business.
  keeping.keeper.GiveBack(lease + 1);
  CHECK(wakes() == 2);
}

// A transport's Wake counts for the Poll under way, which is that of the request that gives back.
TEST_CASE("Who seeks or gives back while another Lease is being given back does not wait either",
          "[migrate][lease]") {
  Keeping keeping;
  const Leases::Number boss = keeping.keeper.Seek(Boss());
  LeaseRequest request = Boss();
  request.name = "page";
  const Leases::Number page = keeping.keeper.Seek(request);
  keeping.Run(1s);
  request.name = "clerk";
  Leases::Number clerk = 0;
  keeping.cluster.server.AddFault({.target = "leases/boss", .before = [&] {
                                     clerk = keeping.keeper.Seek(request);
                                     keeping.keeper.GiveBack(page);
                                   }});
  keeping.keeper.GiveBack(boss);
  keeping.keeper.Advance();
  REQUIRE(clerk != 0);
  CHECK(keeping.Holder().empty());
  CHECK(keeping.Holder("page").empty());
  keeping.cluster.client.Poll(keeping.cluster.clock.Now());
  const std::vector<std::string> lines = keeping.cluster.server.RequestLines();
  CHECK(std::ranges::count(lines,
                           "GET /apis/coordination.k8s.io/v1/namespaces/shop/leases/clerk") == 1);
}

TEST_CASE("What a predecessor has left is taken at once", "[migrate][lease]") {
  Keeping keeping;
  keeping.Put(SpecText("dead", "00:00:00", "00:00:00", 30));
  const Leases::Number lease = keeping.keeper.Seek(Boss({"older", "dead"}));
  keeping.Run(1s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
  CHECK(keeping.Holder() == "a");
}

TEST_CASE("Where a right is missing it is not available, and the reason says which",
          "[migrate][lease]") {
  Keeping keeping;
  keeping.cluster.server.Forbid(kLeases);
  const Leases::Number lease = keeping.keeper.Seek(Boss());
  keeping.Run(1s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kUnavailable);
  CHECK_THAT(keeping.keeper.Look(lease).reason,
             Contains("have a Role in that namespace allow get, create and update"));
}

TEST_CASE("What is not renewed becomes doubtful by the clock, though nobody notices",
          "[migrate][lease]") {
  Keeping keeping;
  const Leases::Number lease = keeping.keeper.Seek(Boss());
  keeping.Run(1s);
  keeping.cluster.clock.Advance(18s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
  keeping.cluster.clock.Advance(2s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kDoubtful);
  keeping.Run(1s);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
}

TEST_CASE("A server that is away for a while ends nothing", "[migrate][lease]") {
  Keeping keeping;
  const Leases::Number lease = keeping.keeper.Seek(Boss());
  keeping.Run(1s);
  bool is_away = true;
  test_support::FakeFault away;
  away.target = "/leases";
  away.times = 12;  // of a try each five seconds and more
  away.answer = test_support::FakeStatus(503, "ServiceUnavailable", "starting");
  keeping.cluster.server.AddFault(away);
  LeaseState worst = LeaseState::kOurs;
  for (int i = 0; i < 180 && is_away; ++i) {
    keeping.Run(1s);
    if (keeping.StandingOf(lease) != LeaseState::kOurs) worst = keeping.StandingOf(lease);
    is_away = worst == LeaseState::kOurs || keeping.StandingOf(lease) != LeaseState::kOurs;
  }
  CHECK(worst == LeaseState::kDoubtful);
  CHECK(keeping.StandingOf(lease) == LeaseState::kOurs);
}

TEST_CASE("Where nobody keeps them any more they are lost", "[migrate][lease]") {
  Keeping keeping;
  const Leases::Number held = keeping.keeper.Seek(Boss());
  keeping.Run(1s);
  keeping.keeper.Break("no credentials");
  CHECK(keeping.StandingOf(held) == LeaseState::kLost);
  const Leases::Number later = keeping.keeper.Seek(Boss());
  CHECK(keeping.StandingOf(later) == LeaseState::kUnavailable);
  CHECK(keeping.keeper.Look(later).reason == "no credentials");
}

}  // namespace lease_keeper_test
}  // namespace migrate::migration
