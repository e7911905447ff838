#include <catch2/catch.hpp>
#include <chrono>

#include "plugin/command/commands.h"

namespace plugin::cli {
namespace migrate_options_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using command::MigrateOptions;
using migrate::cluster::Cleaning;
using migrate::report::DryRun;
using Words = std::vector<std::string>;

MigrateOptions ParseAll(const Words& words) {
  const CommandLine line = ParseCommandLine(command::Commands(), words);
  return dynamic_cast<const CommandWith<MigrateOptions>&>(*line.command).options();
}

MigrateOptions Parse(const Words& words) {
  Words all = {"migrate"};
  all.insert(all.end(), words.begin(), words.end());
  return ParseAll(all);
}

std::string ErrorOf(const Words& words) {
  try {
    Parse(words);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find("\nSee 'kubectl prune migrate --help' for usage."));
  }
  return "";
}

TEST_CASE("migrate has its defaults", "[plugin][migrate_options]") {
  const MigrateOptions options = Parse({"widgets"});
  CHECK(options.migration.crd_names == Words{"widgets"});
  CHECK(options.output == terminal::OutputFormat::kTable);
  CHECK(options.migration.dry_run == DryRun::kNone);
  CHECK_FALSE(options.migration.pace.concurrency);
  CHECK(options.migration.pace.max_rate == 0);
  CHECK(options.migration.objects.chunk_size == 500);
  CHECK(options.migration.verify);
  CHECK_FALSE(options.yes);
  CHECK_FALSE(options.migration.enable_pruning);
  CHECK_FALSE(options.migration.keep_stored_versions);
  CHECK(options.migration.cleaning == Cleaning::kAuto);
  CHECK(options.migration.pruning.settle_timeout == std::chrono::minutes(2));
  CHECK(options.migration.engine == migrate::report::Engine::kOwn);
  CHECK(options.migration.engine_timeout == std::chrono::minutes(5));
  CHECK(options.migration.objects.namespace_.empty());
  CHECK(options.migration.lease.namespace_ == "default");
  CHECK(options.migration.lease.wait == std::chrono::nanoseconds(0));
}

TEST_CASE("Other runs are waited for as long as --lease-timeout says",
          "[plugin][migrate_options]") {
  const MigrateOptions options =
      Parse({"widgets", "--lease-timeout=1h30m", "--lease-namespace", "ops"});
  CHECK(options.migration.lease.wait == std::chrono::minutes(90));
  CHECK(options.migration.lease.namespace_ == "ops");
  CHECK(Parse({"widgets", "--lease-timeout=0"}).migration.lease.wait ==
        std::chrono::nanoseconds(0));
  CHECK_FALSE(ErrorOf({"widgets", "--lease-timeout=soon"}).empty());
  CHECK_FALSE(ErrorOf({"widgets", "--lease-timeout=-1s"}).empty());
  CHECK_FALSE(ErrorOf({"widgets", "--lease-namespace=a.b"}).empty());
}

TEST_CASE("migrate takes its flags", "[plugin][migrate_options]") {
  const MigrateOptions options =
      Parse({"widgets", "gizmos", "--enable-pruning", "-y", "--concurrency=3", "--max-rate", "2.5",
             "--verify=false", "--single-pass", "--no-backup", "--rewrite-unbacked",
             "--settle-timeout=1m30s", "--state-dir=s", "-ojson", "--keep-stored-versions"});
  CHECK(options.migration.crd_names == Words{"widgets", "gizmos"});
  CHECK(options.migration.enable_pruning);
  CHECK(options.yes);
  CHECK(options.migration.pace.concurrency == 3);
  CHECK(options.migration.pace.max_rate == 2.5);
  CHECK_FALSE(options.migration.verify);
  CHECK(options.migration.pruning.single_pass);
  CHECK(options.migration.pruning.no_backup);
  CHECK(options.migration.pruning.rewrite_unbacked);
  CHECK(options.migration.pruning.settle_timeout == std::chrono::seconds(90));
  CHECK(options.migration.state_dir == "s");
  CHECK(options.output == terminal::OutputFormat::kJson);
  CHECK(options.migration.keep_stored_versions);
  CHECK(Parse({"widgets", "--backup-dir", "b"}).migration.pruning.backup_dir == "b");
  CHECK(Parse({"--retry-from", "r.json", "-oname"}).retry_from == "r.json");
  const auto [flag, cleaning] = GENERATE(table<std::string, Cleaning>({
      {"--clean-managed-fields", Cleaning::kAlways},
      {"--clean-managed-fields=always", Cleaning::kAlways},
      {"--clean-managed-fields=auto", Cleaning::kAuto},
      {"--clean-managed-fields=never", Cleaning::kNever},
      {"--clean-managed-fields=true", Cleaning::kAlways},
      {"--clean-managed-fields=false", Cleaning::kNever},
  }));
  CHECK(Parse({"widgets", flag}).migration.cleaning == cleaning);
  CHECK(Parse({"--retry-failed"}).migration.retry_failed);
  CHECK(Parse({"widgets", "--retry-failed"}).migration.retry_failed);
  CHECK(Parse({"--all", "--retry-failed"}).migration.retry_failed);
  CHECK(Parse({"--all", "--crd-selector", "a=b"}).migration.crd_selector == "a=b");
}

TEST_CASE("What is of one cluster, or none, is refused beside several",
          "[plugin][migrate_options]") {
  CHECK(Parse({"widgets", "--contexts", "a,b*"}).fleet.contexts == Words{"a", "b*"});
  CHECK(Parse({"--all", "--contexts=a", "--parallel-clusters=3"}).fleet.parallel == 3);
  CHECK(Parse({"--retry-failed", "--contexts=a"}).migration.retry_failed);
  CHECK(ErrorOf({"--contexts=a", "--local", "-f", "x"}) ==
        "--contexts and --local cannot be specified together");
  CHECK(ErrorOf({"widgets", "--contexts=a", "--enable-pruning", "-f", "x"}) ==
        "--contexts and -f cannot be specified together");
  CHECK(ErrorOf({"--contexts=a", "--retry-from", "x"}) ==
        "--contexts and --retry-from cannot be specified together");
  CHECK(ErrorOf({"widgets", "--contexts=a", "--context=b"}) ==
        "--contexts and --context cannot be specified together");
  CHECK(ErrorOf({"widgets", "--parallel-clusters=2"}) ==
        "--parallel-clusters is of no use without --contexts");
}

TEST_CASE("migrate is told who rewrites", "[plugin][migrate_options]") {
  using migrate::report::Engine;
  const auto [word, engine] = GENERATE(table<std::string, Engine>(
      {{"auto", Engine::kAuto}, {"own", Engine::kOwn}, {"in-cluster", Engine::kInCluster}}));
  const MigrateOptions options = Parse({"w", "--engine=" + word, "--engine-timeout", "90s"});
  CHECK(options.migration.engine == engine);
  CHECK(options.migration.engine_timeout == std::chrono::seconds(90));
}

TEST_CASE("The cluster's own engine does nothing else than rewriting",
          "[plugin][migrate_options]") {
  const auto [words, flag] =
      GENERATE(table<Words, std::string>({{{"--enable-pruning"}, "--enable-pruning"},
                                          {{"--mutation=m"}, "--mutation"},
                                          {{"--clean-managed-fields"}, "--clean-managed-fields"},
                                          {{"-n", "a"}, "-n, -l or --field-selector"},
                                          {{"--retry-failed"}, "--retry-failed"},
                                          {{"--max-rate=5"}, "--max-rate"},
                                          {{"--verify=false"}, "--verify=false"},
                                          {{"--keep-stored-versions"}, "--keep-stored-versions"},
                                          {{"--dry-run=server"}, "--dry-run=server"}}));
  Words all = {"w", "--engine=in-cluster"};
  all.insert(all.end(), words.begin(), words.end());
  CHECK(ErrorOf(all) == "--engine=in-cluster and " + flag + " cannot be specified together");
  all[1] = "--engine=own";
  CHECK(ErrorOf(all).empty());
}

TEST_CASE("G2: Objects are chosen as kubectl does", "[plugin][migrate_options]") {
  const MigrateOptions options =
      Parse({"widgets", "-n", "shop", "-l", "a=b", "--field-selector=metadata.name=x"});
  CHECK(options.migration.objects.namespace_ == "shop");
  CHECK(options.migration.objects.label_selector == "a=b");
  CHECK(options.migration.objects.field_selector == "metadata.name=x");
  CHECK(Parse({"widgets", "-n", "shop", "-A"}).migration.objects.namespace_.empty());
}

TEST_CASE("G2: The flag --dry-run has kubectl's forms, the deprecated ones too",
          "[plugin][migrate_options]") {
  using Row = std::tuple<std::string, DryRun, std::string>;
  const auto [flag, dry_run, warning] = GENERATE(table<std::string, DryRun, std::string>({
      Row{"--dry-run=none", DryRun::kNone, ""},
      Row{"--dry-run=client", DryRun::kClient, ""},
      Row{"--dry-run=server", DryRun::kServer, ""},
      // As kubectl 1.32 words it.
      Row{"--dry-run", DryRun::kClient,
          "--dry-run is deprecated and can be replaced with --dry-run=client."},
      Row{"--dry-run=true", DryRun::kClient,
          "--dry-run=true is deprecated (boolean value) and can be replaced with "
          "--dry-run=client."},
      Row{"--dry-run=false", DryRun::kNone,
          "--dry-run=false is deprecated (boolean value) and can be replaced with "
          "--dry-run=none."},
  }));
  CAPTURE(flag);
  // Never takes the next word.
  const MigrateOptions options = Parse({flag, "widgets"});
  CHECK(options.migration.crd_names == Words{"widgets"});
  CHECK(options.migration.dry_run == dry_run);
  CHECK(options.dry_run_warning == warning);
}

TEST_CASE("A bare --dry-run before the command does not swallow it", "[plugin][migrate_options]") {
  const Words words = {"--dry-run", "migrate", "widgets"};
  CHECK(ParseAll(words).migration.dry_run == DryRun::kClient);
}

TEST_CASE("Values that mean nothing are refused", "[plugin][migrate_options]") {
  const auto [words, error] = GENERATE(table<Words, std::string>({
      {{"w", "--dry-run=x"},
       R"(Invalid dry-run value (x). Must be "none", "server", or "client".)"},
      {{"w", "--dry-run="}, R"(Invalid dry-run value (). Must be "none", "server", or "client".)"},
      {{"w", "--concurrency=0"},
       R"(invalid argument "0" for "--concurrency" flag: must be at least 1)"},
      {{"w", "--connections=0"},
       R"(invalid argument "0" for "--connections" flag: must be between 1 and 32)"},
      {{"w", "--connections=33"},
       R"(invalid argument "33" for "--connections" flag: must be between 1 and 32)"},
      {{"w", "--max-rate=-1"}, R"(invalid argument "-1" for "--max-rate" flag: must be a number)"},
      {{"w", "--max-rate=1x"}, R"(invalid argument "1x" for "--max-rate" flag: must be a number)"},
      {{"w", "--max-rate=nan"},
       R"(invalid argument "nan" for "--max-rate" flag: must be a number)"},
      {{"w", "--max-rate=inf"},
       R"(invalid argument "inf" for "--max-rate" flag: must be a number)"},
      {{"w", "--pace=full"}, "unknown flag: --pace"},
      {{"w", "--settle-timeout=5"}, R"(invalid argument "5" for "--settle-timeout" flag: time: )"},
      {{"w", "--settle-timeout=0s"},
       R"(invalid argument "0s" for "--settle-timeout" flag: must be more than 0)"},
      {{"w", "--engine=other"},
       R"(invalid argument "other" for "--engine" flag: must be auto, own or in-cluster)"},
      {{"w", "--engine-timeout=0s"},
       R"(invalid argument "0s" for "--engine-timeout" flag: must be more than 0)"},
      {{"w", "-l", "!"}, R"(invalid argument "!" for "-l, --selector" flag: )"},
      {{"--all", "--crd-selector", ","}, R"(invalid argument "," for "--crd-selector" flag: )"},
      {{"w", "-o", "wide"},
       "unable to match a printer suitable for the output format \"wide\", "
       "allowed formats are: "
       "html,json,jsonpath,jsonpath-as-json,jsonpath-file,junit,markdown,name,yaml"},
      {{"--local", "-f", "a", "-o", "name"},
       "unable to match a printer suitable for the output format \"name\", allowed formats are: "
       "json,yaml"},
  }));
  CAPTURE(words);
  CHECK_THAT(ErrorOf(words), StartsWith(error));
}

TEST_CASE("Flags that contradict each other are refused", "[plugin][migrate_options]") {
  const auto [words, error] = GENERATE(table<Words, std::string>({
      {Words{},
       "name the CustomResourceDefinitions whose objects are to be rewritten, or use --all"},
      {{"w", "--all"}, "--all and names of CustomResourceDefinitions cannot be specified together"},
      {{"w", "--crd-selector=a=b"}, "--crd-selector chooses among --all, and needs it"},
      {{"w", "-f", "x"},
       "-f needs --enable-pruning, which takes the CRDs of the files to the cluster, or --local"},
      {{"w", "--enable-pruning", "-n", "shop"}, "--enable-pruning concerns all objects"},
      {{"w", "--enable-pruning", "-l", "a"}, "--enable-pruning concerns all objects"},
      {{"w", "--enable-pruning", "--field-selector=metadata.name=a"},
       "--enable-pruning concerns all objects"},
      {{"w", "--no-backup", "--backup-dir=b"},
       "--no-backup and --backup-dir cannot be specified together"},
      {{"w", "--retry-from=r"},
       "--retry-from and names of CustomResourceDefinitions cannot be specified together"},
      {{"--all", "--retry-from=r"}, "--retry-from and --all cannot be specified together"},
      {{"--enable-pruning", "--retry-from=r"},
       "--retry-from and --enable-pruning cannot be specified together"},
      {{"-n", "a", "--retry-from=r"},
       "--retry-from and -n, -l or --field-selector cannot be specified together"},
      {{"--retry-failed", "--retry-from=r"},
       "--retry-failed and --retry-from cannot be specified together"},
      {{"w", "--enable-pruning", "--retry-failed"},
       "--retry-failed and --enable-pruning cannot be specified together"},
      {{"w", "-l", "a", "--retry-failed"},
       "--retry-failed and -n, -l or --field-selector cannot be specified together"},
      {{"--local", "-f", "a", "--retry-failed"},
       "--local and --retry-failed cannot be specified together"},
      {{"--local"}, "--local contacts no server, so CRDs and objects must be given with -f FILE"},
      {{"--local", "-f", "a", "--all"}, "--local and --all cannot be specified together"},
      {{"--local", "-f", "a", "--dry-run=client"},
       "--local and --dry-run cannot be specified together"},
      {{"--local", "-f", "a", "--retry-from=r"},
       "--local and --retry-from cannot be specified together"},
      {{"--local", "-f", "a", "-l", "a"}, "--local and -l cannot be specified together"},
  }));
  CAPTURE(words);
  CHECK_THAT(ErrorOf(words), StartsWith(error));
}

}  // namespace migrate_options_test
}  // namespace plugin::cli
