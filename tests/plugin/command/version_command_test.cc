#include <catch2/catch.hpp>

#include "plugin/command/commands.h"

namespace plugin::command {
namespace {

constexpr char kCommit[] = "0d0c1ccf0b2f6d5d1b2a3c4d5e6f708192a3b4c5";
const ClientVersion kClient = {.version = "v0.1.0", .commit = kCommit};

TEST_CASE("The version is printed as kubectl's, with the commit", "[plugin][version_command]") {
  CHECK(PrintVersion(kClient, nullptr, terminal::OutputFormat::kTable) ==
        "Client Version: v0.1.0\nClient Commit: 0d0c1ccf0b2f6d5d1b2a3c4d5e6f708192a3b4c5\n");
  CHECK(PrintVersion(kClient, nullptr, terminal::OutputFormat::kJson) == R"({
    "clientVersion": {
        "gitCommit": "0d0c1ccf0b2f6d5d1b2a3c4d5e6f708192a3b4c5",
        "gitTreeState": "clean",
        "gitVersion": "v0.1.0"
    }
}
)");
  CHECK(PrintVersion(kClient, nullptr, terminal::OutputFormat::kYaml) == R"(clientVersion:
  gitCommit: 0d0c1ccf0b2f6d5d1b2a3c4d5e6f708192a3b4c5
  gitTreeState: clean
  gitVersion: v0.1.0
)");
}

TEST_CASE("What else a program was built from is told", "[plugin][version_command]") {
  const ClientVersion changed = {"v0.1.0", kCommit, true}, unknown = {"v0.1.0"};
  CHECK(PrintVersion(changed, nullptr, terminal::OutputFormat::kTable) ==
        "Client Version: v0.1.0\nClient Commit: 0d0c1ccf0b2f6d5d1b2a3c4d5e6f708192a3b4c5 with "
        "changes "
        "that were not committed\n");
  CHECK(PrintVersion(changed, nullptr, terminal::OutputFormat::kYaml) == R"(clientVersion:
  gitCommit: 0d0c1ccf0b2f6d5d1b2a3c4d5e6f708192a3b4c5
  gitTreeState: dirty
  gitVersion: v0.1.0
)");
  CHECK(PrintVersion(unknown, nullptr, terminal::OutputFormat::kTable) ==
        "Client Version: v0.1.0\nClient Commit: unknown (built without git, or for tests)\n");
  CHECK(PrintVersion(unknown, nullptr, terminal::OutputFormat::kYaml) ==
        "clientVersion:\n  gitTreeState: unknown\n  gitVersion: v0.1.0\n");
}

TEST_CASE("The version of the server is printed as kubectl's", "[plugin][version_command]") {
  kube::json::Document server;
  REQUIRE_FALSE(server.Parse(R"({"major": "1", "gitVersion": "v1.20.2"})"));
  CHECK_THAT(PrintVersion(kClient, &server.root(), terminal::OutputFormat::kTable),
             Catch::EndsWith("\nServer Version: v1.20.2\n"));
  CHECK_THAT(PrintVersion(kClient, &server.root(), terminal::OutputFormat::kYaml),
             Catch::EndsWith("  gitVersion: v0.1.0\nserverVersion:\n  gitVersion: v1.20.2\n"
                             "  major: \"1\"\n"));
}

TEST_CASE("A server's version cannot steer the terminal", "[plugin][version_command]") {
  kube::json::Document server;
  REQUIRE_FALSE(server.Parse(R"({"gitVersion": "v1\u001b[2J"})"));
  CHECK_THAT(PrintVersion(kClient, &server.root(), terminal::OutputFormat::kTable),
             Catch::EndsWith("\nServer Version: v1^[[2J\n"));
}

}  // namespace
}  // namespace plugin::command
