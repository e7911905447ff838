#include "migrate/metadata_list.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate {
namespace {

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
  Spool spool{folder.path(), "run", "test"};
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
};

std::string Names(Spool& spool) {
  std::string names;
  while (const auto next = spool.Next()) names += next->object.name + " ";
  return names;
}

TEST_CASE("Metadata alone is asked for", "[migrate][metadata_list]") {
  World world(5);
  MetadataList list(world.target, 2, world.spool, world.cluster.client, world.cluster.clock);
  CHECK_FALSE(list.remaining());
  world.Run(list);
  CHECK_FALSE(list.error());
  CHECK(world.spool.is_complete());
  CHECK(Names(world.spool) == "w100 w101 w102 w103 w104 ");
  REQUIRE(world.cluster.server.requests().size() == 3);
  const kube::ResponseHead head{0, world.cluster.server.requests()[0].headers};
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
  MetadataList list(world.target, 1, world.spool, world.cluster.client, world.cluster.clock);
  list.Advance();
  while (world.spool.listed() == 0) world.cluster.client.Poll(list.next_event());
  CHECK(list.remaining() == 7);
}

TEST_CASE("A list goes on where the spool ends", "[migrate][metadata_list]") {
  World world(5);
  {
    MetadataList list(world.target, 2, world.spool, world.cluster.client, world.cluster.clock);
    list.Advance();
    while (world.spool.listed() < 2) world.cluster.client.Poll(list.next_event());
    list.Stop();
    CHECK(list.is_done());
  }
  Spool again(world.folder.path(), "run", "test");
  CHECK(again.listed() == 2);
  // By then the token has expired, and an object was created on either side of it.
  world.Add("w0");
  world.Add("w1020");
  world.cluster.server.Compact();
  MetadataList list(world.target, 2, again, world.cluster.client, world.cluster.clock);
  world.Run(list);
  CHECK(Names(again) == "w100 w101 w102 w1020 w103 w104 ");
}

TEST_CASE("With a complete spool nothing is asked", "[migrate][metadata_list]") {
  World world(1);
  world.spool.EndPage("");
  MetadataList list(world.target, 2, world.spool, world.cluster.client, world.cluster.clock);
  CHECK(list.is_done());
  CHECK(world.cluster.server.requests().empty());
}

TEST_CASE("A list that stays away is given up", "[migrate][metadata_list]") {
  World world(1);
  test_support::FakeFault fault;
  fault.times = 0;
  fault.lost = true;
  world.cluster.server.AddFault(fault);
  MetadataList list(world.target, 2, world.spool, world.cluster.client, world.cluster.clock);
  world.Run(list);
  REQUIRE(list.error());
  CHECK(list.error()->transport);
  CHECK(world.cluster.server.requests().size() == 10);
}

}  // namespace
}  // namespace migrate
