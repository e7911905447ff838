#include "migrate/rewrite/metadata_list.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace metadata_list_test {

const std::string kWidgets = "/apis/demo.example.com/v1/widgets";

struct World {
  explicit World(int count) {
    cluster.server.Add(test_support::FakeCrdText("widgets"));
    for (int i = 0; i < count; ++i) Add("w" + std::to_string(100 + i));
  }
  void Add(const std::string& name) {
    cluster.server.Add(test_support::FakeObjectText("widgets", name, "{}"));
  }
  void Run(ObjectSource& list) {
    while (!list.is_done()) {
      list.Advance();
      if (!list.is_done()) cluster.client.Poll(list.next_event());
    }
  }
  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  cluster::Spool spool{folder.path(), "run", "test"};
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
};

std::string Names(cluster::Spool& spool) {
  std::string names;
  while (const auto next = spool.Next()) names += next->object.name + " ";
  return names;
}

TEST_CASE("Metadata alone is asked for", "[migrate][metadata_list]") {
  World world(5);
  MetadataList list(world.target, 2, world.spool, world.cluster.session());
  CHECK_FALSE(list.remaining());
  world.Run(list);
  CHECK_FALSE(list.error());
  CHECK(world.spool.is_complete());
  CHECK(Names(world.spool) == "w100 w101 w102 w103 w104 ");
  REQUIRE(world.cluster.server.requests().size() == 3);
  const kube::client::ResponseHead head{0, world.cluster.server.requests()[0].headers};
  CHECK(*head.Find("Accept") ==
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1,application/json");
}

TEST_CASE("What remains is known where the server tells it", "[migrate][metadata_list]") {
  World world(1);
  test_support::FakeFault fault;
  fault.answer = test_support::FakeText(
      200, "application/json",
      R"({"kind":"PartialObjectMetadataList","metadata":{"continue":"t","remainingItemCount":7},)"
      R"("items":[{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"1"}}]})");
  world.cluster.server.AddFault(fault);
  MetadataList list(world.target, 1, world.spool, world.cluster.session());
  list.Advance();
  while (world.spool.listed() == 0) world.cluster.client.Poll(list.next_event());
  CHECK(list.remaining() == 7);
}

TEST_CASE("A list goes on where the spool ends", "[migrate][metadata_list]") {
  World world(5);
  {
    MetadataList list(world.target, 2, world.spool, world.cluster.session());
    list.Advance();
    while (world.spool.listed() < 2) world.cluster.client.Poll(list.next_event());
    list.Stop();
    CHECK(list.is_done());
  }
  cluster::Spool again(world.folder.path(), "run", "test");
  CHECK(again.listed() == 2);
  // By then the token has expired, and an object was created on either side of it.
  world.Add("w0");
  world.Add("w1020");
  world.cluster.server.Compact();
  MetadataList list(world.target, 2, again, world.cluster.session());
  world.Run(list);
  CHECK(Names(again) == "w100 w101 w102 w1020 w103 w104 ");
}

TEST_CASE("What the server does not go on with is listed from the beginning, and not twice",
          "[migrate][metadata_list]") {
  World world(5);
  {
    MetadataList list(world.target, 2, world.spool, world.cluster.session());
    list.Advance();
    while (world.spool.listed() < 2) world.cluster.client.Poll(list.next_event());
    list.Stop();
  }
  cluster::Spool again(world.folder.path(), "run", "test");
  test_support::FakeFault fault;
  fault.target = "continue=";
  fault.answer = test_support::FakeStatus(400, "BadRequest", "continue key is not valid");
  int times = 0;
  SECTION("of an earlier run") { times = 1; }
  SECTION("but not of this one") { times = 2; }
  fault.times = times;
  world.cluster.server.AddFault(fault);
  MetadataList list(world.target, 2, again, world.cluster.session());
  world.Run(list);
  CHECK(list.error().has_value() == (times == 2));
  CHECK(Names(again) == (times == 2 ? "w100 w101 " : "w100 w101 w102 w103 w104 "));
}

TEST_CASE("With a complete spool nothing is asked", "[migrate][metadata_list]") {
  World world(1);
  world.spool.EndPage("");
  MetadataList list(world.target, 2, world.spool, world.cluster.session());
  CHECK(list.is_done());
  CHECK(world.cluster.server.requests().empty());
}

TEST_CASE("A list that stays away is given up", "[migrate][metadata_list]") {
  World world(1);
  test_support::FakeFault fault;
  fault.times = 0;
  fault.lost = true;
  world.cluster.server.AddFault(fault);
  MetadataList list(world.target, 2, world.spool, world.cluster.session());
  world.Run(list);
  REQUIRE(list.error());
  CHECK(list.error()->transport);
  CHECK(world.cluster.server.requests().size() == 10);
}

test_support::FakeAnswer Page(const std::string& names, const std::string& token) {
  std::string items;
  for (const char name : names) {
    items += items.empty() ? "" : ",";
    items += std::string(R"({"metadata":{"name":")") + name +
             R"(","namespace":"n","uid":"u","resourceVersion":"1"}})";
  }
  return test_support::FakeText(200, "application/json",
                                R"({"kind":"PartialObjectMetadataList","metadata":{"continue":")" +
                                    token + R"("},"items":[)" + items + "]}");
}

TEST_CASE("Tokens that lead in a circle are followed once, and no object comes twice",
          "[migrate][metadata_list]") {
  World world(1);
  const auto answer = [&world](int first, int times, const test_support::FakeAnswer& page) {
    world.cluster.server.AddFault(
        {.target = "limit=", .first = first, .times = times, .answer = page});
  };
  std::string listed;
  std::size_t requests = 0;
  SECTION("of two pages") {
    for (int turn = 0; turn < 50; ++turn) {
      answer(2 * turn + 1, 1, Page("ab", "A"));
      answer(2 * turn + 2, 1, Page("cd", "B"));
    }
    listed = "a b c d ";
    requests = 3;
  }
  SECTION("of pages without objects") {
    answer(1, 1, Page("ab", "A"));
    for (int turn = 1; turn < 50; ++turn) answer(turn + 1, 1, Page("", std::to_string(turn)));
    listed = "a b ";
    requests = 2;
  }
  MetadataList list(world.target, 2, world.spool, world.cluster.session());
  world.Run(list);
  REQUIRE(list.error());
  CHECK(list.error()->message.find("leads nowhere") != std::string::npos);
  CHECK(Names(world.spool) == listed);
  CHECK(world.cluster.server.requests().size() == requests);
}

TEST_CASE("What is no list of objects is not read to its end", "[migrate][metadata_list]") {
  World world(1);
  world.cluster.server.AddFault(
      {.target = kWidgets,
       .answer = test_support::FakeText(200, "application/json",
                                        R"({"items":[{},)" + std::string(100'000, ' ') + "{}]}")});
  MetadataList list(world.target, 2, world.spool, world.cluster.session());
  int polls = 0;
  while (!list.is_done()) {
    list.Advance();
    if (!list.is_done()) world.cluster.client.Poll(list.next_event());
    ++polls;
  }
  REQUIRE(list.error());
  CHECK_THAT(list.error()->message, Catch::Contains("no metadata of an object"));
  CHECK(world.spool.listed() == 0);
  CHECK(polls < 10);  // a hundred bytes each
}

TEST_CASE("A page of metadata that has no end is not read to it", "[migrate][metadata_list]") {
  World world(1);
  std::string items;
  for (int i = 0; i < 1000; ++i) {
    items += (i == 0 ? "" : ",") + std::string(R"({"metadata":{"name":"w)") +
             std::to_string(1000 + i) + R"(","namespace":"n","uid":"u","resourceVersion":"1"}})";
  }
  world.cluster.server.AddFault(
      {.target = kWidgets,
       .answer = test_support::FakeText(
           200, "application/json",
           R"({"kind":"PartialObjectMetadataList","items":[)" + items + "]}")});
  MetadataList list(world.target, 2, world.spool, world.cluster.session(), {}, 5);
  int polls = 0;
  while (!list.is_done()) {
    list.Advance();
    if (!list.is_done()) world.cluster.client.Poll(list.next_event());
    ++polls;
  }
  REQUIRE(list.error());
  CHECK_THAT(list.error()->message, Catch::Contains("the server's list has no end"));
  CHECK(world.spool.listed() == 0);
  CHECK(polls < 12);  // a hundred bytes each
}

TEST_CASE("Why a list is tried again is told once it takes long", "[migrate][metadata_list]") {
  World world(3);
  test_support::FakeFault fault;
  fault.times = GENERATE(2, 8);
  fault.answer = test_support::FakeStatus(500, "InternalError", "etcdserver: leader changed");
  world.cluster.server.AddFault(fault);
  std::vector<std::string> lines;
  MetadataList list(world.target, 2, world.spool, world.cluster.session(),
                    [&lines](const std::string& line) { lines.push_back(line); });
  world.Run(list);
  CHECK_FALSE(list.error());
  CHECK(Names(world.spool) == "w100 w101 w102 ");
  REQUIRE(lines.size() == (fault.times == 2 ? 0 : 1));
  if (lines.empty()) return;
  CHECK(lines[0].starts_with("the list of the objects could not be read for "));
  CHECK(lines[0].ends_with("etcdserver: leader changed; trying again"));
}

}  // namespace metadata_list_test
}  // namespace migrate::rewrite
