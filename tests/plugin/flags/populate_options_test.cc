#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "plugin/cli/flag_set.h"
#include "plugin/command/commands.h"
#include "plugin/command/serving_options.h"

namespace plugin::cli {
namespace populate_options_test {

using command::PopulateOptions;
using Words = std::vector<std::string>;

PopulateOptions Parse(const Words& words) {
  Words all = {"populate"};
  all.insert(all.end(), words.begin(), words.end());
  const CommandLine line = ParseCommandLine(command::Commands(), all);
  return dynamic_cast<const CommandWith<PopulateOptions>&>(*line.command).options();
}

std::string ErrorOf(const Words& words) {
  try {
    Parse(words);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find("\nSee 'kubectl prune populate --help' for usage."));
  }
  return "";
}

TEST_CASE("populate has its defaults", "[plugin][populate_options]") {
  const PopulateOptions options = Parse({});
  CHECK_FALSE(options.once);
  CHECK_FALSE(options.diff);
  CHECK(options.control.resync == std::chrono::seconds(0));
  CHECK(options.leader_elect);
  CHECK(options.lease_namespace == "kube-system");
  CHECK(options.metrics_port == 0);
  CHECK_FALSE(options.control.population.pace.concurrency);
  CHECK(options.control.population.pace.max_rate == 0);
  CHECK_FALSE(options.webhooks);
}

TEST_CASE("populate takes the flags of what goes on", "[plugin][populate_options]") {
  const PopulateOptions options =
      Parse({"--resync=10m", "--leader-elect=false", "--leader-elect-resource-namespace=team",
             "--metrics-port=8080", "--concurrency=3", "--max-rate=2"});
  CHECK(options.control.resync == std::chrono::minutes(10));
  CHECK_FALSE(options.leader_elect);
  CHECK(options.lease_namespace == "team");
  CHECK(options.metrics_port == 8080);
  CHECK(options.control.population.pace.concurrency == 3);
  CHECK(options.control.population.pace.max_rate == 2);
  // Less than a second is as good as none.
  CHECK(Parse({"--resync=1ms"}).control.resync == std::chrono::seconds(1));
}

TEST_CASE("populate takes the flags of webhooks", "[plugin][populate_options]") {
  const auto webhooks =
      Parse({"--webhooks=creator,use", "--ignore-failures=use", "--persistent",
             "--initialization-timeout=1m", "--opt-out-service-account=ns:robot", "--port=0"})
          .webhooks;
  REQUIRE(webhooks);
  CHECK(webhooks->creator.is_wanted);
  CHECK(webhooks->use.is_wanted);
  CHECK_FALSE(webhooks->opt_out.is_wanted);
  CHECK_FALSE(webhooks->initialization.is_wanted);
  CHECK_FALSE(webhooks->creator.ignore_failures);
  CHECK(webhooks->use.ignore_failures);
  CHECK(webhooks->persistent);
  CHECK(webhooks->initialization_timeout == std::chrono::minutes(1));
  CHECK(webhooks->opt_out_users.contains("system:serviceaccount:ns:robot"));
  const auto all = Parse({"--webhooks=all"}).webhooks;
  REQUIRE(all);
  CHECK(all->creator.is_wanted);
  CHECK(all->opt_out.is_wanted);
  CHECK(all->use.is_wanted);
  CHECK(all->initialization.is_wanted);
  CHECK_FALSE(all->persistent);
}

TEST_CASE("populate refuses what is not for what it is to do", "[plugin][populate_options]") {
  const auto [words, error] = GENERATE(table<Words, std::string>({
      {{"--once", "--local"}, "--once and --local cannot be specified together"},
      {{"--once", "--diff"}, "--once and --diff cannot be specified together"},
      {{"--once", "-f", "a.yaml"}, "--once and --filename cannot be specified together"},
      {{"--once", "--resync=1h"}, "--once and --resync cannot be specified together"},
      {{"--diff", "--dry-run=server"}, "--diff and --dry-run cannot be specified together"},
      {{"--local", "-f", "a.yaml", "--concurrency=3"},
       "--local and --concurrency cannot be specified together"},
      {{"--local", "-f", "a.yaml", "--max-rate=3"},
       "--local and --max-rate cannot be specified together"},
      {{"--local"}, "--local needs -f: the files with NamespaceTemplates"},
      {{"-f", "a.yaml"}, "--filename needs --local"},
      {{"--dry-run=server"}, "--dry-run needs --once"},
      {{"shop"}, "names of namespaces need --once, --diff or --local"},
      {{"--once", "-n", "shop"}, "--namespace has no meaning here; name namespaces as arguments"},
  }));
  CAPTURE(words);
  CHECK(ErrorOf(words) == error);
}

TEST_CASE("populate says what is wrong with the values of its flags",
          "[plugin][populate_options]") {
  CHECK(ErrorOf({"--webhooks=users"}).find("invalid --webhooks value (users)") == 0);
  CHECK(ErrorOf({"--webhooks=all", "--ignore-failures=users"})
            .find("invalid --ignore-failures value (users)") == 0);
  for (const char* flag : {"--metrics-port=65536", "--metrics-port=-1", "--resync=-1s",
                           "--resync=soon", "--leader-elect-resource-namespace=Team"}) {
    CAPTURE(flag);
    CHECK_FALSE(ErrorOf({flag}).empty());
  }
  CHECK_FALSE(ErrorOf({"--webhooks=all", "--opt-out-service-account=robot"}).empty());
  CHECK_FALSE(ErrorOf({"--webhooks=all", "--initialization-timeout=-1s"}).empty());
}

TEST_CASE("Flags of serving are for webhooks alone", "[plugin][populate_options]") {
  Words names = command::ServingFlagNames();
  REQUIRE(names.size() >= 15);
  names.insert(names.end(), {"ignore-failures", "initialization-timeout", "opt-out-service-account",
                             "persistent"});
  for (const std::string& name : names) {
    CAPTURE(name);
    const bool has_no_text = name == "insecure" || name == "persistent";
    const std::string word = "--" + name + (has_no_text ? "" : "=1");
    CHECK(ErrorOf({word}) == "--" + name + " needs --webhooks");
    CHECK(ErrorOf({"--once", word}) == "--once and --" + name + " cannot be specified together");
  }
}

}  // namespace populate_options_test
}  // namespace plugin::cli
