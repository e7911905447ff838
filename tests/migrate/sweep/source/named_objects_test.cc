#include <catch2/catch.hpp>
#include <string>

#include "migrate/rewrite/sweep.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace named_objects_test {

struct World {
  World() {
    cluster.server.Add(test_support::FakeCrdText("widgets"));
    for (const char* name : {"a", "b", "c"}) {
      cluster.server.Add(test_support::FakeObjectText("widgets", name, "{}"));
    }
  }
  void Run() {
    NamedObjects objects(target, names, 2, spool, cluster.session());
    CHECK(objects.remaining() == names.size());
    while (!objects.is_done()) {
      objects.Advance();
      if (!objects.is_done()) cluster.client.Poll(objects.next_event());
    }
    CHECK(objects.remaining() == 0);
  }
  std::string Gone() {
    std::string text;
    for (std::uint64_t i = 0; i < spool.listed(); ++i) {
      if (spool.class_of(i) == report::ObjectClass::kGone) text += names[i].name + " ";
    }
    return text;
  }
  std::string Known() {
    std::string text;
    while (const auto next = spool.Next()) {
      text += next->object.name + (next->object.uid.empty() ? "? " : " ");
    }
    return text;
  }

  test_support::FakeCluster cluster;
  test_support::TempFolder folder;
  cluster::Spool spool{folder.path(), "named", "test"};
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  std::vector<ObjectName> names = {
      {"shop", "a"}, {"shop", "b"}, {"shop", "c"}, {"shop", "d"}, {"other", "e"}};
};

TEST_CASE("Each name is one object, known, gone or unknown", "[migrate][named_objects]") {
  World world;
  world.cluster.server.AddFault(
      {.target = "/widgets/c", .answer = test_support::FakeStatus(403, "Forbidden", "no")});
  world.Run();
  CHECK(world.Known() == "a b c? ");
  CHECK(world.Gone() == "d e ");
  CHECK(world.cluster.server.RequestLines().at(0) ==
        "GET /apis/demo.example.com/v1/namespaces/shop/widgets/a");
}

TEST_CASE("A read that may pass is tried again", "[migrate][named_objects]") {
  World world;
  world.cluster.server.AddFault({.target = "/widgets/b",
                                 .times = 3,
                                 .answer = test_support::FakeText(503, "text/plain", "")});
  world.Run();
  CHECK(world.Known() == "a b c ");
}

TEST_CASE("Without names there is nothing to do", "[migrate][named_objects]") {
  World world;
  world.names.clear();
  world.Run();
  CHECK(world.spool.is_complete());
  CHECK(world.cluster.server.requests().empty());
}

}  // namespace named_objects_test
}  // namespace migrate::rewrite
