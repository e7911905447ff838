#include "plugin/version_command.h"

#include <catch2/catch.hpp>

namespace plugin {
namespace {

TEST_CASE("The version is printed as kubectl's", "[plugin][version_command]") {
  CHECK(PrintVersion("v0.1.0", OutputFormat::kTable) == "Client Version: v0.1.0\n");
  CHECK(PrintVersion("v0.1.0", OutputFormat::kJson) ==
        "{\n    \"clientVersion\": {\n        \"gitVersion\": \"v0.1.0\"\n    }\n}\n");
  CHECK(PrintVersion("v0.1.0", OutputFormat::kYaml) == "clientVersion:\n  gitVersion: v0.1.0\n");
}

}  // namespace
}  // namespace plugin
