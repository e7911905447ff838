#include "plugin/cli/command_line.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/command/check_output.h"
#include "plugin/command/commands.h"

namespace plugin::cli {
namespace command_line_test {

using command::CheckOptions;
using command::DiffOptions;
using command::MigrateOptions;
using command::VersionOptions;
using report::FailOn;
using Words = std::vector<std::string>;

std::unique_ptr<Command> Parse(const Words& words) {
  return ParseCommandLine(command::Commands(), words).command;
}

template <typename Options>
Options ParseAs(const Words& words) {
  return dynamic_cast<const CommandWith<Options>&>(*Parse(words)).options();
}

std::string ErrorOf(const Words& words) {
  try {
    ParseCommandLine(command::Commands(), words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("check takes its CRDs as arguments and its input from -f", "[plugin][options]") {
  const auto options = ParseAs<CheckOptions>(
      {"check", "widgets", "-Rf", "a.yaml,b", "--local", "crd/gizmos", "-f", "-"});
  CHECK(options.check.crd_names == Words{"widgets", "crd/gizmos"});
  CHECK(options.check.filenames == Words{"a.yaml", "b", "-"});
  CHECK(options.check.recursive);
  CHECK(options.local);
}

TEST_CASE("Flags of check that are not given have their defaults", "[plugin][options]") {
  const auto options = ParseAs<CheckOptions>({"check"});
  CHECK(options.check.crd_names.empty());
  CHECK_FALSE(options.local);
  CHECK(options.output == terminal::OutputFormat::kTable);
  CHECK(options.fail_on.blocked);
  CHECK(options.fail_on.loses_fields);
  CHECK_FALSE(options.fail_on.migration_needed);
  CHECK_FALSE(options.check.show_objects);
  CHECK(options.common.verbosity == 0);
}

TEST_CASE("Every flag of check sets its option", "[plugin][options]") {
  const auto options =
      ParseAs<CheckOptions>({"check", "--show-objects", "--all-objects", "--ignore=a,b", "--ignore",
                             "c", "--no-headers", "-v=4", "-o=wide"});
  CHECK(options.check.show_objects);
  CHECK(options.check.all_objects);
  CHECK(options.check.ignored_crds == Words{"a", "b", "c"});
  CHECK(options.no_headers);
  CHECK(options.common.verbosity == 4);
  CHECK(options.output == terminal::OutputFormat::kWide);
  CHECK(ParseAs<CheckOptions>({"check", "--skip-objects"}).check.skip_objects);
}

TEST_CASE("O2: The flag --output takes the formats in any case of letters", "[plugin][options]") {
  const auto [text, format] = GENERATE(table<std::string, terminal::OutputFormat>({
      {"", terminal::OutputFormat::kTable},
      {"table", terminal::OutputFormat::kTable},
      {"wide", terminal::OutputFormat::kWide},
      {"json", terminal::OutputFormat::kJson},
      {"JSON", terminal::OutputFormat::kJson},
      {"yaml", terminal::OutputFormat::kYaml},
      {"name", terminal::OutputFormat::kName},
  }));
  CAPTURE(text);
  CHECK(ParseAs<CheckOptions>({"check", "-o", text}).output == format);
}

TEST_CASE("The flag --server-version names a release, for files alone", "[plugin][options]") {
  const auto release_of = [](std::vector<std::string> more) {
    std::vector<std::string> words{"check", "--local", "-f", "a.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return ParseAs<CheckOptions>(words).check.release;
  };
  CHECK(release_of({}) == kube::base::Release{1, 36});
  CHECK(release_of({"--server-version=v1.20.2"}) == kube::base::Release{1, 20});
  CHECK_THROWS_AS(release_of({"--server-version=new"}), UsageError);
  CHECK_THROWS_AS(release_of({"--server-version="}), UsageError);
  CHECK_THROWS_AS(ParseAs<CheckOptions>({"check", "--server-version=1.20"}), UsageError);
}

TEST_CASE("The flag --fail-on replaces the default", "[plugin][options]") {
  const FailOn one = ParseAs<CheckOptions>({"check", "--fail-on=migration-needed"}).fail_on;
  CHECK_FALSE(one.blocked);
  CHECK_FALSE(one.loses_fields);
  CHECK(one.migration_needed);
  const FailOn two =
      ParseAs<CheckOptions>({"check", "--fail-on", "blocked", "--fail-on=loses-fields"}).fail_on;
  CHECK(two.blocked);
  CHECK(two.loses_fields);
  CHECK_FALSE(two.migration_needed);
  const FailOn none = ParseAs<CheckOptions>({"check", "--fail-on=none"}).fail_on;
  CHECK_FALSE(none.blocked);
  CHECK_FALSE(none.loses_fields);
}

TEST_CASE("migrate --local prints YAML unless told otherwise", "[plugin][options]") {
  const auto options = ParseAs<MigrateOptions>({"migrate", "--local", "-f", "a", "widgets"});
  CHECK(options.output == terminal::OutputFormat::kYaml);
  CHECK(options.migration.filenames == Words{"a"});
  CHECK(options.migration.crd_names == Words{"widgets"});
  CHECK_FALSE(options.migration.enable_pruning);
  CHECK(ParseAs<MigrateOptions>({"migrate", "--local", "-f", "a", "-ojson"}).output ==
        terminal::OutputFormat::kJson);
  CHECK(ParseAs<MigrateOptions>({"migrate", "--local", "-f", "a", "--enable-pruning"})
            .migration.enable_pruning);
}

TEST_CASE("version takes --client and a format", "[plugin][options]") {
  const auto options = ParseAs<VersionOptions>({"version", "--client", "-o", "yaml"});
  CHECK(options.client);
  CHECK(options.output == terminal::OutputFormat::kYaml);
  CHECK(ParseAs<VersionOptions>({"version"}).output == terminal::OutputFormat::kTable);
}

TEST_CASE("G1: Every command takes kubectl's connection flags", "[plugin][options]") {
  const Words flags = {"--kubeconfig=kc",
                       "--context=cx",
                       "--cluster=cl",
                       "--user=us",
                       "-n=ns",
                       "-s=sv",
                       "--tls-server-name=tn",
                       "--certificate-authority=ca",
                       "--insecure-skip-tls-verify",
                       "--disable-compression",
                       "--client-certificate=cc",
                       "--client-key=ck",
                       "--token=to",
                       "--username=un",
                       "--password=pw",
                       "--as=a",
                       "--as-uid=u",
                       "--as-group=g,h",
                       "--as-group=i",
                       "--as-user-extra=k=v",
                       "--as-user-extra=l=x,y=z",
                       "--as-user-extra=k=",
                       "--request-timeout=1m30s",
                       "--cache-dir=cd"};
  const auto connection = [&flags](const std::string& command) {
    Words words = {command};
    if (command == "migrate") words.push_back("widgets");
    words.insert(words.end(), flags.begin(), flags.end());
    return Parse(words)->common().connection;
  };
  for (const char* command : {"check", "migrate", "version"}) {
    CAPTURE(command);
    const kube::client::ConnectionFlags given = connection(command);
    CHECK(given.kubeconfig == "kc");
    CHECK(given.context == "cx");
    CHECK(given.cluster == "cl");
    CHECK(given.user == "us");
    CHECK(given.namespace_ == "ns");
    CHECK(given.server == "sv");
    CHECK(given.tls_server_name == "tn");
    CHECK(given.certificate_authority == "ca");
    CHECK(given.insecure_skip_tls_verify);
    CHECK(given.disable_compression);
    CHECK(given.client_certificate == "cc");
    CHECK(given.client_key == "ck");
    CHECK(given.token == "to");
    CHECK(given.username == "un");
    CHECK(given.password == "pw");
    CHECK(given.as == "a");
    CHECK(given.as_uid == "u");
    CHECK(given.as_groups == Words{"g,h", "i"});
    CHECK(given.as_user_extra.size() == 2);
    CHECK(given.as_user_extra.at("k") == Words{"v", ""});
    CHECK(given.as_user_extra.at("l") == Words{"x,y=z"});
    CHECK(given.request_timeout == std::chrono::seconds(90));
  }
}

TEST_CASE("G1: Every command takes the flags that kubectl itself adds", "[plugin][options]") {
  const auto command = GENERATE(Words{"check"}, Words{"migrate", "widgets"}, Words{"version"},
                                Words{"completion", "bash"});
  CAPTURE(command);
  const auto common = [](const Words& words) { return Parse(words)->common(); };
  Words words = command;
  for (const char* flag : {"--match-server-version", "--warnings-as-errors=true", "--profile=none",
                           "--profile-output", "p", "--log-flush-frequency=5s", "--vmodule=a=1"}) {
    words.emplace_back(flag);
  }
  CHECK(common(words).match_server_version);
  CHECK(common(words).warnings_as_errors);
  CHECK_FALSE(common(command).match_server_version);
  CHECK_FALSE(common(command).warnings_as_errors);
}

TEST_CASE("O2: -o takes a template of jsonpath, or a file that holds one", "[plugin][options]") {
  const auto options = ParseAs<CheckOptions>({"check", "-o", "jsonpath={.a=='b'}"});
  CHECK(options.output == terminal::OutputFormat::kTemplate);
  CHECK(options.output_template.text == "{.a=='b'}");
  CHECK_FALSE(options.output_template.as_json);
  CHECK(options.output_template.allow_missing_keys);
  const auto file = ParseAs<MigrateOptions>(
      {"migrate", "a", "-ojsonpath-file=t", "--allow-missing-template-keys=false"});
  CHECK(file.output_template.file == "t");
  CHECK_FALSE(file.output_template.allow_missing_keys);
  CHECK(ParseAs<CheckOptions>({"check", "-o=jsonpath-as-json={}"}).output_template.as_json);
}

TEST_CASE("O4: managedFields are shown only if they are asked for", "[plugin][options]") {
  const Words words = {"migrate", "--local", "-f", "a"};
  CHECK_FALSE(ParseAs<MigrateOptions>(words).show_managed_fields);
  CHECK(ParseAs<MigrateOptions>({"migrate", "--local", "-f", "a", "--show-managed-fields"})
            .show_managed_fields);
}

TEST_CASE("C1: __complete takes every word as it is", "[plugin][options]") {
  const Words words = {"__complete", "check", "--nope", ""};
  const auto typed = command::WordsToComplete(words);
  REQUIRE(typed);
  CHECK(Words(typed->begin(), typed->end()) == Words{"check", "--nope", ""});
  CHECK_FALSE(command::WordsToComplete(*typed));
  CHECK_FALSE(command::WordsToComplete({}));
  CHECK(ParseAs<command::CompletionOptions>({"completion", "zsh"}).shell == "zsh");
}

TEST_CASE("G2: check chooses objects by kubectl's flags", "[plugin][options]") {
  const auto options = ParseAs<CheckOptions>({"check", "-n", "shop", "-lapp in (a,b)",
                                              "--field-selector=metadata.name=x", "--crd-selector",
                                              "!skip", "--chunk-size=7"});
  CHECK(options.check.objects.namespace_ == "shop");
  CHECK(options.check.objects.label_selector == "app in (a,b)");
  CHECK(options.check.objects.field_selector == "metadata.name=x");
  CHECK(options.check.crd_selector == "!skip");
  CHECK(options.check.objects.chunk_size == 7);
  const migrate::cluster::ObjectSelection all = ParseAs<CheckOptions>({"check"}).check.objects;
  CHECK(all.namespace_.empty());
  CHECK(all.label_selector.empty());
  CHECK(all.chunk_size == 500);
}

TEST_CASE("G2: The flag -A goes before -n", "[plugin][options]") {
  CHECK(ParseAs<CheckOptions>({"check", "-A", "-n", "shop"}).check.objects.namespace_.empty());
  CHECK(ParseAs<CheckOptions>({"check", "-A=false", "-n", "shop"}).check.objects.namespace_ ==
        "shop");
}

TEST_CASE("G2: A chunk size below 1 is none", "[plugin][options]") {
  CHECK(ParseAs<CheckOptions>({"check", "--chunk-size=0"}).check.objects.chunk_size == 0);
  CHECK(ParseAs<CheckOptions>({"check", "--chunk-size=-5"}).check.objects.chunk_size == 0);
  CHECK(ParseAs<CheckOptions>({"check", "--chunk-size=9223372036854775807"})
            .check.objects.chunk_size == INT64_MAX);
}

TEST_CASE("O8: No words, help and --help ask for the help of a command", "[plugin][options]") {
  const auto [words, command] = GENERATE(table<Words, std::string>({
      {Words(), ""},
      {{"--help"}, ""},
      {{"-h"}, ""},
      {{"help"}, ""},
      {{"help", "check"}, "check"},
      {{"check", "-h"}, "check"},
      {{"check", "--local", "--help"}, "check"},  // although -f is missing
      {{"--help", "check"}, "check"},
      {{"migrate", "--help"}, "migrate"},
      {{"version", "-h"}, "version"},
      {{"options"}, "options"},
      {{"options", "--help"}, "options"},
      {{"help", "options"}, "options"},
  }));
  CAPTURE(words);
  const CommandLine line = ParseCommandLine(command::Commands(), words);
  CHECK(line.command == nullptr);
  CHECK((line.help ? line.help->name : "") == command);
}

TEST_CASE("The command may stand behind flags", "[plugin][options]") {
  const auto options = ParseAs<CheckOptions>({"-o", "json", "--local", "check", "-f", "check"});
  CHECK(options.output == terminal::OutputFormat::kJson);
  CHECK(options.check.filenames == Words{"check"});
  CHECK(options.check.crd_names.empty());
}

TEST_CASE("G1: A wrong command line names the help of its command", "[plugin][options]") {
  const std::string check = "\nSee 'kubectl prune check --help' for usage.";
  const std::string program = "\nSee 'kubectl prune --help' for usage.";
  const auto [words, expected] = GENERATE_COPY(table<Words, std::string>({
      {{"check", "--bogus"}, "unknown flag: --bogus" + check},
      {{"check", "--request-timeout=5x"},
       "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed "
       "by a corresponding time unit (e.g. 1s | 2m | 3h)" +
           check},
      {{"check", "-l", "a in x"},
       "invalid argument \"a in x\" for \"-l, --selector\" flag: unable to parse requirement: "
       "found "
       "'x' expected: '('" +
           check},
      {{"check", "--crd-selector=,"},
       "invalid argument \",\" for \"--crd-selector\" flag: found ',', expected: !, identifier, or "
       "'end of string'" +
           check},
      {{"check", "--field-selector", "a"},
       "invalid argument \"a\" for \"--field-selector\" flag: invalid selector: 'a'; can't "
       "understand 'a'" +
           check},
      {{"check", "--as-user-extra==x"},
       "invalid argument \"=x\" for \"--as-user-extra\" flag: must be of the form key=value" +
           check},
      {{"check", "--chunk-size=9223372036854775808"},
       "invalid argument \"9223372036854775808\" for \"--chunk-size\" flag: strconv.ParseInt: "
       "parsing \"9223372036854775808\": value out of range" +
           check},
      {{"check", "--namespac"}, "unknown flag: --namespac; did you mean --namespace?" + check},
      {{"check", "--out=json"}, "unknown flag: --out; did you mean --output?" + check},
      {{"--bogus"}, "unknown flag: --bogus" + program},
      {{"check", "-o", "foo"},
       "unable to match a printer suitable for the output format \"foo\", allowed formats are: "
       "html,json,jsonpath,jsonpath-as-json,jsonpath-file,junit,markdown,name,table,wide,yaml" +
           check},
      {{"migrate", "-o", "wide"},
       "unable to match a printer suitable for the output format \"wide\", allowed formats are: "
       "html,json,jsonpath,jsonpath-as-json,jsonpath-file,junit,markdown,name,yaml\nSee 'kubectl "
       "prune migrate --help' "
       "for usage."},
      {{"check", "-o", "JSONPATH={.a}"},
       "unable to match a printer suitable for the output format \"JSONPATH={.a}\", allowed "
       "formats are: "
       "html,json,jsonpath,jsonpath-as-json,jsonpath-file,junit,markdown,name,table,wide,yaml" +
           check},
      {{"check", "-o", "jsonpath"}, "template format specified but no template given" + check},
      {{"check", "-o", "jsonpath="}, "template format specified but no template given" + check},
      {{"check", "--profile", "cpu"},
       "--profile=cpu asks for a profile of Go's runtime, which this program does not have; leave "
       "--profile out" +
           check},
      {{"check", "--profile=x"}, "unknown profile 'x'" + check},
      {{"check", "--log-flush-frequency=x"},
       "invalid argument \"x\" for \"--log-flush-frequency\" flag: time: invalid duration \"x\"" +
           check},
      {{"completion"}, "Shell not specified.\nSee 'kubectl prune completion --help' for usage."},
      {{"completion", "bash", "zsh"},
       "Too many arguments. Expected only the shell type.\nSee 'kubectl prune completion --help' "
       "for usage."},
      {{"version", "-o", "wide"},
       "--output must be 'yaml' or 'json'\nSee 'kubectl prune version --help' for usage."},
      {{"version", "x"}, "unknown argument \"x\"\nSee 'kubectl prune version --help' for usage."},
      {{"check", "--local"},
       "--local contacts no server, so CRDs and objects must be given with -f FILE" + check},
      {{"check", "--local", "-f", ""},
       "-f must name a file or folder, or be - for the standard input" + check},
      {{"check", "-f", "", "--filename="},
       "-f must name a file or folder, or be - for the standard input" + check},
      {{"check", "--fail-on="},
       "invalid --fail-on value (), must be \"blocked\", \"loses-fields\", "
       "\"invalid\", \"migration-needed\" or \"none\"" +
           check},
      {{"check", "--local", "-f", "x", "-n", "shop"},
       "--local and --namespace cannot be specified together" + check},
      {{"check", "--local", "-f", "x", "-l", "a=b"},
       "--local and --selector cannot be specified together" + check},
      {{"check", "--local", "-f", "x", "--field-selector", "a=b"},
       "--local and --field-selector cannot be specified together" + check},
      {{"check", "--local", "-f", "x", "--crd-selector", "a=b"},
       "--local and --crd-selector cannot be specified together" + check},
      {{"check", "--local", "-f", "x", "--all-objects"},
       "--local and --all-objects cannot be specified together" + check},
      {{"check", "-n", ".."}, "invalid namespace \"..\": [may not be '..']" + check},
      {{"check", "-n", "a/b%"},
       "invalid namespace \"a/b%\": [may not contain '/' may not contain '%']" + check},
      {{"check", "--skip-objects", "--all-objects"},
       "--skip-objects and --all-objects cannot be specified together" + check},
      {{"check", "--skip-objects", "--show-objects"},
       "--skip-objects and --show-objects cannot be specified together" + check},
      {{"check", "--fail-on=none,blocked"},
       "--fail-on=none cannot be combined with other values" + check},
      {{"check", "--fail-on=all"},
       "invalid --fail-on value (all), must be \"blocked\", \"loses-fields\", "
       "\"invalid\", \"migration-needed\" or \"none\"" +
           check},
      {{"bogus"}, "unknown command \"bogus\" for \"kubectl prune\"" + program},
      {{"help", "bogus"}, "unknown command \"bogus\" for \"kubectl prune\"" + program},
      {{"chek"},
       "unknown command \"chek\" for \"kubectl prune\"\n\nDid you mean this?\n\tcheck\n" + program},
  }));
  CAPTURE(words);
  CHECK(ErrorOf(words) == expected);
}

TEST_CASE("diff takes CRDs and objects of them", "[plugin][options]") {
  const auto options = ParseAs<DiffOptions>({"diff", "widgets", "CRD/gizmos.demo.example.com",
                                             "wd/One", "crd/widgets/two", "--version=v1", "-A"});
  REQUIRE(options.diff.targets.size() == 4);
  CHECK(options.diff.targets[0].crd == "widgets");
  CHECK(options.diff.targets[0].object.empty());
  CHECK(options.diff.targets[1].crd == "gizmos.demo.example.com");
  CHECK(options.diff.targets[1].object.empty());
  CHECK(options.diff.targets[2].crd == "wd");
  CHECK(options.diff.targets[2].object == "One");
  CHECK(options.diff.targets[3].crd == "widgets");
  CHECK(options.diff.targets[3].object == "two");
  CHECK(options.diff.preview.version == "v1");
  CHECK_FALSE(options.diff.preview.show_managed_fields);
}

// Seen with kubectl 1.32.
TEST_CASE("diff refuses objects as kubectl get does", "[plugin][options]") {
  CHECK(ErrorOf({"diff", "a/b/c"})
            .starts_with("arguments in resource/name form may not have more than one slash\n"));
  CHECK(ErrorOf({"diff", GENERATE("a/", "/b")})
            .starts_with("arguments in resource/name form must have a single resource and name\n"));
  CHECK(ErrorOf({"diff", "a/b", GENERATE("-lx=y", "--field-selector=x=y")})
            .starts_with("selectors and the all flag cannot be used when passing resource/name "
                         "arguments\n"));
}

TEST_CASE("diff --local takes all objects of its files", "[plugin][options]") {
  CHECK(ErrorOf({"diff", "--local", "-ffile", "-nshop"})
            .starts_with("--local and --namespace cannot be specified together\n"));
  CHECK(ErrorOf({"diff", "--local"}).starts_with("--local contacts no server"));
}

struct GreetOptions {
  CommonOptions common;
  bool is_loud = false;
};
void DeclareFlags(FlagSet& flags, GreetOptions& options) { flags.Bool("loud", options.is_loud); }
int RunCommand(const GreetOptions& options) { return options.is_loud ? 7 : 0; }

TEST_CASE("A row of the table is enough for a command to be known", "[plugin][options]") {
  const CommandRow rows[] = {
      {.name = "greet", .summary = "Greet", .help = "Hello\n", .make = Make<GreetOptions>}};
  CHECK(ParseCommandLine(rows, Words{"greet", "--loud", "-v=3"}).command->Run() == 7);
  CHECK(ParseCommandLine(rows, Words{"greet", "-h"}).help == &rows[0]);
  CHECK(FlagsOf(&rows[0]).size() == FlagsOf(nullptr).size() + 1);
  CHECK(ParseCommonOptions(&rows[0], Words{"-v=3"}).verbosity == 3);
  CHECK_THROWS_AS(ParseCommandLine(rows, Words{"check"}), UsageError);
}

}  // namespace command_line_test
}  // namespace plugin::cli
