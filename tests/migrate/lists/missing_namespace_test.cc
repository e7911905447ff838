#include <catch2/catch.hpp>

#include "migrate/cluster/list_reader.h"
#include "tests/support/fake_cluster.h"

namespace migrate::cluster {
namespace missing_namespace_test {

using test_support::FakeCluster;
using test_support::FakeFault;

struct World {
  World() {
    cluster.server.Add(test_support::FakeCrdText("widgets"));
    cluster.server.Add(test_support::FakeObjectText("widgets", "w", "{}"));  // in "shop"
  }
  void Answer(const test_support::FakeAnswer& answer) {
    cluster.server.AddFault({.target = "/namespaces/", .times = 0, .answer = answer});
  }
  FakeCluster cluster;
};

TEST_CASE("A namespace that does not exist is told in the server's words",
          "[migrate][missing_namespace]") {
  World world;
  CHECK(DescribeMissingNamespace("nosuch", world.cluster.client) ==
        "namespaces \"nosuch\" not found");
  CHECK(DescribeMissingNamespace("shop", world.cluster.client).empty());
}

TEST_CASE("Where it cannot be told whether a namespace exists nothing is said, and at once",
          "[migrate][missing_namespace]") {
  World world;
  SECTION("it may not be read") { world.cluster.server.Forbid("namespaces"); }
  SECTION("the server has trouble") {
    world.Answer(test_support::FakeStatus(503, "ServiceUnavailable", "not now"));
  }
  SECTION("the answer is not the server's") {
    world.Answer(test_support::FakeText(404, "text/html", "<html>not found</html>"));
  }
  CHECK(DescribeMissingNamespace("nosuch", world.cluster.client).empty());
  CHECK(world.cluster.clock.passed() == std::chrono::seconds(0));
}

}  // namespace missing_namespace_test
}  // namespace migrate::cluster
