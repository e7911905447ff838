#include "kube/base/release.h"

#include <catch2/catch.hpp>

namespace kube::base {
namespace release_test {

TEST_CASE("A release is read as servers and people write it", "[kube][release]") {
  const auto [text, release] = GENERATE(table<std::string, Release>({
      {"1.36", {1, 36}},
      {"v1.20.2", {1, 20}},
      {"1.30+", {1, 30}},
      {"v1.27.3-gke.100", {1, 27}},
      {"2.0", {2, 0}},
  }));
  CAPTURE(text);
  CHECK(ParseRelease(text) == release);
}

TEST_CASE("What is no release is told", "[kube][release]") {
  const auto text = GENERATE("", "1", "1.", "v", ".36", "1.x", "1.36x", "one.two", "1.-3",
                             "1.99999999999999999999");
  CAPTURE(text);
  CHECK_FALSE(ParseRelease(text));
}

TEST_CASE("Releases are in order", "[kube][release]") {
  CHECK(Release{1, 9} < Release{1, 36});
  CHECK(Release{1, 36} < Release{2, 0});
  CHECK(Release{1, 36}.ToString() == "1.36");
}

}  // namespace release_test
}  // namespace kube::base
