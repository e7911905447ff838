#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "migrate/rewrite/metadata_list.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace cached_list_test {

using test_support::FakeFault;
using test_support::FakeStatus;
using test_support::FakeText;

const std::string kWidgets = "GET /apis/demo.example.com/v1/widgets";
const std::string kProbe = kWidgets + "?limit=1&includeObject=None";
const std::string kPiece = kWidgets + "?resourceVersion=77&resourceVersionMatch=NotOlderThan";

/// Widgets w100, w101...; chunks are of two.
struct World {
  explicit World(int count) {
    cluster.server.Add(test_support::FakeCrdText("widgets"));
    for (int i = 0; i < count; ++i) Add("w" + std::to_string(100 + i));
  }
  void Add(const std::string& name) {
    cluster.server.Add(test_support::FakeObjectText("widgets", name, "{}"));
  }

  /// Reads the list, and rewrites the first object that is listed if that is wanted.
  void Run(bool rewrites = true) {
    CachedList list(target, most, 2, spool, cluster.session());
    while (!list.is_done()) {
      list.Advance();
      if (!list.is_done()) cluster.client.Poll(list.next_event());
      Write(list, rewrites);
    }
    CHECK_FALSE(list.error());
    CHECK(spool.is_complete());
  }
  void Write(CachedList& list, bool rewrites) {
    while (const auto next = spool.Next()) {
      names += next->object.name + " ";
      const report::ObjectClass result =
          rewrites ? report::ObjectClass::kRewritten : report::ObjectClass::kUnchanged;
      spool.Answer(next->number, {.object_class = result});
      if (rewrites) list.OnRewritten("77");
    }
  }

  /// The answer to the list in one piece.
  void AnswerPiece(test_support::FakeAnswer answer) {
    cluster.server.AddFault({.target = "NotOlderThan", .answer = std::move(answer)});
  }
  std::vector<std::string> Lines() const { return cluster.server.RequestLines(); }

  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  cluster::Spool spool{folder.path(), "run", "test"};
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  std::uint64_t most = 10;
  std::string names;  // in the order in which they are written
};

const std::string kAll = "w100 w101 w102 w103 w104 ";

/// w100 is the one that was rewritten.
std::string Item(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"u",)" +
         R"("resourceVersion":")" + (name == "w100" ? "77" : "1") + R"("}})";
}
std::string Items(const std::vector<std::string>& names) {
  std::string items;
  for (const std::string& name : names) items += (items.empty() ? "" : ",") + Item(name);
  return items;
}
test_support::FakeAnswer List(const std::string& items, const std::string& metadata = "") {
  return FakeText(200, "application/json",
                  R"({"kind":"PartialObjectMetadataList","metadata":{)" + metadata +
                      R"(},"items":[)" + items + "]}");
}

TEST_CASE("H3: behind the first chunk the rest of a short list comes in one piece",
          "[migrate][cached_list]") {
  World world(5);
  world.most = 5;
  world.AnswerPiece(List(Items({"w100", "w101", "w102", "w103", "w104"})));
  world.Run();
  CHECK(world.names == kAll);
  REQUIRE(world.Lines().size() == 3);
  CHECK(world.Lines()[0] == kProbe);
  CHECK(world.Lines()[1] == kWidgets + "?limit=2");
  CHECK(world.Lines()[2] == kPiece);
  const kube::client::ResponseHead head{0, world.cluster.server.requests()[2].headers};
  CHECK(head.Find("Accept")->starts_with("application/json;as=PartialObjectMetadataList;"));
}

TEST_CASE("A watch cache has no order, and knows what was created meanwhile",
          "[migrate][cached_list]") {
  World world(5);
  world.AnswerPiece(List(Items({"w104", "w0", "w102", "w105", "w100", "w103", "w101"})));
  world.Run();
  // w0 is before what was listed: who created it has stored it anew.
  CHECK(world.names == kAll + "w105 ");
}

TEST_CASE("A list is read in chunks where it is not known to be short", "[migrate][cached_list]") {
  World world(5);
  SECTION("as there is more than that") {
    world.most = 4;
    world.Run();
  }
  SECTION("as the server does not count what a selector leaves") {
    world.target.field_selector = "metadata.namespace=shop";
    world.Run();
  }
  SECTION("as the question fails") {
    world.cluster.server.AddFault({.target = "includeObject=None",
                                   .answer = FakeStatus(500, "InternalError", "out of order")});
    world.Run();
  }
  CHECK(world.names == kAll);
  CHECK(world.Lines().size() == 4);
  CHECK(world.Lines()[0].find("limit=1&includeObject=None") != std::string::npos);
  CHECK(world.Lines()[3].find("limit=2&continue=") != std::string::npos);
}

TEST_CASE("Nothing is asked ahead of a list that is to be read in chunks",
          "[migrate][cached_list]") {
  World world(5);
  SECTION("as the user wants them") { world.most = 0; }
  SECTION("as a dry run rewrites nothing") { world.target.dry_run = true; }
  world.Run();
  CHECK(world.names == kAll);
  CHECK(world.Lines().size() == 3);
}

TEST_CASE("A list goes on in chunks where the spool ends", "[migrate][cached_list]") {
  World world(5);
  {
    CachedList list(world.target, 10, 2, world.spool, world.cluster.session());
    while (world.spool.listed() == 0) {
      list.Advance();
      world.cluster.client.Poll(list.next_event());
    }
    CHECK(list.remaining() == 3);
    list.OnRewritten("77");
    list.Stop();
    CHECK(list.is_done());
  }
  cluster::Spool again(world.folder.path(), "run", "test");
  CachedList list(world.target, 10, 2, again, world.cluster.session());
  while (!list.is_done()) {
    list.Advance();
    if (!list.is_done()) world.cluster.client.Poll(list.next_event());
  }
  CHECK(again.listed() == 5);
  CHECK(world.Lines().size() == 4);
  CHECK(world.Lines().back().find("continue=") != std::string::npos);
}

TEST_CASE("A first chunk that needs no rewrite is followed by chunks", "[migrate][cached_list]") {
  World world(5);
  world.Run(/*rewrites=*/false);
  CHECK(world.names == kAll);
  CHECK(world.Lines().size() == 4);
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(1));
}

TEST_CASE("What the watch cache does not give is read in chunks", "[migrate][cached_list]") {
  World world(5);
  SECTION("as it is behind") {
    world.AnswerPiece(FakeStatus(504, "Timeout", "Timeout: Too large resource version: 77"));
  }
  SECTION("as somebody else answers") {
    world.AnswerPiece(FakeText(200, "text/html", "<html>log in</html>"));
  }
  SECTION("as it is no list") { world.AnswerPiece(FakeText(200, "application/json", "{}")); }
  SECTION("as it has no objects") {
    world.AnswerPiece(FakeText(200, "application/json", R"({"kind":"PartialObjectMetadataList"})"));
  }
  SECTION("as it has fewer than there were") {
    world.AnswerPiece(List(Items({"w100", "w101", "w102", "w104"})));
  }
  SECTION("as it does not know of our rewrite") {
    world.AnswerPiece(List(Items({"w1", "w101", "w102", "w103", "w104"})));
  }
  SECTION("as it has an object twice") {
    world.AnswerPiece(List(Items({"w100", "w101", "w102", "w103", "w104", "w103"})));
  }
  SECTION("as it is cut short") {
    world.AnswerPiece(FakeText(200, "application/json",
                               R"({"kind":"PartialObjectMetadataList","items":[)" + Item("w102")));
  }
  SECTION("as it is a chunk all the same") {
    world.AnswerPiece(List(Items({"w100", "w101", "w102", "w103", "w104"}), R"("continue":"t")"));
  }
  SECTION("as it is far longer than it should be") {
    std::string items = Items({"w100", "w101", "w102", "w103", "w104"});
    for (int i = 0; i < 20; ++i) items += "," + Item("x" + std::to_string(i));
    world.AnswerPiece(List(items));
  }
  SECTION("as the connection is lost") {
    world.cluster.server.AddFault({.target = "NotOlderThan", .lost = true});
  }
  world.Run();
  CHECK(world.names == kAll);
  CHECK(world.Lines().size() == 5);
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(1));
}

TEST_CASE("Nobody waits for a watch cache for long", "[migrate][cached_list]") {
  World world(5);
  world.cluster.server.AddFault({.target = "NotOlderThan", .latency = std::chrono::hours(1)});
  world.Run();
  CHECK(world.names == kAll);
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(5));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(6));
}

TEST_CASE("Nobody listens to a watch cache that falls silent, or never ends",
          "[migrate][cached_list]") {
  World world(5);
  CachedList list(world.target, 10, 2, world.spool, world.cluster.session());
  while (world.spool.listed() == 0) {
    list.Advance();
    world.cluster.client.Poll(list.next_event());
  }
  FakeFault fault;
  fault.target = "NotOlderThan";
  fault.answer = FakeText(200, "application/json", R"({"kind":"XList","items":[)");
  const auto asked = world.cluster.clock.Now();
  std::string more;
  SECTION("in the middle") {}
  SECTION("of objects") { more = Item("w100") + ","; }
  SECTION("of rubbish that trickles in") { more = "<p>"; }
  const auto next = [&] {
    world.cluster.clock.Advance(std::chrono::milliseconds(100));
    return more;
  };
  // A watch is an answer that goes on.
  fault.answer->watch = std::make_shared<test_support::FakeWatch>(
      test_support::FakeWatch{next, [] { return false; }});
  world.cluster.server.AddFault(fault);
  list.OnRewritten("77");
  while (!list.is_done()) {
    list.Advance();
    if (!list.is_done()) world.cluster.client.Poll(list.next_event());
  }
  CHECK(world.spool.listed() == 5);
  CHECK(world.cluster.clock.Now() - asked >= std::chrono::seconds(5));
  CHECK(world.cluster.clock.Now() - asked <= std::chrono::seconds(60));
}

TEST_CASE("A list does not wait for writes that do not come", "[migrate][cached_list]") {
  World world(5);
  CachedList list(world.target, 10, 2, world.spool, world.cluster.session());
  const auto run = [&] {
    while (!list.is_done()) {
      list.Advance();
      if (!list.is_done()) world.cluster.client.Poll(list.next_event());
    }
    CHECK(world.spool.listed() == 5);
  };
  SECTION("as they are slow") {
    run();
    CHECK(world.cluster.clock.passed() >= std::chrono::seconds(5));
  }
  SECTION("as none is begun any more") {
    while (world.spool.listed() == 0) {
      list.Advance();
      world.cluster.client.Poll(list.next_event());
    }
    list.NameOnly();
    run();
    CHECK(world.cluster.clock.passed() < std::chrono::seconds(1));
  }
}

}  // namespace cached_list_test
}  // namespace migrate::rewrite
