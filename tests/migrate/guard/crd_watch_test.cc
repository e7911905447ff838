#include <algorithm>
#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "migrate/guard/guarded_crds.h"
#include "tests/support/fake_cluster.h"

namespace migrate::guard {
namespace crd_watch_test {

using namespace std::chrono_literals;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeEvent;
using Strings = std::vector<std::string>;

const std::string kTarget = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string kPreserves = R"(,"preserveUnknownFields":true)";

/// A cluster with the CRD of widgets, whose watches tell what `events` are, each time anew.
struct Watched {
  explicit Watched(GuardSelection selection = {.all = true})
      : crds(std::move(selection), {}),
        watch(crds, kTarget, cluster.session(),
              [this](const std::string& line) { lines.push_back(line); }) {
    cluster.server.Add(FakeCrdText("widgets", kPreserves));
  }
  void AnswerWatches(const std::string& events, int first = 1) {
    test_support::FakeFault fault;
    fault.target = "watch=1";
    fault.first = first;
    fault.times = 0;
    fault.answer.emplace().body = events;
    cluster.server.AddFault(std::move(fault));
  }
  void Run(kube::base::Clock::Duration time) {
    const auto end = cluster.clock.Now() + time;
    while (cluster.clock.Now() < end) {
      cluster.client.Poll(std::min(end, cluster.clock.Now() + 100ms));
      watch.Advance();
    }
  }
  Strings Guarded() const {
    Strings names;
    for (const report::GuardedUse& use : crds.Report()) names.push_back(use.name);
    return names;
  }

  FakeCluster cluster;
  Strings lines;
  GuardedCrds crds;
  CrdWatch watch;
};

// As a server shows it in a watch.
std::string CrdObject(const std::string& plural, const std::string& more) {
  std::string text = FakeCrdText(plural, more);
  text.insert(text.find(R"("name")"), R"("uid":"v","generation":2,"resourceVersion":"9000",)");
  std::erase(text, '\n');
  return text;
}

TEST_CASE("What the cluster has is guarded from the beginning", "[migrate][guard]") {
  Watched watched;
  watched.AnswerWatches("");
  CHECK(watched.watch.Begin());
  CHECK(watched.Guarded() == Strings{"widgets.demo.example.com"});
  CHECK(watched.lines.empty());
}

TEST_CASE("A name that no CRD has is an error", "[migrate][guard]") {
  Watched watched({.names = {"gears"}});
  CHECK_THROWS_AS(watched.watch.Begin(), kube::base::Error);
}

TEST_CASE("CRDs that cannot be listed are an error", "[migrate][guard]") {
  Watched watched;
  watched.cluster.server.Forbid("customresourcedefinitions.apiextensions.k8s.io");
  CHECK_THROWS_AS(watched.watch.Begin(), kube::base::Error);
}

TEST_CASE("A CRD that comes, changes or goes is followed", "[migrate][guard]") {
  Watched watched;
  SECTION("it comes") {
    watched.AnswerWatches(FakeEvent("ADDED", CrdObject("gears", kPreserves)));
    CHECK(watched.watch.Begin());
    watched.Run(3s);
    CHECK(watched.Guarded() == Strings{"gears.demo.example.com", "widgets.demo.example.com"});
  }
  SECTION("it prunes") {
    watched.AnswerWatches(FakeEvent("MODIFIED", CrdObject("widgets", "")));
    CHECK(watched.watch.Begin());
    watched.Run(3s);
    CHECK(watched.Guarded().empty());
  }
  SECTION("it goes") {
    watched.AnswerWatches(FakeEvent("DELETED", CrdObject("widgets", kPreserves)));
    CHECK(watched.watch.Begin());
    watched.Run(3s);
    CHECK(watched.Guarded().empty());
  }
}

TEST_CASE("Where too much was missed the CRDs are listed again", "[migrate][guard]") {
  Watched watched;
  watched.AnswerWatches(test_support::FakeExpiredEvent(1, 9));
  CHECK(watched.watch.Begin());
  watched.cluster.server.Add(FakeCrdText("gears", kPreserves));
  watched.Run(10s);
  CHECK(watched.Guarded() == Strings{"gears.demo.example.com", "widgets.demo.example.com"});
  CHECK(watched.lines.empty());
}

TEST_CASE("What was guarded stays so while the CRDs cannot be read", "[migrate][guard]") {
  Watched watched;
  watched.AnswerWatches(test_support::FakeExpiredEvent(1, 9));
  CHECK(watched.watch.Begin());
  watched.cluster.server.Forbid("customresourcedefinitions.apiextensions.k8s.io");
  watched.Run(30s);
  CHECK(watched.Guarded() == Strings{"widgets.demo.example.com"});
  REQUIRE(watched.lines.size() == 1);
  CHECK_THAT(
      watched.lines[0],
      Catch::StartsWith("changes of CustomResourceDefinitions are not seen at the moment: "));
}

// As who has the right to list, but not to watch.
TEST_CASE("Of watches that fail again and again somebody is told once", "[migrate][guard]") {
  Watched watched;
  test_support::FakeFault fault;
  fault.target = "watch=1";
  const int fault_count = 8;  // one every five seconds
  fault.times = fault_count;
  fault.answer = test_support::FakeStatus(403, "Forbidden", "no");
  watched.cluster.server.AddFault(std::move(fault));
  watched.AnswerWatches("", fault_count + 1);
  CHECK(watched.watch.Begin());
  watched.Run(30s);
  CHECK(watched.lines.size() == 1);
  watched.Run(60s);
  REQUIRE(watched.lines.size() == 2);
  CHECK(watched.lines[1] == "changes of CustomResourceDefinitions are seen again");
}

}  // namespace crd_watch_test
}  // namespace migrate::guard
