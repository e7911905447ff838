#include <algorithm>
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <vector>

#include "migrate/cluster/object_watch.h"
#include "tests/support/fake_cluster.h"

namespace migrate::cluster {
namespace list_watch_test {

using namespace std::chrono_literals;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeStatus;
using Strings = std::vector<std::string>;

const std::string kCrd = FakeCrdText("widgets", R"(,"preserveUnknownFields":true)");
const std::string kWidgets = "/apis/demo.example.com/v1/widgets";

std::string NameOf(const kube::json::Value& object) {
  return std::string(object.Find("metadata")->FindText("name"));
}

class NameTaker : public ItemTaker {
 public:
  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const std::lock_guard lock(mutex_);
    names.insert(NameOf(item.root()));
  }

  std::set<std::string> names;

 private:
  std::mutex mutex_;
};

/// The widgets of a cluster, of which there is one, "old".
struct Watched {
  Watched() : watch(Options(), cluster.session()) {
    cluster.server.Add(kCrd);
    Write("old");
  }
  ListWatch::Options Options() {
    ListWatch::Options options;
    options.target = kWidgets;
    options.what = "widgets";
    options.chunk_size = 2;
    options.make_taker = MakerOf(taker);
    options.on_list = [this] {
      std::string text = "all";
      for (const auto& name : taker->names) text += " " + name;
      news.push_back(text);
    };
    options.on_event = [this](WatchEventType type, kube::json::Value& object) {
      const char* const kNames[] = {"added ", "modified ", "deleted "};
      news.push_back(kNames[static_cast<int>(type)] + NameOf(object));
    };
    options.tell = [this](const std::string& line) { lines.push_back(line); };
    return options;
  }
  void Write(const std::string& name, const std::string& spec = "{}") {
    test_support::WriteFakeObject(cluster.server, "widgets", name, spec);
  }
  /// The watch ends, and the server does not know any more what came since.
  void Expire() {
    cluster.server.Add(kCrd);
    cluster.server.Compact();
  }
  void Delete(const std::string& name) {
    cluster.server.Delete("widgets.demo.example.com", "shop/" + name);
  }
  /// Of watches, or of lists.
  void AddFault(bool is_watch, int times, const test_support::FakeAnswer& answer) {
    cluster.server.AddFault(
        {.target = is_watch ? "watch=1" : "limit=", .times = times, .answer = answer});
  }
  void Run(kube::base::Clock::Duration time) {
    const auto end = cluster.clock.Now() + time;
    while (cluster.clock.Now() < end) {
      cluster.client.Poll(std::min(end, cluster.clock.Now() + 100ms));
      watch.Advance();
    }
  }
  std::size_t CountRequests(const std::string& text) const {
    const Strings requests = cluster.server.RequestLines();
    return static_cast<std::size_t>(std::ranges::count_if(
        requests, [&text](const auto& line) { return line.find(text) != std::string::npos; }));
  }

  FakeCluster cluster;
  Strings news, lines;
  std::shared_ptr<NameTaker> taker;
  ListWatch watch;
};

TEST_CASE("A list is read once, and watched from then on", "[migrate][lists]") {
  Watched watched;
  for (const char* name : {"a", "b"}) watched.Write(name);
  CHECK_FALSE(watched.watch.Begin());
  CHECK(watched.news == Strings{"all a b old"});
  watched.Write("c");
  watched.Write("old", R"({"a":"x"})");
  watched.Delete("a");
  watched.Run(10min);
  CHECK(watched.news == Strings{"all a b old", "added c", "modified old", "deleted a"});
  CHECK(watched.lines.empty());
  CHECK_FALSE(watched.watch.blind_since());
  // In two chunks.
  CHECK(watched.CountRequests("limit=") == 2);
  CHECK(watched.CountRequests("watch=1") == 1);
}

TEST_CASE("A list that cannot be read at the beginning is an error", "[migrate][lists]") {
  Watched watched;
  watched.AddFault(/*is_watch=*/false, 0, FakeStatus(403, "Forbidden", "not you"));
  const auto error = watched.watch.Begin();
  REQUIRE(error);
  CHECK_THAT(error->message, Catch::Contains("not you"));
  CHECK(watched.news.empty());
}

TEST_CASE("A list whose reading was stopped is none", "[migrate][lists]") {
  FakeCluster cluster;
  cluster.server.Add(kCrd);
  const std::atomic<bool> stop = true;
  cluster.run_stop = &stop;
  ListWatch::Options options;
  options.target = kWidgets;
  options.make_taker = [] { return std::make_shared<NameTaker>(); };
  options.on_list = [] { FAIL("a list"); };
  ListWatch watch(options, cluster.session());
  CHECK_FALSE(watch.Begin());
}

TEST_CASE("Where the server has forgotten too much the list is read again", "[migrate][lists]") {
  Watched watched;
  CHECK_FALSE(watched.watch.Begin());
  watched.Write("a");
  watched.Delete("old");
  watched.Expire();
  watched.Run(10s);
  CHECK(watched.news == Strings{"all old", "all a"});
  watched.Write("b");
  watched.Run(1s);
  CHECK(watched.news.back() == "added b");
  CHECK(watched.lines.empty());
  CHECK_FALSE(watched.watch.blind_since());
}

TEST_CASE("While a list cannot be read again somebody is told once, and once it is over",
          "[migrate][lists]") {
  Watched watched;
  CHECK_FALSE(watched.watch.Begin());
  watched.AddFault(/*is_watch=*/false, 5, FakeStatus(403, "Forbidden", "not you"));
  watched.Expire();
  const auto lost = watched.cluster.clock.Now();
  watched.Run(15s);
  // What was known holds.
  CHECK(watched.news == Strings{"all old"});
  REQUIRE(watched.lines.size() == 1);
  CHECK_THAT(watched.lines[0],
             Catch::StartsWith("changes of widgets are not seen at the moment: ") &&
                 Catch::Contains("not you"));
  REQUIRE(watched.watch.blind_since());
  CHECK(*watched.watch.blind_since() - lost < 3s);
  watched.Write("a");
  watched.Run(30s);
  CHECK(watched.news == Strings{"all old", "all a old"});
  REQUIRE(watched.lines.size() == 2);
  CHECK(watched.lines[1] == "changes of widgets are seen again");
  CHECK_FALSE(watched.watch.blind_since());
}

TEST_CASE("Of a list that cannot be watched somebody is told once", "[migrate][lists]") {
  Watched watched;
  const int code = GENERATE(403, 500);
  CAPTURE(code);
  watched.AddFault(/*is_watch=*/true, code == 403 ? 24 : 90,
                   FakeStatus(code, code == 403 ? "Forbidden" : "InternalError", "no"));
  CHECK_FALSE(watched.watch.Begin());
  watched.Write("a");
  watched.Run(60s);
  REQUIRE(watched.lines.size() == 1);
  CHECK_THAT(watched.lines[0], Catch::EndsWith("no"));
  CHECK(watched.watch.blind_since());
  // Read again every few seconds.
  CHECK(watched.news.back() == "all a old");
  CHECK(watched.news.size() > 5);
  watched.Run(200s);
  REQUIRE(watched.lines.size() == 2);
  CHECK(watched.lines[1] == "changes of widgets are seen again");
  CHECK_FALSE(watched.watch.blind_since());
}

TEST_CASE("A watch that breaks now and then is no news", "[migrate][lists]") {
  Watched watched;
  watched.AddFault(/*is_watch=*/true, 1, FakeStatus(500, "InternalError", "no"));
  CHECK_FALSE(watched.watch.Begin());
  watched.Write("a");
  watched.Run(10min);
  CHECK(watched.news == Strings{"all old", "added a"});
  CHECK(watched.lines.empty());
  CHECK_FALSE(watched.watch.blind_since());
}

}  // namespace list_watch_test
}  // namespace migrate::cluster
