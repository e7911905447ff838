#include "kube/admission/managed_configuration.h"

#include <catch2/catch.hpp>
#include <tuple>

#include "tests/kube/admission/configuration_crd.h"
#include "tests/support/fake_cluster.h"

namespace kube::admission {
namespace managed_configuration_test {

using test_support::FakeCluster;
using test_support::FakeFault;
using Texts = std::vector<std::string>;

constexpr char kResource[] = "validatingwebhookconfigurations.admissionregistration.k8s.io";
constexpr char kTarget[] = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

Handlers SomeHandlers() {
  const auto nothing = [](const Review&, Reply&) { return Allowed(); };
  Handlers handlers;
  handlers.Add(Validate("passing", {.resources = {AnyResource()}}, nothing));
  HandlerOptions options{.resources = {AnyResource()}};
  options.persistent = true;
  handlers.Add(Validate("staying", options, nothing));
  return handlers;
}

struct World {
  explicit World(const std::string& version = "v1") {
    cluster.server.Add(admission_test::ConfigurationCrdText("Validating", version));
  }

  /// The configuration as somebody else has made it.
  void Put(const Texts& names) {
    std::string webhooks;
    for (const std::string& name : names) {
      webhooks +=
          (webhooks.empty() ? "" : ",") + (R"({"name":")" + name) + R"(","x":{"kept":"as it is"}})";
    }
    cluster.server.Add(
        R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":)"
        R"("ValidatingWebhookConfiguration","metadata":{"name":"guard.dev"},"webhooks":[)" +
        webhooks + "]}");
  }
  const json::Value* Stored() { return cluster.server.Stored(kResource, "guard.dev"); }
  Texts StoredNames() {
    Texts names;
    for (const json::Value& webhook : Stored()->Find("webhooks")->elements()) {
      names.emplace_back(webhook.FindText("name"));
    }
    return names;
  }
  auto Apply() { return managed.Apply(handlers, {.url = "https://a:9443"}); }

  FakeCluster cluster;
  Handlers handlers = SomeHandlers();
  ManagedConfiguration managed{cluster.client, ConfigurationKind::kValidating, "guard.dev"};
};

TEST_CASE("A configuration that is absent is created", "[kube][admission]") {
  World world;
  const auto change = world.Apply();
  REQUIRE(change);
  CHECK(*change == ConfigurationChange::kCreated);
  CHECK(world.StoredNames() == Texts{"passing.guard.dev", "staying.guard.dev"});
  CHECK(world.cluster.server.RequestLines() ==
        Texts{std::string("GET ") + kTarget + "/guard.dev", std::string("POST ") + kTarget});
}

TEST_CASE("Webhooks of ours are replaced, others stay as they are", "[kube][admission]") {
  World world;
  world.Put({"passing.guard.dev", "theirs.other.dev", "old.guard.dev", "more.theirs.dev"});
  const auto change = world.Apply();
  REQUIRE(change);
  CHECK(*change == ConfigurationChange::kReplaced);
  CHECK(world.StoredNames() ==
        Texts{"theirs.other.dev", "more.theirs.dev", "passing.guard.dev", "staying.guard.dev"});
  const auto webhooks = world.Stored()->Find("webhooks")->elements();
  CHECK(json::Print(webhooks[0]) == R"({"name":"theirs.other.dev","x":{"kept":"as it is"}})");
  CHECK(webhooks[2].Find("clientConfig")->FindText("url") == "https://a:9443/passing");
  CHECK_FALSE(webhooks[2].Find("x"));
}

TEST_CASE("At the end webhooks of ours go, but for persistent ones", "[kube][admission]") {
  World world;
  REQUIRE(world.Apply());
  world.cluster.stop = true;  // the person has had enough: the last write is made all the same
  const auto change = world.managed.Withdraw(world.handlers);
  REQUIRE(change);
  CHECK(*change == ConfigurationChange::kTakenAway);
  CHECK(world.StoredNames() == Texts{"staying.guard.dev"});
  CHECK(world.Stored()->Find("webhooks")->elements()[0].Find("clientConfig")->FindText("url") ==
        "https://a:9443/staying");
}

TEST_CASE("At the end webhooks stay that another program has made meanwhile", "[kube][admission]") {
  World world;
  REQUIRE(world.Apply());
  ManagedConfiguration other{world.cluster.client, ConfigurationKind::kValidating, "guard.dev"};
  REQUIRE(other.Apply(world.handlers, {.url = "https://b:9443"}));
  CHECK(*world.managed.Withdraw({}) == ConfigurationChange::kNone);
  CHECK(world.StoredNames() == Texts{"passing.guard.dev", "staying.guard.dev"});
  CHECK(*other.Withdraw({}) == ConfigurationChange::kTakenAway);
  CHECK(world.StoredNames().empty());
}

TEST_CASE("What is as it was made is only read, and what somebody has changed is restored",
          "[kube][admission]") {
  World world;
  REQUIRE(world.Apply());
  const std::size_t requests = world.cluster.server.requests().size();
  CHECK(*world.Apply() == ConfigurationChange::kNone);
  CHECK(world.cluster.server.requests().size() == requests + 1);
  CHECK(world.cluster.server.RequestLines().back() == std::string("GET ") + kTarget + "/guard.dev");
  world.Put({"theirs.other.dev"});
  CHECK(*world.Apply() == ConfigurationChange::kPutBack);
  CHECK(*world.Apply() == ConfigurationChange::kNone);
  world.cluster.server.Delete(kResource, "guard.dev");
  CHECK(*world.Apply() == ConfigurationChange::kPutBack);
  ManagedConfiguration other{world.cluster.client, ConfigurationKind::kValidating, "guard.dev"};
  REQUIRE(other.Apply(world.handlers, {.url = "https://b:9443"}));
  CHECK(*world.Apply() == ConfigurationChange::kLedBack);
}

TEST_CASE("At the end the list may be empty, and the object stays", "[kube][admission]") {
  World world;
  world.Put({"old.guard.dev"});
  REQUIRE(world.managed.Withdraw({}));
  CHECK(world.StoredNames().empty());
  const auto again = world.managed.Withdraw({});
  REQUIRE(again);
  CHECK(*again == ConfigurationChange::kNone);
}

TEST_CASE("Without handlers of the kind nothing is created, and what is left goes",
          "[kube][admission]") {
  World world;
  world.handlers = {};
  CHECK(*world.Apply() == ConfigurationChange::kNone);
  CHECK(world.Stored() == nullptr);
  world.Put({"theirs.other.dev"});
  CHECK(*world.Apply() == ConfigurationChange::kNone);
  world.Put({"theirs.other.dev", "old.guard.dev"});
  CHECK(*world.Apply() == ConfigurationChange::kReplaced);
  CHECK(world.StoredNames() == Texts{"theirs.other.dev"});
}

TEST_CASE("One that comes into being meanwhile is not in the way", "[kube][admission]") {
  World world;
  FakeFault fault;
  fault.target = kTarget;
  fault.first = 2;  // the create
  fault.before = [&world] { world.Put({"theirs.other.dev"}); };
  world.cluster.server.AddFault(fault);
  CHECK(*world.Apply() == ConfigurationChange::kReplaced);
  CHECK(world.StoredNames() == Texts{"theirs.other.dev", "passing.guard.dev", "staying.guard.dev"});
}

TEST_CASE("What others change meanwhile is not lost", "[kube][admission]") {
  World world;
  world.Put({});
  FakeFault fault;
  fault.target = kTarget;
  fault.first = 2;  // the patch
  SECTION("a change") {
    fault.before = [&world] { world.Put({"theirs.other.dev"}); };
    world.cluster.server.AddFault(fault);
    CHECK(*world.Apply() == ConfigurationChange::kReplaced);
    CHECK(world.StoredNames() ==
          Texts{"theirs.other.dev", "passing.guard.dev", "staying.guard.dev"});
  }
  SECTION("it is deleted") {
    fault.before = [&world] { world.cluster.server.Delete(kResource, "guard.dev"); };
    world.cluster.server.AddFault(fault);
    CHECK(*world.Apply() == ConfigurationChange::kCreated);
    CHECK(world.StoredNames() == Texts{"passing.guard.dev", "staying.guard.dev"});
  }
}

TEST_CASE("Somebody who changes it each time ends the tries", "[kube][admission]") {
  World world;
  world.Put({});
  FakeFault fault;
  fault.target = kTarget;
  fault.times = 0;
  int count = 0;
  fault.before = [&] { world.Put({"theirs" + std::to_string(++count) + ".other.dev"}); };
  world.cluster.server.AddFault(fault);
  const auto change = world.Apply();
  REQUIRE_FALSE(change);
  CHECK(change.error().kind == ConfigurationProblem::Kind::kContended);
  CHECK_THAT(change.error().message,
             Catch::StartsWith(std::string(kResource) +
                               " \"guard.dev\" was changed by somebody else each time: ") &&
                 Catch::Contains("the object has been modified"));
}

TEST_CASE("A missing right is named, with the next step", "[kube][admission]") {
  World world;
  const auto [verb, exists] =
      GENERATE(table<std::string, bool>({{"get", true}, {"create", false}, {"patch", true}}));
  if (exists) world.Put({});
  world.cluster.server.Deny(verb, kResource);
  const auto change = world.Apply();
  REQUIRE_FALSE(change);
  CHECK(change.error().kind == ConfigurationProblem::Kind::kForbidden);
  CHECK_THAT(change.error().message,
             Catch::StartsWith("may not " + verb + " " + kResource +
                               " \"guard.dev\": Error from "
                               "server (Forbidden): ") &&
                 Catch::EndsWith("; have a ClusterRole allow get, create and patch of " +
                                 std::string(kResource) + ", or apply the configuration by hand"));
}

TEST_CASE("A server that answers with an error is a problem of another kind", "[kube][admission]") {
  World world;
  world.cluster.server.AddFault(
      {.target = kTarget,
       .answer = test_support::FakeStatus(422, "Invalid", "webhooks[0].name: Invalid value")});
  const auto change = world.Apply();
  REQUIRE_FALSE(change);
  CHECK(change.error().kind == ConfigurationProblem::Kind::kOther);
  CHECK_THAT(change.error().message, Catch::Contains("webhooks[0].name: Invalid value"));
}

TEST_CASE("A server without v1 is asked in v1beta1", "[kube][admission]") {
  World world("v1beta1");
  CHECK(*world.Apply() == ConfigurationChange::kCreated);
  CHECK(world.StoredNames() == Texts{"passing.guard.dev", "staying.guard.dev"});
  CHECK(*world.managed.Withdraw(world.handlers) == ConfigurationChange::kTakenAway);
}

}  // namespace managed_configuration_test
}  // namespace kube::admission
