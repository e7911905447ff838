#include "plugin/command/fleet_clusters.h"

#include <catch2/catch.hpp>
#include <set>

#include "kube/base/result.h"
#include "tests/support/fake_cluster.h"

namespace plugin::command {
namespace cluster_identity_test {

using test_support::FakeCluster;
using test_support::FakeFault;
using Result = SameClusterProof::Result;

TEST_CASE("Known by their uids, clusters have any address", "[plugin][cluster_identity]") {
  const ClusterIdentity one{.uid = "1", .address = "https://a"};
  CHECK(one.MayBe({.uid = "1", .address = "https://b"}));
  CHECK_FALSE(one.MayBe({.uid = "2", .address = "https://a"}));
}

TEST_CASE("Where a uid is not known the address tells", "[plugin][cluster_identity]") {
  const ClusterIdentity unknown{.address = "https://a"};
  CHECK(unknown.MayBe({.uid = "1", .address = "https://a"}));
  CHECK(unknown.MayBe({.address = "https://a"}));
  CHECK_FALSE(unknown.MayBe({.uid = "1", .address = "https://b"}));
  CHECK_FALSE(ClusterIdentity{}.MayBe({}));
}

TEST_CASE("Another way to the same URL is another address", "[plugin][cluster_identity]") {
  kube::client::Kubeconfig kubeconfig;
  for (const char* name : {"plain", "same", "proxied", "named"}) {
    kubeconfig.contexts[name].cluster = name;
    kubeconfig.clusters[name].server = "https://127.0.0.1:6443";
  }
  kubeconfig.clusters["same"].server += '/';
  kubeconfig.clusters["proxied"].proxy_url = "socks5://far";
  kubeconfig.clusters["named"].tls_server_name = "other";
  kubeconfig.contexts["nowhere"];
  const auto address = [&](const std::string& context) {
    return ClusterIdentityOf(context, "", kubeconfig).address;
  };
  const std::string plain = address("plain");
  CHECK(address("same") == plain);
  CHECK(address("proxied") != plain);
  CHECK(address("named") != plain);
  CHECK(address("nowhere").empty());
  CHECK(address("unknown").empty());
}

TEST_CASE("Contexts of one cluster and user are the same way, whatever a server says",
          "[plugin][cluster_identity]") {
  kube::client::Kubeconfig kubeconfig;
  kubeconfig.clusters["c"].server = kubeconfig.clusters["d"].server = "https://127.0.0.1:6443";
  kubeconfig.contexts["shop"] = {.cluster = "c", .user = "u", .namespace_ = "shop"};
  kubeconfig.contexts["bank"] = {.cluster = "c", .user = "u", .namespace_ = "bank"};
  kubeconfig.contexts["admin"] = {.cluster = "c", .user = "v", .namespace_ = ""};
  kubeconfig.contexts["other"] = {.cluster = "d", .user = "u", .namespace_ = ""};
  const ClusterIdentity shop = ClusterIdentityOf("shop", "1", kubeconfig);
  CHECK(shop.IsSameWayAs(ClusterIdentityOf("bank", "2", kubeconfig)));
  CHECK_FALSE(shop.IsSameWayAs(ClusterIdentityOf("admin", "1", kubeconfig)));
  CHECK_FALSE(shop.IsSameWayAs(ClusterIdentityOf("other", "1", kubeconfig)));
  CHECK_FALSE(ClusterIdentity{}.IsSameWayAs({}));
}

/// One whose credentials cannot be had.
class Nobody : public FakeCluster {
  std::vector<kube::client::HttpHeader> Headers() override {
    throw kube::base::Error("the plugin failed");
  }
};

/// Two ways of two users, to one cluster or to two.
struct World {
  World() {
    one.server.ServeLeases();
    other.server.ServeLeases();
  }
  SameClusterProof Prove(FakeCluster& writer, FakeCluster& reader) {
    return ProveSameCluster(
        writer.session(), reader.session(), "default",
        [this] { return "holder-" + std::to_string(++holders); },
        writer.clock.Now() + std::chrono::seconds(30));
  }
  static std::string HolderIn(FakeCluster& cluster) {
    const auto* lease =
        cluster.server.Stored("leases.coordination.k8s.io", "default/kubectl-prune-fleet");
    return lease ? std::string(lease->Find("spec")->FindText("holderIdentity")) : "";
  }
  static FakeFault Refuses(const std::string& method) {
    return {.target = "/leases",
            .times = 0,
            .method = method,
            .answer =
                test_support::FakeStatus(403, "Forbidden", "leases: " + method + " is forbidden")};
  }

  FakeCluster one, other;
  int holders = 0;
};

TEST_CASE("What is written by one way and read by the other proves one cluster",
          "[plugin][cluster_identity]") {
  World world;
  for (int i = 1; i <= 2; ++i) {  // the Lease is made, and is there
    CHECK(world.Prove(world.one, world.one).result == Result::kSame);
    CHECK(World::HolderIn(world.one) == "holder-" + std::to_string(i));
  }
}

TEST_CASE("A clone has all that was written before, but not what is written now",
          "[plugin][cluster_identity]") {
  World world;
  CHECK(world.Prove(world.one, world.other).result == Result::kOther);
  REQUIRE(world.Prove(world.other, world.other).result == Result::kSame);
  CHECK(world.Prove(world.one, world.other).result == Result::kOther);
}

TEST_CASE("A server that repeats what it has heard before proves nothing",
          "[plugin][cluster_identity]") {
  World world;
  world.other.server.AddFault(
      {.target = "/leases/kubectl-prune-fleet",
       .times = 0,
       .method = "GET",
       .answer = test_support::FakeText(
           200, "application/json",
           R"({"kind":"Lease","metadata":{"resourceVersion":"7"},"spec":{"holderIdentity":"holder-1"}})")});
  // By chance the first one is right; any later one is not.
  world.holders = 1;
  CHECK(world.Prove(world.one, world.other).result == Result::kOther);
}

TEST_CASE("Without the rights nothing is proven, and it is told why",
          "[plugin][cluster_identity]") {
  World world;
  const auto [method, result] = GENERATE(
      table<std::string, Result>({{"GET", Result::kNotRead}, {"POST", Result::kNotWritten}}));
  FakeCluster& denied = result == Result::kNotRead ? world.other : world.one;
  denied.server.AddFault(World::Refuses(method));
  const SameClusterProof proof = world.Prove(world.one, world.other);
  CHECK(proof.result == result);
  CHECK_THAT(proof.why, Catch::Contains(method + " is forbidden"));
}

TEST_CASE("A server that does not answer holds nobody up for long", "[plugin][cluster_identity]") {
  World world;
  world.other.server.AddFault({.target = "/leases", .times = 0, .latency = std::chrono::hours(10)});
  const SameClusterProof proof = world.Prove(world.one, world.other);
  CHECK(proof.result == Result::kNotRead);
  CHECK(proof.why == "no answer in time");
  CHECK(world.other.clock.passed() <= std::chrono::seconds(31));
}

TEST_CASE("Another fleet that writes at the same time spoils no proof",
          "[plugin][cluster_identity]") {
  World world;
  REQUIRE(world.Prove(world.one, world.one).result == Result::kSame);
  world.one.server.AddFault(
      {.target = "/leases/kubectl-prune-fleet",
       .times = 2,
       .method = "PUT",
       .answer = test_support::FakeStatus(409, "Conflict", "the object has been modified")});
  CHECK(world.Prove(world.one, world.one).result == Result::kSame);
  CHECK(world.holders == 4);
}

TEST_CASE("All tries together have one end", "[plugin][cluster_identity]") {
  World world;
  world.one.server.AddFault(
      {.target = "/leases",
       .times = 0,
       .method = "POST",
       .latency = std::chrono::seconds(20),
       .answer = test_support::FakeStatus(409, "AlreadyExists", "it already exists")});
  const SameClusterProof proof = world.Prove(world.one, world.one);
  CHECK(proof.result == Result::kNotWritten);
  CHECK(proof.why == "no answer in time");
  CHECK(world.one.clock.passed() <= std::chrono::seconds(31));
}

TEST_CASE("What fails in passing is tried once more", "[plugin][cluster_identity]") {
  World world;
  const int times = GENERATE(1, 2);
  const std::string method = GENERATE("GET", "POST", "PUT");
  CAPTURE(times, method);
  if (method == "PUT") REQUIRE(world.Prove(world.one, world.one).result == Result::kSame);
  world.one.server.AddFault({.target = "/leases", .times = times, .method = method, .lost = true});
  const SameClusterProof proof = world.Prove(world.one, world.one);
  CHECK(proof.result == (times == 1 ? Result::kSame : Result::kNotWritten));
  if (times == 2) CHECK_THAT(proof.why, Catch::Contains("EOF"));
}

TEST_CASE("One of both that has no credentials is not the end of the other",
          "[plugin][cluster_identity]") {
  World world;
  Nobody nobody;
  SameClusterProof proof = world.Prove(world.one, nobody);
  CHECK(proof.result == Result::kNotRead);
  CHECK(proof.why == "the plugin failed");
  proof = world.Prove(nobody, world.one);
  CHECK(proof.result == Result::kNotWritten);
  CHECK(proof.why == "the plugin failed");
}

TEST_CASE("A run that is stopped proves nothing", "[plugin][cluster_identity]") {
  World world;
  const std::atomic<bool> stop = true;
  world.one.run_stop = &stop;
  const SameClusterProof proof = world.Prove(world.one, world.one);
  CHECK(proof.result == Result::kNotWritten);
  CHECK(proof.why == "interrupted");
}

}  // namespace cluster_identity_test
}  // namespace plugin::command
