#include "plugin/command/version_command.h"

#include <catch2/catch.hpp>

namespace plugin::command {
namespace {

TEST_CASE("The version is printed as kubectl's", "[plugin][version_command]") {
  CHECK(PrintVersion("v0.1.0", nullptr, flags::OutputFormat::kTable) == "Client Version: v0.1.0\n");
  CHECK(PrintVersion("v0.1.0", nullptr, flags::OutputFormat::kJson) ==
        "{\n    \"clientVersion\": {\n        \"gitVersion\": \"v0.1.0\"\n    }\n}\n");
  CHECK(PrintVersion("v0.1.0", nullptr, flags::OutputFormat::kYaml) ==
        "clientVersion:\n  gitVersion: v0.1.0\n");
}

TEST_CASE("The version of the server is printed as kubectl's", "[plugin][version_command]") {
  kube::json::Document server;
  REQUIRE_FALSE(server.Parse(R"({"major": "1", "gitVersion": "v1.20.2"})"));
  CHECK(PrintVersion("v0.1.0", &server.root(), flags::OutputFormat::kTable) ==
        "Client Version: v0.1.0\nServer Version: v1.20.2\n");
  CHECK(PrintVersion("v0.1.0", &server.root(), flags::OutputFormat::kYaml) ==
        "clientVersion:\n  gitVersion: v0.1.0\nserverVersion:\n  gitVersion: v1.20.2\n"
        "  major: \"1\"\n");
}

TEST_CASE("A server's version cannot steer the terminal", "[plugin][version_command]") {
  kube::json::Document server;
  REQUIRE_FALSE(server.Parse(R"({"gitVersion": "v1\u001b[2J"})"));
  CHECK(PrintVersion("v0.1.0", &server.root(), flags::OutputFormat::kTable) ==
        "Client Version: v0.1.0\nServer Version: v1^[[2J\n");
}

}  // namespace
}  // namespace plugin::command
