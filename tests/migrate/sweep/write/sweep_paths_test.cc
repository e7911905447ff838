#include <catch2/catch.hpp>

#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
namespace sweep_paths_test {

TEST_CASE("Paths are those of the API", "[migrate][sweep_paths]") {
  SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  CHECK(ListPath(target) == "/apis/demo.example.com/v1/widgets");
  CHECK(ObjectPath(target, {"shop", "a", "", "", 0}) ==
        "/apis/demo.example.com/v1/namespaces/shop/widgets/a");
  target.namespace_ = "shop";
  target.label_selector = "a=b,c!=d";
  target.field_selector = "metadata.name=x";
  CHECK(ListPath(target) ==
        "/apis/demo.example.com/v1/namespaces/shop/widgets?labelSelector=a%3Db%2Cc%21%3Dd&"
        "fieldSelector=metadata.name%3Dx");
}

TEST_CASE("Objects of a cluster have no namespace in their path", "[migrate][sweep_paths]") {
  const SweepTarget target{
      .group = "g", .version = "v1", .plural = "widgets", .is_namespaced = false};
  CHECK(ListPath(target) == "/apis/g/v1/widgets");
  CHECK(ObjectPath(target, {"", "system:node", "", "", 0}) == "/apis/g/v1/widgets/system%3Anode");
}

TEST_CASE("An object is named as the server names it", "[migrate][sweep_paths]") {
  const SweepTarget target{.group = "demo.example.com", .version = "v1", .plural = "widgets"};
  CHECK(ObjectText(target, {"shop", "a", "", "", 0}) == "widgets.demo.example.com \"a\"");
}

TEST_CASE("A name stays one segment of the path", "[migrate][sweep_paths]") {
  const SweepTarget target{.group = "g", .version = "v1", .plural = "widgets"};
  CHECK(ObjectPath(target, {"a/b", "c?d", "", "", 0}) ==
        "/apis/g/v1/namespaces/a%2Fb/widgets/c%3Fd");
}

}  // namespace sweep_paths_test
}  // namespace migrate::rewrite
