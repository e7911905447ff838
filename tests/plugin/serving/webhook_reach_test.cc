#include <catch2/catch.hpp>

#include "kube/serve/certificates.h"
#include "plugin/command/webhook_run.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/test_certificates.h"

namespace plugin::command {
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
    return MakeReach(options, FindPlace(options, server()), 9443, "").url;
  }
  AskingServer server() {
    return {cluster.client, [this] {
              ++certificates_asked;
              return certificate;
            }};
  }

  FakeCluster cluster;
  std::string certificate;
  int certificates_asked = 0;
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

// As those servers have them: k3s names itself, minikube's is its subject, and Docker Desktop's is
// one of the names.
TEST_CASE("A server is known by its certificate", "[plugin][serving]") {
  const auto url_at = [](const std::string& certificate) {
    World world;
    world.certificate = certificate;
    return world.UrlOf({});
  };
  const kube::serve::TimePoint now{std::chrono::seconds(1'700'000'000)};
  const auto made =
      kube::serve::MakeSelfSigned({"docker-for-desktop"}, now, std::chrono::hours(24));
  CHECK(url_at(test_support::kRsa) == "https://host.k3d.internal:9443");
  CHECK(url_at(test_support::kMinikube) == "https://host.minikube.internal:9443");
  CHECK(url_at(made.certificate_pem) == "https://host.docker.internal:9443");
  CHECK(url_at("no certificate") == "https://localhost:9443");
}

TEST_CASE("A server is asked only where that matters", "[plugin][serving]") {
  World world;
  world.UrlOf({.host = "me.example.com"});
  world.UrlOf({.reach = Reachable::kMinikube});
  world.UrlOf({.url = "https://tunnel.example.com"});
  CHECK(world.cluster.server.requests().empty());
  CHECK(world.certificates_asked == 0);
}

TEST_CASE("A Service is named by its host", "[plugin][serving]") {
  World world;
  const ServingOptions options{.host = "guard.kubectl-prune.svc", .reach = Reachable::kService};
  const WebhookPlace place = FindPlace(options, world.server());
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
}  // namespace plugin::command
