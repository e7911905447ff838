#include <catch2/catch.hpp>
#include <string>

#include "plugin/command/run_facts.h"

namespace plugin::command {
namespace {

TEST_CASE("Requests tell the program's version", "[plugin][version]") {
  CHECK(UserAgent().starts_with("kubectl-prune/" + std::string(kVersion) + " ("));
}

}  // namespace
}  // namespace plugin::command
