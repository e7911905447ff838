#include <catch2/catch.hpp>
#include <string>

#include "plugin/command/commands.h"

namespace plugin::cli {
namespace restore_options_test {

using command::RestoreOptions;
using migrate::report::DryRun;
using Words = std::vector<std::string>;

RestoreOptions Parse(const Words& words) {
  Words all = {"restore"};
  all.insert(all.end(), words.begin(), words.end());
  const CommandLine line = ParseCommandLine(command::Commands(), all);
  return dynamic_cast<const CommandWith<RestoreOptions>&>(*line.command).options();
}

std::string ErrorOf(const Words& words) {
  try {
    Parse(words);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find("\nSee 'kubectl prune restore --help' for usage."));
  }
  return "";
}

TEST_CASE("restore has its defaults", "[plugin][restore_options]") {
  const RestoreOptions options = Parse({"a.ndjson"});
  CHECK(options.restore.backup == "a.ndjson");
  CHECK(options.output == terminal::OutputFormat::kTable);
  CHECK(options.restore.settings.dry_run == DryRun::kNone);
  CHECK(options.restore.settings.compare.fields.paths().empty());
  CHECK(options.restore.verify);
  CHECK_FALSE(options.restore.settings.compare.overwrite);
  CHECK_FALSE(options.restore.settings.recreate);
  CHECK_FALSE(options.restore.pace.concurrency);
  CHECK_FALSE(options.restore.names_objects);
}

TEST_CASE("restore takes its flags", "[plugin][restore_options]") {
  const RestoreOptions options =
      Parse({"a.ndjson", "widgets/a", "crd/gizmos", "--fields", ".spec.a,spec.l[*].b",
             "--overwrite", "--dry-run=server", "-owide", "--max-rate=2", "--concurrency=3",
             "--pruned-by=crd.yaml", "-n", "shop", "--verify=false"});
  CHECK(options.restore.settings.compare.fields.paths() == Words{".spec.a", "spec.l[*].b"});
  CHECK(options.restore.settings.compare.overwrite);
  CHECK(Parse({"a.ndjson", "--recreate"}).restore.settings.recreate);
  CHECK(options.restore.settings.dry_run == DryRun::kServer);
  CHECK(options.output == terminal::OutputFormat::kWide);
  CHECK(options.restore.pace.max_rate == 2);
  CHECK(options.restore.pace.concurrency == 3);
  CHECK(options.restore.pruned_by == "crd.yaml");
  CHECK(options.restore.objects.namespace_ == "shop");
  CHECK_FALSE(options.restore.verify);
  CHECK(options.restore.names_objects);
  CHECK(Parse({"a.ndjson", "--dry-run=client"}).restore.names_objects);
}

TEST_CASE("restore says what is wrong with its flags", "[plugin][restore_options]") {
  CHECK(ErrorOf({}).find("name the backup") == 0);
  CHECK(ErrorOf({"a", "--dry-run=maybe"}).find("Invalid dry-run value (maybe)") == 0);
  CHECK(ErrorOf({"a", "widgets/a/b"}) ==
        "arguments in resource/name form may not have more than one slash");
  CHECK(ErrorOf({"a", "widgets/a", "-l", "x=y"}).find("selectors and the all flag") == 0);
  CHECK(ErrorOf({"a", "--fields", "spec[x]"}).find("--fields: \"spec[x]\" is no path") == 0);
  CHECK(ErrorOf({"a", "--concurrency=0"}).find("must be at least 1") != std::string::npos);
  CHECK(ErrorOf({"a", "--max-rate=x"}).find("must be a number") != std::string::npos);
}

TEST_CASE("What is made anew is whole", "[plugin][restore_options]") {
  CHECK(ErrorOf({"a.ndjson", "--recreate", "--fields", ".spec.a"}) ==
        "--fields and --recreate cannot be specified together: what is made anew is made whole");
}

}  // namespace restore_options_test
}  // namespace plugin::cli
