#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "plugin/cli/help.h"
#include "plugin/command/commands.h"

namespace plugin::cli {
namespace {

std::string HelpOf(std::string_view name) {
  return cli::HelpOf(command::Commands(), FindCommand(command::Commands(), name));
}

// The words of `line`, without quotes: enough for the examples.
std::vector<std::string> Split(const std::string& line) {
  std::vector<std::string> words;
  std::size_t start = 0;
  while ((start = line.find_first_not_of(' ', start)) != std::string::npos) {
    const std::size_t end = std::min(line.find(' ', start), line.size());
    words.push_back(line.substr(start, end - start));
    start = end;
  }
  return words;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

// The program itself, "", and each command but those that only print what is told elsewhere.
std::vector<std::string> CommandsWithHelp() {
  std::vector<std::string> commands{""};
  for (const CommandRow& row : command::Commands()) {
    if (row.make) commands.emplace_back(row.name);
  }
  return commands;
}

TEST_CASE("O8: every example of the help is a command line that runs", "[plugin][usage]") {
  int examples = 0;
  for (const std::string& command : CommandsWithHelp()) {
    bool in_examples = false;
    for (const std::string& line : Lines(HelpOf(command))) {
      if (!line.starts_with(" ") && !line.empty()) in_examples = line == "Examples:";
      if (!in_examples || !line.starts_with("  kubectl prune ")) continue;
      CAPTURE(line);
      const std::vector<std::string> words = Split(line.substr(0, line.find_first_of(">|")));
      CHECK_NOTHROW(ParseCommandLine(command::Commands(), std::span(words).subspan(2)));
      ++examples;
    }
  }
  CHECK(examples == 71);
}

TEST_CASE("O8: every help names the program, its usage and its exit codes", "[plugin][usage]") {
  for (const std::string& command : CommandsWithHelp()) {
    CAPTURE(command);
    const std::string usage = HelpOf(command);
    CHECK(usage.find("\nUsage:\n  kubectl prune " + command) != std::string::npos);
    CHECK(usage.find("\nExit codes:\n  0 ") != std::string::npos);
    CHECK(usage.find("kubectl prune options") != std::string::npos);
    for (const std::string& line : Lines(usage)) CHECK(line.size() <= 100);
  }
}

// "--chunk-size" of a line "    --chunk-size=500:" or "    -s, --server='':"; empty for others.
std::string FlagOf(const std::string& line) {
  const std::size_t start = line.find("--");
  const bool is_flag = line.starts_with("    -") && line.ends_with(":");
  return is_flag ? line.substr(start, line.find('=') - start) : "";
}

std::vector<std::string> HelpFlagsOf(std::string_view command) {
  std::vector<std::string> flags;
  for (const std::string& line : Lines(HelpOf(command))) {
    if (const std::string flag = FlagOf(line); !flag.empty()) flags.push_back(flag);
  }
  return flags;
}

bool IsKnown(const std::string& command, const std::string& flag) {
  try {
    ParseCommandLine(command::Commands(), std::vector<std::string>{command, flag + "=1"});
  } catch (const UsageError& error) {
    return !std::string(error.what()).starts_with("unknown flag");
  }
  return true;
}

TEST_CASE("Every flag of the help exists, in order, for every command", "[plugin][usage]") {
  for (const std::string& command : CommandsWithHelp()) {
    if (command.empty()) continue;
    CAPTURE(command);
    const std::vector<std::string> flags = HelpFlagsOf(command);
    CHECK_FALSE(flags.empty());
    CHECK(std::ranges::is_sorted(flags));
    for (const std::string& flag : flags) CHECK(IsKnown(command, flag));
    for (const std::string& flag : HelpFlagsOf("options")) CHECK(IsKnown(command, flag));
  }
  CHECK(std::ranges::is_sorted(HelpFlagsOf("options")));
  CHECK(HelpFlagsOf("options").size() == 28);
  for (const std::string& line : Lines(HelpOf("options"))) CHECK(line.size() <= 100);
}

TEST_CASE("A command without help of its own has the program's", "[plugin][usage]") {
  CHECK(HelpOf("help") == HelpOf(""));
  CHECK(HelpOf("check") != HelpOf(""));
}

}  // namespace
}  // namespace plugin::cli
