#include "kube/system/environment.h"

#include <stdlib.h>

#include <catch2/catch.hpp>

namespace kube::system {
namespace {

TEST_CASE("The process' variables are read when asked for", "[kube][environment]") {
  const Environment environment = ProcessEnvironment();
  REQUIRE(setenv("KUBECTL_PRUNE_ENVIRONMENT_TEST", "a", 1) == 0);
  CHECK(environment.variable("KUBECTL_PRUNE_ENVIRONMENT_TEST") == "a");
  REQUIRE(unsetenv("KUBECTL_PRUNE_ENVIRONMENT_TEST") == 0);
  CHECK(environment.variable("KUBECTL_PRUNE_ENVIRONMENT_TEST").empty());
}

}  // namespace
}  // namespace kube::system
