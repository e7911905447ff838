#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "plugin/command/webhook_run.h"
#include "tests/kube/admission/configuration_crd.h"
#include "tests/support/fake_cluster.h"

namespace plugin::command {
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
  const WebhookConfigurations::LogFunction tell = [this](const std::string& line) {
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
  CHECK(world.lines == Strings{"the webhooks of guard.dev are taken away; a replica that goes on "
                               "puts its own there within five seconds"});
  CHECK(world.cluster.server.Stored(kMutating, "guard.dev") == nullptr);
}

TEST_CASE("What somebody else takes away is put back, and told each time", "[plugin][serving]") {
  World world;
  world.configurations.ApplyFirst(world.handlers, kReach);
  for (int i = 0; i < 2; ++i) {
    world.EmptyByHand();
    world.configurations.Apply(world.handlers, kReach);
    CHECK(world.Webhooks() == 1);
  }
  const std::string told =
      "the webhooks of guard.dev were taken away, as by a replica that ended, and are there again";
  CHECK(world.lines == Strings{told, told});
}

// As of a Deployment: both are reached by the same Service.
TEST_CASE("Of two replicas the one that ends tells what ends, and the other one what goes on",
          "[plugin][serving]") {
  World world;
  Strings lines;
  const WebhookConfigurations::LogFunction tell = [&lines](const std::string& line) {
    lines.push_back(line);
  };
  WebhookConfigurations other("guard.dev", world.cluster.client, tell);
  world.configurations.ApplyFirst(world.handlers, kReach);
  other.ApplyFirst(world.handlers, kReach);
  world.configurations.Apply(world.handlers, kReach);
  CHECK(world.lines.empty());
  other.Withdraw(world.handlers);
  CHECK(lines ==
        Strings{"the webhooks of guard.dev are taken away; a replica that goes on puts its "
                "own there within five seconds"});
  CHECK(world.Webhooks() == 0);
  world.configurations.Apply(world.handlers, kReach);
  CHECK(world.lines == Strings{"the webhooks of guard.dev were taken away, as by a replica that "
                               "ended, and are there again"});
  CHECK(world.Webhooks() == 1);
}

TEST_CASE("Two programs at different addresses are told so, once, and neither ends the other's",
          "[plugin][serving]") {
  World world;
  Strings lines;
  const WebhookConfigurations::LogFunction tell = [&lines](const std::string& line) {
    lines.push_back(line);
  };
  WebhookConfigurations other("guard.dev", world.cluster.client, tell);
  const kube::admission::Reach elsewhere{.url = "https://b:9443"};
  world.configurations.ApplyFirst(world.handlers, kReach);
  for (int i = 0; i < 2; ++i) {
    other.ApplyFirst(world.handlers, elsewhere);
    world.configurations.Apply(world.handlers, kReach);
  }
  CHECK(world.lines == Strings{"note: the webhooks of guard.dev led to another program, and lead "
                               "here again; a program at another address needs another --managed"});
  other.Withdraw(world.handlers);
  CHECK(lines.empty());
  CHECK(world.Webhooks() == 1);
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
}  // namespace plugin::command
