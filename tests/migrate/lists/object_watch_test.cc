#include "migrate/cluster/object_watch.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/fake_cluster.h"

namespace migrate::cluster {
namespace object_watch_test {

using namespace std::chrono_literals;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using State = ObjectWatch::State;
using Strings = std::vector<std::string>;

const std::string kWidgets = "/apis/demo.example.com/v1/widgets";

/// A watch of widgets, from now on.
struct Watched {
  Watched() {
    cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    Write("old", "{}");
  }
  void Write(const std::string& name, const std::string& spec) {
    test_support::WriteFakeObject(cluster.server, "widgets", name, spec);
  }
  std::string Version() { return VersionOf("old"); }
  std::string VersionOf(const std::string& name) {
    const auto* stored = cluster.server.Stored("widgets.demo.example.com", "shop/" + name);
    return std::string(stored->Find("metadata")->FindText("resourceVersion"));
  }
  void Run(kube::base::Clock::Duration time) {
    const auto end = cluster.clock.Now() + time;
    while (cluster.clock.Now() < end) {
      cluster.client.Poll(std::min(end, cluster.clock.Now() + 100ms));
      watch.Advance();
    }
  }
  void Take(WatchEventType type, const kube::json::Value& object) {
    const char* const kNames[] = {"added ", "modified ", "deleted "};
    events.push_back(kNames[static_cast<int>(type)] +
                     std::string(object.Find("metadata")->FindText("name")) + " " +
                     kube::json::Print(*object.Find("spec")));
  }

  FakeCluster cluster;
  Strings events;
  ObjectWatch watch{kWidgets,
                    [this](WatchEventType type, kube::json::Value& object, kube::json::Document&) {
                      Take(type, object);
                    },
                    cluster.session()};
};

TEST_CASE("A watch shows every change since a resource version", "[migrate][object_watch]") {
  Watched watched;
  const std::string version = watched.Version();
  watched.Write("a", R"({"x":1.50})");
  watched.watch.Start(version);
  watched.Run(1s);
  watched.Write("a", R"({"x":2})");
  watched.cluster.server.Delete("widgets.demo.example.com", "shop/old");
  watched.Run(1s);
  CHECK(watched.events ==
        Strings{R"(added a {"x":1.50})", R"(modified a {"x":2})", "deleted old {}"});
  CHECK(watched.watch.events() == 3);
  CHECK(watched.watch.state() == State::kWatching);
  CHECK(watched.cluster.server.RequestLines() ==
        Strings{"GET " + kWidgets + "?watch=1&resourceVersion=" + version +
                "&allowWatchBookmarks=true"});
}

TEST_CASE("A watch that broke goes on from what it saw last", "[migrate][object_watch]") {
  Watched watched;
  FakeFault fault;
  fault.target = "watch=1";
  SECTION("in the middle of an event") { fault.lost_after = 200; }
  SECTION("before an answer") { fault.lost = true; }
  SECTION("with a server that is busy") {
    fault.answer = test_support::FakeStatus(500, "InternalError", "busy");
  }
  SECTION("with an answer that is none") {
    fault.answer = test_support::FakeText(200, "text/html", "<html>log in</html>");
  }
  watched.cluster.server.AddFault(fault);
  watched.watch.Start(watched.Version());
  watched.Write("a", "1");
  watched.Write("b", "2");
  watched.Run(5s);
  CHECK(watched.events == Strings{"added a 1", "added b 2"});
  CHECK(watched.watch.state() == State::kWatching);
  CHECK(watched.cluster.server.requests().size() == 2);
}

TEST_CASE("A watch that the server ends begins again where it was", "[migrate][object_watch]") {
  Watched watched;
  watched.watch.Start(watched.Version());
  watched.Write("a", "1");
  watched.Run(1s);
  // A change of the CRD makes the server end it.
  watched.cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
  const std::string seen = watched.VersionOf("a");
  watched.Run(2s);
  watched.Write("b", "2");
  watched.Run(2s);
  CHECK(watched.events == Strings{"added a 1", "added b 2"});
  CHECK_THAT(watched.cluster.server.RequestLines().back(),
             Catch::Contains("resourceVersion=" + seen + "&"));
}

TEST_CASE("A watch from a version that the server has forgotten is expired",
          "[migrate][object_watch]") {
  Watched watched;
  const std::string version = watched.Version();
  watched.Write("a", "1");
  SECTION("as an event") { watched.cluster.server.Compact(); }
  SECTION("as a status") {
    watched.cluster.server.AddFault(
        {.target = "watch=1", .answer = test_support::FakeStatus(410, "Expired", "too old")});
  }
  watched.watch.Start(version);
  watched.Run(5s);
  CHECK(watched.watch.state() == State::kExpired);
  CHECK_THAT(watched.watch.error(), Catch::Contains("too old"));
  CHECK(watched.cluster.server.requests().size() == 1);
}

TEST_CASE("What cannot be watched is not tried for ever", "[migrate][object_watch]") {
  Watched watched;
  FakeFault fault;
  fault.target = "watch=1";
  fault.times = 0;
  std::size_t requests = 1;
  SECTION("without the right to") {
    fault.answer = test_support::FakeStatus(403, "Forbidden", "no");
  }
  SECTION("with a server that fails each time") {
    fault.answer = test_support::FakeStatus(500, "InternalError", "busy");
    requests = 6;
  }
  SECTION("with answers that are none") {
    fault.answer = test_support::FakeText(200, "text/html", "<html>log in</html>");
    requests = 6;
  }
  watched.cluster.server.AddFault(fault);
  watched.watch.Start(watched.Version());
  watched.Run(60s);
  CHECK(watched.watch.state() == State::kFailed);
  CHECK_FALSE(watched.watch.error().empty());
  CHECK(watched.cluster.server.requests().size() == requests);
}

TEST_CASE("A watch that was stopped shows nothing more", "[migrate][object_watch]") {
  Watched watched;
  watched.watch.Start(watched.Version());
  watched.Run(1s);
  watched.watch.Stop();
  watched.Write("a", "1");
  watched.Run(5s);
  CHECK(watched.events.empty());
  CHECK(watched.watch.state() == State::kIdle);
}

}  // namespace object_watch_test
}  // namespace migrate::cluster
