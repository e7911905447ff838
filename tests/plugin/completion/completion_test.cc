#include "plugin/cli/completion.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "plugin/command/commands.h"

namespace plugin::cli {
namespace {

using Words = std::vector<std::string>;

Words FixedOf(const Words& words) {
  Words texts;
  for (const Candidate& candidate : Complete(command::Commands(), words).fixed)
    texts.push_back(candidate.text);
  return texts;
}

CandidateSource SourceOf(const Words& words) { return Complete(command::Commands(), words).source; }

TEST_CASE("C1: commands are completed, with what they do", "[plugin][completion]") {
  CHECK(FixedOf({""}) == Words{"check", "completion", "diff", "guard", "help", "migrate", "options",
                               "populate", "restore", "suggest", "version"});
  CHECK(FixedOf({"c"}) == Words{"check", "completion"});
  CHECK(FixedOf({"--context", "a", "mi"}) == Words{"migrate"});
  CHECK(FixedOf({"-A", "-l", "x", "ver"}) == Words{"version"});
  CHECK(FixedOf({"help", "opt"}) == Words{"options"});
  CHECK(FixedOf({"help", "check", ""}).empty());
  const Completion completion = Complete(command::Commands(), Words{"check"});
  REQUIRE(completion.fixed.size() == 1);
  CHECK(completion.fixed[0].description ==
        "Report structural problems and the fields that pruning would remove");
}

TEST_CASE("C1: flags are completed, with what they do", "[plugin][completion]") {
  CHECK(FixedOf({"check", "--all"}) ==
        Words{"--all-namespaces", "--all-objects", "--allow-missing-template-keys"});
  CHECK(FixedOf({"version", "--cl"}) ==
        Words{"--client", "--client-certificate", "--client-key", "--cluster"});
  const Words all = FixedOf({"check", "-"});
  for (const char* flag : {"-f", "--filename", "-n", "-s", "--server", "-v", "--v", "-h"}) {
    CAPTURE(flag);
    CHECK(std::ranges::count(all, flag) == 1);
  }
  const Completion completion = Complete(command::Commands(), Words{"check", "--local"});
  REQUIRE(completion.fixed.size() == 1);
  CHECK(completion.fixed[0].description ==
        "Contact no server: CRDs and objects come from the "
        "files of -f, and all of them are taken.");
}

TEST_CASE("C1: every flag of every command has a description", "[plugin][completion]") {
  for (const CommandRow& command : command::Commands()) {
    if (!command.make) continue;
    for (const Candidate& candidate :
         Complete(command::Commands(), Words{std::string(command.name), "-"}).fixed) {
      CAPTURE(command.name, candidate.text);
      CHECK_FALSE(candidate.description.empty());
    }
  }
}

TEST_CASE("C1: a flag that was given is not offered again, unless it adds up",
          "[plugin][completion]") {
  CHECK(FixedOf({"check", "--output=json", "--outp"}).empty());
  CHECK(FixedOf({"check", "--output", "json", "--outp"}).empty());
  CHECK(FixedOf({"check", "--filename=a", "--filen"}) == Words{"--filename"});
}

TEST_CASE("C1: values of flags are completed in every spelling", "[plugin][completion]") {
  CHECK(FixedOf({"check", "-o", "j"}) ==
        Words{"json", "jsonpath=", "jsonpath-as-json=", "jsonpath-file=", "junit"});
  CHECK(FixedOf({"check", "--output", "w"}) == Words{"wide"});
  CHECK(FixedOf({"check", "--output=w"}) == Words{"wide"});
  CHECK(FixedOf({"check", "-o=w"}) == Words{"wide"});
  CHECK(FixedOf({"migrate", "-o", "w"}).empty());
  CHECK(FixedOf({"version", "-o", ""}) == Words{"json", "yaml"});
  CHECK(FixedOf({"migrate", "--dry-run="}) == Words{"client", "none", "server"});
  CHECK(FixedOf({"migrate", "--engine="}) == Words{"auto", "in-cluster", "own"});
  CHECK(FixedOf({"migrate", "--verify="}) == Words{"false", "true"});
  CHECK(FixedOf({"check", "-Ro", "y"}) == Words{"yaml"});
}

TEST_CASE("C1: in a list the element behind the last comma is completed", "[plugin][completion]") {
  const Completion completion =
      Complete(command::Commands(), Words{"check", "--fail-on", "blocked,"});
  CHECK(completion.before == "blocked,");
  CHECK(FixedOf({"check", "--fail-on", "blocked,"}) ==
        Words{"invalid", "loses-fields", "migration-needed", "none"});
  CHECK(FixedOf({"check", "--fail-on=blocked,lo"}) == Words{"loses-fields"});
}

TEST_CASE("C1: names come from where they are known", "[plugin][completion]") {
  CHECK(SourceOf({"check", ""}) == CandidateSource::kCrds);
  CHECK(SourceOf({"migrate", "a", "b"}) == CandidateSource::kCrds);
  CHECK(SourceOf({"check", "--ignore", ""}) == CandidateSource::kCrds);
  CHECK(SourceOf({"check", "-n", ""}) == CandidateSource::kNamespaces);
  CHECK(SourceOf({"populate", "--once", "shop", ""}) == CandidateSource::kNamespaces);
  CHECK(SourceOf({"--context="}) == CandidateSource::kContexts);
  CHECK(SourceOf({"check", "--contexts", "prod-a,"}) == CandidateSource::kContexts);
  CHECK(SourceOf({"check", "--cluster", ""}) == CandidateSource::kClusters);
  CHECK(SourceOf({"check", "--user", ""}) == CandidateSource::kUsers);
  CHECK(SourceOf({"check", "-f", ""}) == CandidateSource::kFiles);
  CHECK(SourceOf({"restore", ""}) == CandidateSource::kFiles);
  CHECK(SourceOf({"restore", "a.ndjson", ""}) == CandidateSource::kCrdsOrObjects);
  CHECK(SourceOf({"restore", "--pruned-by", ""}) == CandidateSource::kFiles);
  CHECK(SourceOf({"migrate", "--state-dir", ""}) == CandidateSource::kFolders);
  CHECK(SourceOf({"version", ""}) == CandidateSource::kNone);
  CHECK(SourceOf({"check", "--token", ""}) == CandidateSource::kNone);
  CHECK(SourceOf({"check", "--", "-"}) == CandidateSource::kCrds);
}

TEST_CASE("C1: what leads to the cluster is what was typed before", "[plugin][completion]") {
  const Completion completion = Complete(
      command::Commands(), Words{"--context", "a", "check", "widgets", "--namespace", "sh"});
  REQUIRE(completion.command);
  CHECK(completion.command->name == "check");
  CHECK(completion.typed == "sh");
  CHECK(completion.words_before == Words{"--context", "a", "widgets"});
  CHECK(Complete(command::Commands(), Words{"check", "widgets", "-n", "x", ""}).taken ==
        Words{"widgets"});
}

TEST_CASE("C1: an unknown command or flag completes to nothing", "[plugin][completion]") {
  CHECK(FixedOf({"chek", ""}).empty());
  CHECK(SourceOf({"chek", ""}) == CandidateSource::kNone);
  CHECK(FixedOf({"check", "--nope=x"}).empty());
  CHECK(Complete(command::Commands(), Words{}).fixed.empty());
}

TEST_CASE("C1: a name that a shell would act upon is no candidate", "[plugin][completion]") {
  for (const char* name : {"widgets.demo.example.com", "arn:aws:eks:eu-1:1:cluster/a", "a@b_c"}) {
    CHECK(IsPlainWord(name));
  }
  for (const char* name : {"", "a b", "$(reboot)", "a;b", "`a`", "a\tb", "a\nb", "\x1b[2J", "é"}) {
    CAPTURE(name);
    CHECK_FALSE(IsPlainWord(name));
  }
}

}  // namespace
}  // namespace plugin::cli
