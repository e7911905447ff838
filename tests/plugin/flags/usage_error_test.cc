#include <catch2/catch.hpp>

#include "plugin/cli/flag_set.h"

namespace plugin::cli {
namespace usage_error_test {

TEST_CASE("G1: an error of usage points to the help", "[plugin][usage_error]") {
  CHECK(std::string(UsageError("", "no").what()) == "no\nSee 'kubectl prune --help' for usage.");
  CHECK(std::string(UsageError("diff", "no").what()) ==
        "no\nSee 'kubectl prune diff --help' for usage.");
  CHECK_THROWS_WITH(FlagSet("check").Invalid("-l, --selector", "a\"\x1B", "why"),
                    "invalid argument \"a\\\"\\x1b\" for \"-l, --selector\" flag: why\n"
                    "See 'kubectl prune check --help' for usage.");
}

}  // namespace usage_error_test
}  // namespace plugin::cli
