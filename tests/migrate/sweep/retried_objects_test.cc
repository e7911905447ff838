#include "migrate/rewrite/retried_objects.h"

#include <catch2/catch.hpp>

namespace migrate::rewrite {
namespace retried_objects_test {

using Catch::Matchers::Contains;

const std::vector<RetriedObject> kRetried = {{"widgets.g.x", "shop", "a", true},
                                             {"widgets.g.x", "shop", "b", false},
                                             {"gizmos.g.x", "", "c", true},
                                             {"planets.g.x", "", "d", false}};

cluster::ListedObject Named(const std::string& namespace_, const std::string& name) {
  cluster::ListedObject object;
  object.namespace_ = namespace_;
  object.name = name;
  return object;
}

TEST_CASE("Each CRD has its own objects to try again", "[migrate][retried_objects]") {
  const auto names = RetriedOf("widgets.g.x", kRetried);
  REQUIRE(names.size() == 2);
  CHECK(names[0].namespace_ == "shop");
  CHECK(names[0].name == "a");
  CHECK(names[1].name == "b");
  CHECK(RetriedOf("others.g.x", kRetried).empty());
}

TEST_CASE("What was reported as held is held by its name, and it is told why",
          "[migrate][retried_objects]") {
  SweepOptions options;
  HoldAsReported("widgets.g.x", kRetried, options);
  REQUIRE(options.is_held);
  CHECK(options.is_held(Named("shop", "a")));
  CHECK_FALSE(options.is_held(Named("shop", "b")));
  CHECK_FALSE(options.is_held(Named("lab", "a")));
  CHECK_FALSE(options.is_held(Named("", "c")));  // of another CRD
  CHECK_THAT(options.held_because, Contains("--state-dir") && Contains("--rewrite-unbacked"));
}

TEST_CASE("Where nothing was reported as held nothing is", "[migrate][retried_objects]") {
  SweepOptions options;
  HoldAsReported("planets.g.x", kRetried, options);
  CHECK_FALSE(options.is_held);
}

}  // namespace retried_objects_test
}  // namespace migrate::rewrite
