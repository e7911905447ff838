#include "plugin/cli/usage_error.h"

#include <catch2/catch.hpp>

namespace plugin::cli {
namespace usage_error_test {

TEST_CASE("G1: an error of usage points to the help", "[plugin][usage_error]") {
  CHECK(std::string(UsageError("", "no").what()) == "no\nSee 'kubectl prune --help' for usage.");
  CHECK(std::string(UsageError("diff", "no").what()) ==
        "no\nSee 'kubectl prune diff --help' for usage.");
  CHECK(std::string(InvalidArgument("check", "-l, --selector", "a\"\x1B", "why").what()) ==
        "invalid argument \"a\\\"\\x1b\" for \"-l, --selector\" flag: why\n"
        "See 'kubectl prune check --help' for usage.");
}

}  // namespace usage_error_test
}  // namespace plugin::cli
