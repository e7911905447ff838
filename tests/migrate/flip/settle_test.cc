#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "migrate/migration/after_pruning_on.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace settle_test {

using namespace std::chrono_literals;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;

/// A CRD with pruning on, over objects that were stored before; servers are stale as long as
/// `is_stale` says so.
struct TurnedOn {
  explicit TurnedOn(int objects = 6) {
    cluster.server.Add(FakeCrdText("widgets"));
    for (int i = 0; i < objects; ++i) Add(std::to_string(i), R"({"a":"1","x":[{"y.z":1}]})");
    cluster.server.ServeStale([this] {
      ++reads;
      return is_stale();
    });
  }
  void Add(const std::string& name, const std::string& spec) {
    cluster.server.Add(FakeObjectText("widgets", name, spec));
    const auto* stored = cluster.server.Stored("widgets.demo.example.com", "shop/" + name);
    options.losing.push_back({.namespace_ = "shop",
                              .name = name,
                              .uid = std::string(stored->Find("metadata")->FindText("uid")),
                              .paths = {"spec.x"}});
  }
  Settled Wait() { return WaitUntilPruning(options, cluster.session()); }

  FakeCluster cluster;
  int reads = 0;
  std::function<bool()> is_stale = [] { return false; };
  SettleOptions options{.collection = "/apis/demo.example.com/v1/widgets",
                        .is_namespaced = true,
                        .losing = {},
                        .timeout = 2min};
};

TEST_CASE("Five rounds of five reads over fresh connections tell that a server prunes",
          "[migrate][settle]") {
  TurnedOn has_turned_on;
  const Settled settled = has_turned_on.Wait();
  CHECK(settled.step == Settled::Step::kDone);
  CHECK(settled.message == "waiting until the server prunes: 5 of 5 reads pruned (2.0 s)");
  const auto& requests = has_turned_on.cluster.server.requests();
  CHECK(requests.size() == 25);
  CHECK(std::ranges::all_of(requests, [](const auto& r) { return r.fresh_connection; }));
  CHECK(requests[0].target == "/apis/demo.example.com/v1/namespaces/shop/widgets/0");
}

TEST_CASE("A server that is stale for a while is waited for", "[migrate][settle]") {
  TurnedOn has_turned_on;
  has_turned_on.is_stale = [&] { return has_turned_on.cluster.clock.passed() < 10s; };
  CHECK(has_turned_on.Wait().step == Settled::Step::kDone);
  CHECK(has_turned_on.cluster.clock.passed() >= 12s);
  CHECK(has_turned_on.cluster.clock.passed() < 14s);
}

TEST_CASE("One stale server of three is noticed", "[migrate][settle]") {
  TurnedOn has_turned_on;
  has_turned_on.is_stale = [&] { return has_turned_on.reads % 3 == 0; };
  const Settled settled = has_turned_on.Wait();
  CHECK(settled.step == Settled::Step::kTimedOut);
  CHECK_THAT(settled.message, Catch::Contains("still shows spec.x"));
  CHECK(has_turned_on.cluster.clock.passed() <= 2min);
}

TEST_CASE("Where nothing is lost there is nothing to wait for", "[migrate][settle]") {
  TurnedOn has_turned_on(0);
  const Settled settled = has_turned_on.Wait();
  CHECK(settled.step == Settled::Step::kNothingTells);
  CHECK(settled.message.empty());
  CHECK(has_turned_on.cluster.server.requests().empty());
}

TEST_CASE("An object that is gone says nothing about the server", "[migrate][settle]") {
  TurnedOn has_turned_on(2);
  has_turned_on.cluster.server.Delete("widgets.demo.example.com", "shop/0");
  SECTION("deleted") {}
  SECTION("made anew") { has_turned_on.cluster.server.Add(FakeObjectText("widgets", "0", "{}")); }
  has_turned_on.is_stale = [] { return true; };
  CHECK(has_turned_on.Wait().step == Settled::Step::kTimedOut);
  has_turned_on.is_stale = [] { return false; };
  CHECK(has_turned_on.Wait().step == Settled::Step::kDone);
  has_turned_on.cluster.server.Delete("widgets.demo.example.com", "shop/1");
  const Settled settled = has_turned_on.Wait();
  CHECK(settled.step == Settled::Step::kNothingTells);
  CHECK_THAT(settled.message, Catch::Contains("no object is left that could show it"));
}

TEST_CASE("An object that was written since says nothing about the server", "[migrate][settle]") {
  TurnedOn has_turned_on(2);
  // One server prunes already, and has stored the object; the other still is stale.
  const std::string written = has_turned_on.options.losing[0].uid;
  test_support::WriteFakeObject(has_turned_on.cluster.server, "widgets", "0", R"({"a":"1"})");
  has_turned_on.is_stale = [] { return true; };
  has_turned_on.options.losing.pop_back();
  CHECK(has_turned_on.Wait().message ==
        "waiting until the server prunes: 5 of 5 reads pruned (2.0 s)");
  has_turned_on.options.is_unchanged = [&](std::string_view uid, std::string_view) {
    return uid != written;
  };
  CHECK_THAT(has_turned_on.Wait().message, Catch::Contains("no object is left"));
}

TEST_CASE("Reads that are not answered do not tell that a server prunes", "[migrate][settle]") {
  TurnedOn has_turned_on;
  FakeFault fault;
  fault.target = "/widgets/3";
  fault.times = 0;
  SECTION("as the server fails") {
    fault.answer = test_support::FakeStatus(500, "InternalError", "no");
  }
  SECTION("as it does not know the resource yet") {
    has_turned_on.options.losing = {has_turned_on.options.losing[3]};
    fault.answer = test_support::FakeText(404, "text/plain; charset=utf-8", "404 page not found\n");
  }
  has_turned_on.cluster.server.AddFault(fault);
  has_turned_on.options.timeout = 5s;
  const Settled settled = has_turned_on.Wait();
  CHECK(settled.step == Settled::Step::kTimedOut);
  CHECK_THAT(settled.message, Catch::StartsWith("shop/3 could not be read: "));
}

TEST_CASE("Fields are found by the path that the server records", "[migrate][settle]") {
  TurnedOn has_turned_on(0);
  has_turned_on.Add("one", R"({"list":[0,{"a.b[1]":{"c":null}}]})");
  has_turned_on.options.timeout = 1s;
  const std::string path = GENERATE("spec.list[1].a.b[1].c", "spec.list[1].a.b[1]", "spec.list[0]");
  CAPTURE(path);
  has_turned_on.options.losing[0].paths = {"spec.other", path};
  has_turned_on.is_stale = [] { return true; };
  const Settled settled = has_turned_on.Wait();
  CHECK(settled.step == Settled::Step::kTimedOut);
  CHECK(settled.message == "shop/one still shows " + path);
}

TEST_CASE("Paths that lead nowhere are absent", "[migrate][settle]") {
  TurnedOn has_turned_on(0);
  has_turned_on.Add("one", R"({"list":[0,{"a.b":{"c":null}}]})");
  const std::string path = GENERATE("spec.list[2]", "spec.list[1].a", "spec.lis", "spec.list.a",
                                    "spec.list[1", "spec.list[99999999999999999999999]", "spec[0]");
  CAPTURE(path);
  has_turned_on.options.losing[0].paths = {path};
  has_turned_on.is_stale = [] { return true; };
  CHECK(has_turned_on.Wait().step == Settled::Step::kDone);
}

TEST_CASE("A signal ends the wait", "[migrate][settle]") {
  TurnedOn has_turned_on;
  std::atomic<bool> stop = false;
  has_turned_on.cluster.run_stop = &stop;
  has_turned_on.is_stale = [&] {
    stop = has_turned_on.reads > 7;
    return true;
  };
  CHECK(has_turned_on.Wait().step == Settled::Step::kInterrupted);
  CHECK(has_turned_on.cluster.clock.passed() < 2s);
}

}  // namespace settle_test
}  // namespace migrate::migration
