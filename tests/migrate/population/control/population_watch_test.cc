#include "migrate/populate/known_population.h"

#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace population_watch_test {

using namespace std::chrono_literals;
using population_test::kTemplates;
using population_test::Names;
using population_test::Widget;

/// The namespaces and templates of a cluster.
struct Watched : population_test::World {
  void Run(kube::base::Clock::Duration time) {
    const auto end = cluster.clock.Now() + time;
    while (cluster.clock.Now() < end) {
      cluster.client.Poll(std::min(end, cluster.clock.Now() + 100ms));
      watch.Advance();
    }
  }
  /// "namespace a", "no template every".
  Names Changes() {
    Names texts;
    const PopulationChanges changes = watch.TakeChanges();
    for (const auto& [name, found] : changes.namespaces) {
      texts.push_back((found ? "namespace " : "no namespace ") + name);
    }
    for (const auto& [name, found] : changes.templates) {
      texts.push_back((found ? "template " : "no template ") + name);
    }
    return texts;
  }

  PopulationWatch watch{cluster.session(),
                        [this](const std::string& line) { lines.push_back(line); }, [] {}};
};

TEST_CASE("At first all namespaces and templates are changes", "[migrate][population]") {
  Watched watched;
  watched.PutTemplate("every", {Widget("w")});
  CHECK(watched.watch.Begin());
  CHECK(watched.Changes() ==
        Names{"namespace a", "namespace b", "namespace kube-system", "template every"});
  CHECK(watched.watch.TakeChanges().empty());
}

TEST_CASE("What comes, changes or goes is a change, once", "[migrate][population]") {
  Watched watched;
  watched.PutTemplate("every", {Widget("w")});
  watched.PutTemplate("gone", {Widget("w")});
  CHECK(watched.watch.Begin());
  watched.Changes();
  watched.AddNamespace("c");
  watched.cluster.server.Delete("namespaces", "b");
  watched.PutTemplate("every", {Widget("v")});
  watched.PutTemplate("new", {Widget("v")});
  watched.DeleteTemplate("gone");
  watched.Run(2s);
  CHECK(watched.Changes() == Names{"no namespace b", "namespace c", "template every",
                                   "no template gone", "template new"});
  CHECK(watched.Changes().empty());
}

TEST_CASE("What is gone when the lists are read again is told", "[migrate][population]") {
  Watched watched;
  watched.PutTemplate("every", {Widget("w")});
  watched.PutTemplate("gone", {Widget("w")});
  test_support::FakeFault fault;
  fault.target = "watch=1";
  fault.times = 2;
  fault.answer.emplace().body = test_support::FakeExpiredEvent(1, 9);
  watched.cluster.server.AddFault(fault);
  CHECK(watched.watch.Begin());
  watched.Changes();
  watched.cluster.server.Delete("namespaces", "b");
  watched.DeleteTemplate("gone");
  watched.AddNamespace("c");
  watched.Run(10s);
  CHECK(watched.Changes() == Names{"namespace a", "no namespace b", "namespace c",
                                   "namespace kube-system", "template every", "no template gone"});
  CHECK(watched.lines.empty());
}

TEST_CASE("Changes are not seen where one of both cannot be watched", "[migrate][population]") {
  Watched watched;
  const std::string target =
      GENERATE(as<std::string>(), "/namespaces?watch=1", "/namespacetemplates?watch=1");
  CAPTURE(target);
  watched.cluster.server.AddFault(
      {.target = target,
       .times = 0,
       .answer = test_support::FakeStatus(403, "Forbidden", "not you")});
  CHECK(watched.watch.Begin());
  CHECK_FALSE(watched.watch.blind_since());
  watched.Run(10s);
  CHECK(watched.watch.blind_since());
  CHECK(watched.lines.size() == 1);
}

TEST_CASE("Changes are not seen since the first of both was lost", "[migrate][population]") {
  Watched watched;
  const std::string first =
      GENERATE(as<std::string>(), "/namespaces?watch=1", "/namespacetemplates?watch=1");
  CAPTURE(first);
  for (const char* target : {"/namespaces?watch=1", "/namespacetemplates?watch=1"}) {
    watched.cluster.server.AddFault(
        {.target = target,
         .times = 0,
         .answer = test_support::FakeStatus(403, "Forbidden", "not you")});
    if (target == first) continue;
    watched.cluster.server.AddFault({.target = target, .latency = 60s});
  }
  CHECK(watched.watch.Begin());
  watched.Run(10s);
  const auto since = watched.watch.blind_since();
  REQUIRE(since);
  watched.Run(70s);
  CHECK(watched.lines.size() == 2);
  CHECK(watched.watch.blind_since() == since);
}

TEST_CASE("Nothing begins where templates or namespaces cannot be read", "[migrate][population]") {
  Watched watched;
  SECTION("there are no NamespaceTemplates") {
    watched.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kTemplates);
    CHECK_THROWS_WITH(watched.watch.Begin(), Catch::Contains("krew/manifests/populate/crd.yaml"));
  }
  SECTION("namespaces may not be listed") {
    watched.cluster.server.AddFault(
        {.target = "/api/v1/namespaces",
         .answer = test_support::FakeStatus(403, "Forbidden", "not you")});
    CHECK_THROWS_WITH(watched.watch.Begin(), Catch::Contains("not you"));
  }
}

}  // namespace population_watch_test
}  // namespace migrate::populate
