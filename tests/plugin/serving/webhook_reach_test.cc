#include "plugin/serving/webhook_reach.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace plugin::serving {
namespace webhook_reach_test {

using test_support::FakeCluster;
using Strings = std::vector<std::string>;

/// A cluster whose server tells this version.
struct World {
  explicit World(const std::string& version = "v1.29.4") {
    test_support::FakeFault fault;
    fault.target = "/version";
    fault.times = 0;
    fault.answer.emplace().body = R"({"gitVersion":")" + version + R"("})";
    cluster.server.AddFault(std::move(fault));
  }
  std::string UrlOf(const ServingOptions& options) {
    return MakeReach(options, FindPlace(options, cluster.client), 9443, "").url;
  }

  FakeCluster cluster;
};

TEST_CASE("A host is what was given, else by what the server is", "[plugin][serving]") {
  World k3s("v1.29.4+k3s1");
  World other;
  CHECK(k3s.UrlOf({}) == "https://host.k3d.internal:9443");
  CHECK(k3s.UrlOf({.reach = Reachable::kPlain}) == "https://localhost:9443");
  CHECK(k3s.UrlOf({.host = "me.example.com"}) == "https://me.example.com:9443");
  CHECK(other.UrlOf({}) == "https://localhost:9443");
  CHECK(other.UrlOf({.address = "10.0.0.7"}) == "https://10.0.0.7:9443");
  CHECK(other.UrlOf({.address = "fd00::7"}) == "https://[fd00::7]:9443");
  CHECK(other.UrlOf({.reach = Reachable::kK3d}) == "https://host.k3d.internal:9443");
  CHECK(other.UrlOf({.reach = Reachable::kMinikube}) == "https://host.minikube.internal:9443");
  CHECK(other.UrlOf({.url = "https://tunnel.example.com/x"}) == "https://tunnel.example.com/x");
}

TEST_CASE("A server is asked only where that matters", "[plugin][serving]") {
  World world;
  world.UrlOf({.host = "me.example.com"});
  world.UrlOf({.reach = Reachable::kMinikube});
  world.UrlOf({.url = "https://tunnel.example.com"});
  CHECK(world.cluster.server.requests().empty());
}

TEST_CASE("A Service is named by its host", "[plugin][serving]") {
  World world;
  const ServingOptions options{.host = "guard.kubectl-prune.svc", .reach = Reachable::kService};
  const WebhookPlace place = FindPlace(options, world.cluster.client);
  const kube::admission::Reach reach = MakeReach(options, place, 9443, "PEM");
  CHECK(reach.url.empty());
  REQUIRE(reach.service);
  CHECK(reach.service->namespace_ == "kubectl-prune");
  CHECK(reach.service->name == "guard");
  CHECK(reach.service->port == 443);
  CHECK(reach.ca_bundle == "PEM");
  CHECK(CertificateNames(options, place) == Strings{"guard.kubectl-prune.svc"});
}

TEST_CASE("A certificate is for the host, the address and what is added", "[plugin][serving]") {
  CHECK(CertificateNames({.address = "10.0.0.7", .extra_sans = {"a", "b"}}, {.host = "me"}) ==
        Strings{"me", "a", "b", "10.0.0.7"});
  CHECK(CertificateNames({.url = "https://tunnel.example.com"}, {}) == Strings{"localhost"});
}

}  // namespace webhook_reach_test
}  // namespace plugin::serving
