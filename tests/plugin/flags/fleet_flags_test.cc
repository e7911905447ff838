#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "plugin/cli/command_line.h"
#include "plugin/cli/common_flags.h"
#include "plugin/cli/flag_set.h"
#include "plugin/command/check_output.h"
#include "plugin/command/commands.h"
#include "tests/support/temp_folder.h"

namespace plugin::cli {
namespace fleet_flags_test {

using Words = std::vector<std::string>;

FleetOptions Parse(const Words& words) {
  Words all = {"check"};
  all.insert(all.end(), words.begin(), words.end());
  const CommandLine line = ParseCommandLine(command::Commands(), all);
  return dynamic_cast<const CommandWith<command::CheckOptions>&>(*line.command).options().fleet;
}

std::string ErrorOf(const Words& words) {
  try {
    Parse(words);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find("\nSee 'kubectl prune check --help' for usage."));
  }
  return "";
}

TEST_CASE("Contexts add up, and without them there is no fleet", "[plugin][fleet_flags]") {
  CHECK(Parse({"--contexts", "a,b*", "--contexts=@c"}).contexts == Words{"a", "b*", "@c"});
  CHECK(Parse({"--contexts", "a"}).parallel == 10);
  CHECK(Parse({"--contexts", "a", "--parallel-clusters=3"}).parallel == 3);
  CHECK(Parse({"--context", "a"}).contexts.empty());
}

TEST_CASE("A fleet has a name and a size", "[plugin][fleet_flags]") {
  CHECK(ErrorOf({"--contexts="}) == "--contexts must name a context, or match some");
  CHECK(ErrorOf({"--contexts=a", "--parallel-clusters=0"}) ==
        "invalid argument \"0\" for \"--parallel-clusters\" flag: must not be less than 1");
  CHECK(ErrorOf({"--parallel-clusters=3"}) ==
        "--parallel-clusters is of no use without --contexts");
}

TEST_CASE("What is said of one cluster is refused beside a fleet, by its name",
          "[plugin][fleet_flags]") {
  const std::string flag =
      GENERATE(as<std::string>(), "--context", "--cluster", "--server", "--tls-server-name",
               "--certificate-authority", "--user", "--client-certificate", "--client-key",
               "--token", "--username", "--password");
  CHECK(ErrorOf({"--contexts=a", flag + "=x"}) ==
        "--contexts and " + flag + " cannot be specified together");
  CHECK(ErrorOf({"--contexts=a", flag + "="}) == "");
}

TEST_CASE("What is said of the user in all clusters is not refused", "[plugin][fleet_flags]") {
  CHECK(ErrorOf({"--contexts=a", "--as=alice", "--kubeconfig=x", "--request-timeout=3s"}) == "");
}

TEST_CASE("Files without a cluster, and what is known of one, do not fit a fleet",
          "[plugin][fleet_flags]") {
  CHECK(ErrorOf({"--contexts=a", "--local", "-f", "x"}) ==
        "--contexts and --local cannot be specified together");
  CHECK(ErrorOf({"--contexts=a", "--print-transitional", "-f", "x"}) ==
        "--contexts and --print-transitional cannot be specified together");
  CHECK(ErrorOf({"--contexts=a", "--guard-report=x"}) ==
        "--contexts and --guard-report cannot be specified together");
}

TEST_CASE("Every cluster reads the files of -f and the kubeconfig, so pipes are refused",
          "[plugin][fleet_flags]") {
  const test_support::TempFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& name : {std::string("-"), pipe, std::string("/dev/null")}) {
    CHECK(ErrorOf({"--contexts=a", "-f", name}) ==
          "with --contexts every cluster reads the files of -f anew, and \"" + name +
              "\" can be read but once");
  }
  CHECK(ErrorOf({"--contexts=a", "-f", folder.Write("crds.yaml", "")}) == "");
  CHECK(ErrorOf({"--contexts=a", "--kubeconfig=" + pipe}) ==
        "with --contexts every cluster reads the kubeconfig anew, and \"" + pipe +
            "\" can be read but once");
}

}  // namespace fleet_flags_test
}  // namespace plugin::cli
