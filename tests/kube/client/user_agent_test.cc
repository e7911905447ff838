#include <catch2/catch.hpp>

#include "kube/client/client.h"

namespace kube::client {
namespace user_agent_test {

// Expected values: client-go's rest.DefaultKubernetesUserAgent.
TEST_CASE("H1: The user agent is of client-go's form", "[kube][user_agent]") {
  CHECK_THAT(UserAgent("kubectl-prune", "v0.1.0"),
             Catch::Matchers::Matches("kubectl-prune/v0\\.1\\.0 \\(linux/(amd64|arm64|unknown)\\) "
                                      "kubernetes/unknown"));
  CHECK(UserAgent("x", "v1.2.3-rc.1").starts_with("x/v1.2.3 ("));
  CHECK(UserAgent("x", "").starts_with("x/unknown ("));
}

}  // namespace user_agent_test
}  // namespace kube::client
