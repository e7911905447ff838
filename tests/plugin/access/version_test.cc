#include "plugin/access/version.h"

#include <catch2/catch.hpp>
#include <string>

namespace plugin::access {
namespace {

TEST_CASE("Requests tell the program's version", "[plugin][version]") {
  CHECK(UserAgent().starts_with("kubectl-prune/" + std::string(kVersion) + " ("));
}

}  // namespace
}  // namespace plugin::access
