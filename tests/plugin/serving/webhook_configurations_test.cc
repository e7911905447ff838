#include "plugin/serving/webhook_configurations.h"

#include <catch2/catch.hpp>

#include "kube/base/error.h"
#include "tests/kube/admission/configuration_crd.h"
#include "tests/support/fake_cluster.h"

namespace plugin::serving {
namespace webhook_configurations_test {

using kube::admission::admission_test::ConfigurationCrdText;
using Strings = std::vector<std::string>;

constexpr char kValidating[] = "validatingwebhookconfigurations.admissionregistration.k8s.io";
constexpr char kMutating[] = "mutatingwebhookconfigurations.admissionregistration.k8s.io";
const kube::admission::Reach kReach{.url = "https://a:9443"};

kube::admission::Handlers OneHandler() {
  kube::admission::Handlers handlers;
  handlers.Add(
      kube::admission::Validate("check", {.resources = {kube::admission::AnyResource()}},
                                [](const kube::admission::Review&, kube::admission::Reply&) {
                                  return kube::admission::Allowed();
                                }));
  return handlers;
}

/// A cluster in which webhooks of one validating handler are kept.
struct World {
  World() {
    cluster.server.Add(ConfigurationCrdText("Validating"));
    cluster.server.Add(ConfigurationCrdText("Mutating"));
  }
  std::size_t Webhooks() {
    const kube::json::Value* stored = cluster.server.Stored(kValidating, "guard.dev");
    return stored == nullptr ? 0 : stored->Find("webhooks")->size();
  }
  void EmptyByHand() { cluster.server.Delete(kValidating, "guard.dev"); }

  test_support::FakeCluster cluster;
  Strings lines;
  const WebhookConfigurations::TellFunction tell = [this](const std::string& line) {
    lines.push_back(line);
  };
  WebhookConfigurations configurations{"guard.dev", cluster.client, tell};
  const kube::admission::Handlers handlers = OneHandler();
};

TEST_CASE("Webhooks are made at first and taken away at the end", "[plugin][serving]") {
  World world;
  world.configurations.ApplyFirst(world.handlers, kReach);
  CHECK(world.Webhooks() == 1);
  world.configurations.Apply(world.handlers, kReach);
  world.configurations.Withdraw(world.handlers);
  CHECK(world.Webhooks() == 0);
  CHECK(world.lines.empty());
  CHECK(world.cluster.server.Stored(kMutating, "guard.dev") == nullptr);
}

TEST_CASE("What somebody else has changed is restored, and told once", "[plugin][serving]") {
  World world;
  world.configurations.ApplyFirst(world.handlers, kReach);
  for (int i = 0; i < 3; ++i) {
    world.EmptyByHand();
    world.configurations.Apply(world.handlers, kReach);
    CHECK(world.Webhooks() == 1);
  }
  CHECK(
      world.lines ==
      Strings{"note: somebody had changed the webhooks of guard.dev, which are as they were again; "
              "a program at another address needs another --managed"});
}

TEST_CASE("A first problem is an error, a later one told once while it lasts",
          "[plugin][serving]") {
  World world;
  SECTION("first") {
    world.cluster.server.Deny("create", kValidating);
    CHECK_THROWS_AS(world.configurations.ApplyFirst(world.handlers, kReach), kube::base::Error);
    world.configurations.Withdraw(world.handlers);
    CHECK(world.lines.empty());
  }
  SECTION("later") {
    world.configurations.ApplyFirst(world.handlers, kReach);
    world.cluster.server.Deny("get", kValidating);
    for (int i = 0; i < 3; ++i) world.configurations.Apply(world.handlers, kReach);
    REQUIRE(world.lines.size() == 1);
    CHECK_THAT(world.lines[0], Catch::StartsWith(std::string("may not get ") + kValidating));
  }
}

TEST_CASE("Webhooks that cannot be taken away are told with the way to do it",
          "[plugin][serving]") {
  World world;
  world.configurations.ApplyFirst(world.handlers, kReach);
  world.cluster.server.Deny("patch", kValidating);
  world.configurations.Withdraw(world.handlers);
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0],
             Catch::StartsWith("webhooks stay configured, and cost each write some time: ") &&
                 Catch::EndsWith(std::string("; remove them by: kubectl delete ") + kValidating +
                                 " guard.dev"));
}

}  // namespace webhook_configurations_test
}  // namespace plugin::serving
