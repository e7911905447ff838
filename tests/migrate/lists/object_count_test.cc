#include "migrate/cluster/object_count.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace migrate::cluster {
namespace object_count_test {

using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeObjectText;

const std::string kTarget = "/apis/demo.example.com/v1/widgets";

TEST_CASE("Objects are counted by their metadata, over all chunks", "[migrate][object_count]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  for (int i = 0; i < 5; ++i) {
    cluster.server.Add(FakeObjectText("widgets", "w" + std::to_string(i), "{}"));
  }
  const auto count = CountObjects(kTarget, {.chunk_size = 2}, cluster.session());
  REQUIRE(count);
  CHECK(*count == 5);
  CHECK(cluster.server.requests().size() == 3);
  for (const kube::client::HttpRequest& request : cluster.server.requests()) {
    const kube::client::ResponseHead head{0, request.headers};
    CHECK(head.Find("Accept")->starts_with("application/json;as=PartialObjectMetadataList;"));
  }
}

TEST_CASE("A list that cannot be read has no count", "[migrate][object_count]") {
  FakeCluster cluster;
  cluster.server.Add(FakeCrdText("widgets"));
  cluster.server.Forbid("widgets.demo.example.com");
  const auto count = CountObjects(kTarget, {}, cluster.session());
  REQUIRE_FALSE(count);
  CHECK(count.error().status->code == 403);
}

}  // namespace object_count_test
}  // namespace migrate::cluster
