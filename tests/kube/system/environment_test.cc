#include "kube/base/environment.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>

namespace kube::base {
namespace {

TEST_CASE("The process' variables are read when asked for", "[kube][environment]") {
  const Environment environment = ProcessEnvironment();
  REQUIRE(setenv("KUBECTL_PRUNE_ENVIRONMENT_TEST", "a", 1) == 0);
  CHECK(environment.variable("KUBECTL_PRUNE_ENVIRONMENT_TEST") == "a");
  REQUIRE(unsetenv("KUBECTL_PRUNE_ENVIRONMENT_TEST") == 0);
  CHECK(environment.variable("KUBECTL_PRUNE_ENVIRONMENT_TEST").empty());
}

TEST_CASE("We are who the environment says, else a number", "[kube][environment]") {
  std::map<std::string, std::string> variables;
  const Environment environment{
      .variable = [&](const std::string& name) { return variables[name]; }};
  CHECK(UserName(environment) == "uid-" + std::to_string(geteuid()));
  variables["LOGNAME"] = "bob";
  CHECK(UserName(environment) == "bob");
  variables["USER"] = "alice";
  CHECK(UserName(environment) == "alice");
}

}  // namespace
}  // namespace kube::base
