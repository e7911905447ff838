#include "migrate/rewrite/rewrite_passes.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace rewrite_passes_test {

using test_support::FakeFault;
using test_support::FakeStatus;
using Strings = std::vector<std::string>;

const std::string kInShop = "/apis/demo.example.com/v1/namespaces/shop/widgets/";

class Listener : public MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string& what, const SweepProgress&) override { doing = what; }
  bool Confirm(const std::string&) override { return true; }

  Strings lines;
  std::string doing;
};

/// Widgets that prune; each has a field too many in etcd.
struct World {
  explicit World(int objects = 10) {
    cluster.server.Add(test_support::FakeCrdText("widgets", R"(,"preserveUnknownFields":false)"));
    for (int i = 0; i < objects; ++i) Write(Name(i), R"({"a":"x","old":1})");
    cluster.run_stop = &stop;
  }
  static std::string Name(int number) { return "w" + std::to_string(100 + number); }
  void Write(const std::string& name, const std::string& spec) {
    test_support::WriteFakeObject(cluster.server, "widgets", name, spec);
  }
  RewriteResult Run() {
    return RunRewritePasses(scope, options, folder.path(), {cluster.session(), listener});
  }
  void Before(const std::string& name, int first, std::function<void()> action) {
    cluster.server.AddFault(
        {.target = kInShop + name, .first = first, .before = std::move(action)});
  }
  int Patches(const std::string& name = "") const {
    return static_cast<int>(std::ranges::count_if(
        cluster.server.RequestLines(),
        [&name](const std::string& line) { return line.starts_with("PATCH " + kInShop + name); }));
  }
  int Dirty(int objects) const {
    int count = 0;
    for (int i = 0; i < objects; ++i) {
      const auto* stored = cluster.server.Stored("widgets.demo.example.com", "shop/" + Name(i));
      count += stored->Find("spec")->Find("old") != nullptr ? 1 : 0;
    }
    return count;
  }

  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  Listener listener;
  std::atomic<bool> stop = false;
  RewriteScope scope{.crd_name = "widgets.demo.example.com",
                     .target = {.group = "demo.example.com", .version = "v1", .plural = "widgets"}};
  SweepOptions options;
};

TEST_CASE("A pass over everything that rewrites none verifies", "[migrate][rewrite_passes]") {
  World world;
  const RewriteResult result = world.Run();
  CHECK(result.verified);
  CHECK(result.is_complete());
  CHECK(result.unverified_because.empty());
  CHECK(result.sweep.counts[report::ObjectClass::kRewritten] == 10);
  CHECK(world.Patches() == 20);
  CHECK(world.listener.lines == Strings{"verified: a second pass over 10 objects rewrote none"});
  CHECK(world.listener.doing == "verifying widgets.demo.example.com");
}

TEST_CASE("What somebody says to have rewritten is verified by the first pass",
          "[migrate][rewrite_passes]") {
  World world;
  world.Run();
  world.listener.lines.clear();
  test_support::TempFolder folder;
  world.scope.claimed_by = "somebody";
  const RewriteResult result = RunRewritePasses(world.scope, world.options, folder.path(),
                                                {world.cluster.session(), world.listener});
  CHECK(result.verified);
  CHECK(result.not_as_claimed == 0);
  CHECK(result.verifying_pass == "rewrite");
  CHECK(world.Patches() == 30);
  CHECK(world.listener.lines == Strings{"verified: a pass over 10 objects rewrote none"});
}

TEST_CASE("What somebody has not rewritten is, and that is verified", "[migrate][rewrite_passes]") {
  World world;
  world.scope.claimed_by = "somebody";
  const RewriteResult result = world.Run();
  CHECK(result.verified);
  CHECK(result.not_as_claimed == 10);
  CHECK(result.verifying_pass == "verify1");
  CHECK(world.Dirty(10) == 0);
  CHECK(world.listener.lines ==
        Strings{"Warning: widgets.demo.example.com: somebody says that it has rewritten all "
                "objects, but 10 of 10 objects were not; they are now",
                "verified: a second pass over 10 objects rewrote none"});
}

TEST_CASE("What somebody says is not verified before every server may have noticed the CRD",
          "[migrate][rewrite_passes]") {
  World world;
  const auto begin = world.cluster.clock.Now();
  world.scope.claimed_by = "somebody";
  world.scope.verify_from = begin + std::chrono::seconds(5);
  world.cluster.server.ServeStale(
      [&] { return world.cluster.clock.Now() < begin + std::chrono::seconds(4); });
  CHECK(world.Run().not_as_claimed == 10);
  CHECK(world.Dirty(10) == 0);
}

TEST_CASE("An object of what somebody says that fails is not verified",
          "[migrate][rewrite_passes]") {
  World world;
  world.Run();
  test_support::TempFolder folder;
  world.scope.claimed_by = "somebody";
  world.cluster.server.AddFault(
      {.target = kInShop + "w103", .times = 0, .answer = FakeStatus(422, "Invalid", "no")});
  const RewriteResult result = RunRewritePasses(world.scope, world.options, folder.path(),
                                                {world.cluster.session(), world.listener});
  CHECK(result.not_as_claimed == 0);
  CHECK(result.sweep.counts[report::ObjectClass::kInvalid] == 1);
}

// What a run has found that was killed before it could tell proves nothing of now.
TEST_CASE("What a run of ours has begun before proves nothing of what somebody claims",
          "[migrate][rewrite_passes]") {
  World world;
  bool is_stale = true;
  world.cluster.server.ServeStale([&is_stale] { return is_stale; });
  world.options.pace.concurrency = 1;
  world.Before("w105", 1, [&world] { world.stop = true; });
  REQUIRE(world.Run().is_interrupted);
  REQUIRE(world.Dirty(10) == 10);
  is_stale = world.stop = false;
  world.scope.claimed_by = "somebody";
  const RewriteResult result = world.Run();
  CHECK(result.not_as_claimed == 10);
  CHECK(result.verified);
  CHECK(world.Dirty(10) == 0);
}

TEST_CASE("A claim is verified anew by the next run", "[migrate][rewrite_passes]") {
  World world;
  world.scope.claimed_by = "somebody";
  world.Run();
  const int before = world.Patches();
  world.Write("w103", R"({"a":"x","old":1})");
  CHECK(world.Run().not_as_claimed == 1);
  CHECK(world.Patches() == before + 20);
}

// A server takes what it stores as before the CRD's last change for stored as it should be.
TEST_CASE("Verifying waits until every server may have noticed the CRD",
          "[migrate][rewrite_passes]") {
  World world;
  const auto begin = world.cluster.clock.Now();
  world.scope.verify_from = begin + std::chrono::seconds(5);
  world.cluster.server.ServeStale(
      [&] { return world.cluster.clock.Now() < begin + std::chrono::seconds(4); });
  const RewriteResult result = world.Run();
  CHECK(result.verified);
  CHECK(world.Dirty(10) == 0);
  CHECK(world.listener.lines.back() == "verified: a third pass over 10 objects rewrote none");
}

TEST_CASE("A signal ends the wait for verifying", "[migrate][rewrite_passes]") {
  World world;
  world.scope.verify_from = world.cluster.clock.Now() + std::chrono::seconds(5);
  world.Before("w109", 1, [&] { world.stop = true; });
  const RewriteResult result = world.Run();
  CHECK(result.is_interrupted);
  CHECK_FALSE(result.verified);
}

TEST_CASE("Nothing is verified where that is not asked for", "[migrate][rewrite_passes]") {
  World world;
  world.scope.verify = false;
  const RewriteResult result = world.Run();
  CHECK_FALSE(result.verified);
  CHECK(result.unverified_because.empty());
  CHECK(result.is_complete());
  CHECK(world.Patches() == 10);
}

TEST_CASE("Only objects that are named are rewritten, and verified", "[migrate][rewrite_passes]") {
  World world;
  world.scope.named = std::vector<ObjectName>{{.namespace_ = "shop", .name = "w103"}};
  CHECK(world.Run().verified);
  CHECK(world.Patches() == 2);
  CHECK(world.Dirty(10) == 9);
}

TEST_CASE("An object that a stale server left twice as it was is found by the third pass",
          "[migrate][rewrite_passes]") {
  constexpr int kObjects = 60;
  World world(kObjects);
  // One of three servers has not noticed that it has to prune until two passes are over. Who
  // answers which request is as good as chance.
  unsigned writes = 0;
  int dirty_after_two = 0;
  world.cluster.server.AddFault({.target = kInShop, .times = 0, .before = [&] {
                                   if (++writes == 2 * kObjects + 1)
                                     dirty_after_two = world.Dirty(kObjects);
                                 }});
  world.cluster.server.ServeStale(
      [&] { return writes <= 2 * kObjects && (writes * 2654435761U >> 16) % 3 == 0; });
  const RewriteResult result = world.Run();
  CHECK(dirty_after_two > 0);
  CHECK(world.Dirty(kObjects) == 0);
  CHECK(result.verified);
  CHECK(world.listener.lines.back() == "verified: a fourth pass over 60 objects rewrote none");
}

TEST_CASE("A server that stays stale is not verified", "[migrate][rewrite_passes]") {
  World world(60);
  unsigned writes = 0;
  world.cluster.server.AddFault({.target = kInShop, .times = 0, .before = [&] { ++writes; }});
  // Two of three, so that four passes are not enough.
  world.cluster.server.ServeStale([&] { return (writes * 2654435761U >> 16) % 3 != 0; });
  const RewriteResult result = world.Run();
  CHECK_FALSE(result.verified);
  CHECK(result.is_complete());
  CHECK_THAT(result.unverified_because,
             Catch::Matchers::StartsWith("the fourth pass over 60 objects still rewrote "));
  CHECK(world.Patches() == 240);
}

TEST_CASE("What other writers do between the passes does not keep it from being verified",
          "[migrate][rewrite_passes]") {
  World world;
  world.options.chunk_size = 0;
  for (int pass = 2; pass < 5; ++pass) {
    world.Before("w100", pass, [&world, pass] {
      const std::string a = "{\"a\":\"" + std::to_string(pass) + "\"}";
      for (int i = 1; i < 10; ++i) world.Write(World::Name(i), a);
    });
  }
  const RewriteResult result = world.Run();
  CHECK(result.verified);
  CHECK(world.listener.lines == Strings{"verified: a second pass over 10 objects rewrote none"});
}

TEST_CASE("An object that is released after verifying has begun is verified too",
          "[migrate][rewrite_passes]") {
  World world;
  world.options.is_held = [](const cluster::ListedObject& object) { return object.name == "w103"; };
  world.Before("w109", 2, [&world] { world.stop = true; });
  const RewriteResult first = world.Run();
  CHECK(first.is_interrupted);
  CHECK(first.unverified_because == "the verifying pass ended early");
  CHECK(world.Patches("w103") == 0);
  world.stop = false;
  world.options.is_held = nullptr;
  const RewriteResult second = world.Run();
  CHECK(second.verified);
  CHECK(second.sweep.counts[report::ObjectClass::kRewritten] == 10);
  CHECK(world.Patches("w103") == 2);
}

TEST_CASE("Verifying goes on where it was", "[migrate][rewrite_passes]") {
  World world;
  world.options.pace.concurrency = 1;
  world.Before("w105", 2, [&world] { world.stop = true; });
  CHECK(world.Run().is_interrupted);
  CHECK(world.Patches() == 16);
  world.stop = false;
  CHECK(world.Run().verified);
  CHECK(world.Patches() == 20);
}

TEST_CASE("What an earlier run has verified to the end is verified anew",
          "[migrate][rewrite_passes]") {
  World world;
  REQUIRE(world.Run().verified);
  // As by a server that was late, or by etcd's being set back to a snapshot.
  world.Write("w103", R"({"a":"x","old":1})");
  const RewriteResult result = world.Run();
  CHECK(result.verified);
  CHECK(result.sweep.counts[report::ObjectClass::kRewritten] == 10);
  CHECK(world.Patches() >= 20 + 10);
  CHECK(world.Dirty(10) == 0);
}

TEST_CASE("A cluster that was set back is rewritten anew", "[migrate][rewrite_passes]") {
  World world;
  REQUIRE(world.Run().verified);
  const int before = world.Patches();
  world.cluster.server.AddFault(
      {.target = "/widgets?limit=1",
       .answer = test_support::FakeText(200, "application/json",
                                        R"({"metadata":{"resourceVersion":"1"},"items":[]})")});
  world.Write("w110", R"({"a":"x","old":1})");  // which the earlier run has not listed
  const RewriteResult result = world.Run();
  CHECK(result.verified);
  CHECK(result.sweep.counts.Total() == 11);
  CHECK(world.Patches() == before + 22);
  CHECK(world.Dirty(11) == 0);
  CHECK_THAT(world.listener.lines.at(1), Catch::Matchers::Contains("was set back"));
}

TEST_CASE("A failure of the verifying pass is told, and nothing is verified",
          "[migrate][rewrite_passes]") {
  World world;
  world.cluster.server.AddFault({.target = kInShop + "w103",
                                 .first = 2,
                                 .times = 0,
                                 .answer = FakeStatus(422, "Invalid", "is invalid")});
  const RewriteResult result = world.Run();
  CHECK_FALSE(result.verified);
  CHECK(result.is_complete());
  REQUIRE(result.later_failures.size() == 1);
  CHECK(result.later_failures[0].name == "w103");
  CHECK(result.sweep.failures.empty());
  CHECK_THAT(result.unverified_because, Catch::Matchers::Contains("could not be rewritten"));
}

TEST_CASE("What a verifying pass that gives up did not try was rewritten, and is no failure",
          "[migrate][rewrite_passes]") {
  World world(200);
  world.cluster.server.AddFault({.target = kInShop,
                                 .first = 201,
                                 .times = 0,
                                 .answer = FakeStatus(422, "Invalid", "is invalid")});
  const RewriteResult result = world.Run();
  CHECK_FALSE(result.verified);
  CHECK(result.stopped);
  CHECK(std::ranges::all_of(result.later_failures, [](const report::ObjectFailure& failure) {
    return failure.object_class == report::ObjectClass::kInvalid;
  }));
}

TEST_CASE("Passes that break keep the account of what was done", "[migrate][rewrite_passes]") {
  World world;
  world.Before("w104", 2, [] { throw kube::base::Error("no space left on device"); });
  const RewriteResult result = world.Run();
  CHECK(result.is_broken);
  CHECK_FALSE(result.is_complete());
  CHECK_FALSE(result.verified);
  CHECK(result.stopped == "no space left on device");
  CHECK(result.sweep.counts[report::ObjectClass::kRewritten] == 10);
}

TEST_CASE("A server that asks for a pause is told of", "[migrate][rewrite_passes]") {
  World world;
  world.cluster.server.AddFault({.target = kInShop,
                                 .times = 3,
                                 .answer = test_support::FakeText(429, "text/plain", ""),
                                 .headers = {{"Retry-After", "7"}}});
  CHECK(world.Run().verified);
  CHECK(world.listener.lines.front() ==
        "widgets.demo.example.com: waiting 7 s, as the server asks for it");
}

}  // namespace rewrite_passes_test
}  // namespace migrate::rewrite
