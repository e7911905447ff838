#include <catch2/catch.hpp>
#include <string>

#include "migrate/restore/restore.h"
#include "tests/migrate/lease/inline_leases.h"
#include "tests/migrate/restore/restore_world.h"

namespace migrate::restore {
namespace restore_test {

using Catch::Matchers::Contains;
using kube::client::lease_test::SpecText;

const std::string kOther = "alice@bastion/4711/0000000000000001";

/// A restore that takes the Lease of its CRD.
struct LeasedWorld : World {
  LeasedWorld() {
    cluster.server.Add(kube::client::lease_test::kLeaseCrd);
    options.lease = {.leases = &leases, .self = {"bob", "laptop", 1, 2}};
  }
  std::string LeaseName() const {
    const kube::json::Value* crd =
        cluster.server.Stored("customresourcedefinitions.apiextensions.k8s.io", kWidgets);
    return "kubectl-prune-" + kWidgets + "-" + std::string(crd->Find("metadata")->FindText("uid"));
  }
  void Give(const std::string& holder, const std::string& renewed) {
    cluster.server.Add(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{)"
                       R"("namespace":"default","name":")" +
                       LeaseName() + R"("},"spec":)" + SpecText(holder, renewed, "00:00:00", 30) +
                       "}");
  }
  std::string Holder() const {
    const kube::json::Value* lease =
        cluster.server.Stored("leases.coordination.k8s.io", "default/" + LeaseName());
    REQUIRE(lease != nullptr);
    return std::string(lease->Find("spec")->FindText("holderIdentity"));
  }

  migration::lease_test::InlineLeases leases{cluster.session()};
};

TEST_CASE("A restore takes the Lease before it writes, and gives it back", "[restore][lease]") {
  LeasedWorld world;
  std::string holder;
  world.Before(kInShop, 1, [&] { holder = world.Holder(); });
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_THAT(holder, Contains("bob@laptop/1/"));
  CHECK(world.Holder().empty());
  world.CheckAllAreBack();
}

TEST_CASE("Nothing is restored while another run is at work", "[restore][lease]") {
  LeasedWorld world;
  world.Give(kOther, "00:00:00");
  world.Before("/leases/", 2, [&] { world.Give(kOther, "00:00:05"); });
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("alice@bastion (process 4711) is at work on it"));
  CHECK(world.Requests("PATCH") == 0);
}

TEST_CASE("A restore that loses the Lease writes no more", "[restore][lease]") {
  LeasedWorld world;
  world.options.pace.concurrency = 1;
  FakeFault slow = World::Always(kInShop);
  slow.latency = std::chrono::seconds(4);
  world.cluster.server.AddFault(slow);
  world.Before(kInShop, 2, [&] { world.Give(kOther, "00:00:05"); });
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("was lost: it is held by alice@bastion (process 4711)"));
  CHECK(crd.counts[report::RestoreClass::kNotTried] > 0);
  CHECK(world.Holder() == kOther);
}

TEST_CASE("Without rights to Leases a restore warns and goes on", "[restore][lease]") {
  LeasedWorld world;
  FakeFault fault = World::Always("/leases");
  fault.answer = FakeStatus(403, "Forbidden", "leases is forbidden");
  world.cluster.server.AddFault(fault);
  CHECK(world.Run().outcome == report::Outcome::kDone);
  REQUIRE_FALSE(world.observer.lines.empty());
  CHECK_THAT(world.observer.lines.front(), Contains("would not be noticed"));
  world.CheckAllAreBack();
}

}  // namespace restore_test
}  // namespace migrate::restore
