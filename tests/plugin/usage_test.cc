#include "plugin/usage.h"

#include <catch2/catch.hpp>
#include <string>

#include "plugin/options.h"

namespace plugin {
namespace {

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

TEST_CASE("Every example of the help is a command line that runs", "[plugin][usage]") {
  int examples = 0;
  for (const char* command : {"", "check", "migrate", "version"}) {
    bool in_examples = false;
    for (const std::string& line : Lines(Usage(command))) {
      if (!line.starts_with(" ") && !line.empty()) in_examples = line == "Examples:";
      if (!in_examples || !line.starts_with("  kubectl prune ")) continue;
      CAPTURE(line);
      const std::vector<std::string> words = Split(line);
      CHECK_NOTHROW(ParseCommandLine(std::span(words).subspan(2)));
      ++examples;
    }
  }
  CHECK(examples == 9);
}

TEST_CASE("Every help names the program, its usage and its exit codes", "[plugin][usage]") {
  for (const char* command : {"", "check", "migrate", "version"}) {
    CAPTURE(command);
    const std::string_view usage = Usage(command);
    CHECK(usage.find("\nUsage:\n  kubectl prune " + std::string(command)) != std::string::npos);
    CHECK(usage.find("\nExit codes:\n  0 ") != std::string::npos);
    for (const std::string& line : Lines(usage)) CHECK(line.size() <= 100);
  }
}

TEST_CASE("A command without help of its own has the program's", "[plugin][usage]") {
  CHECK(Usage("help") == Usage(""));
  CHECK(Usage("check") != Usage(""));
}

}  // namespace
}  // namespace plugin
