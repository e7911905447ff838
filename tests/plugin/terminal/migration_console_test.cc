#include "plugin/terminal/migration_console.h"

#include <catch2/catch.hpp>
#include <optional>

#include "kube/base/result.h"
#include "tests/support/fake_clock.h"

namespace plugin::terminal {
namespace {

using Catch::Matchers::Contains;

/// A console that writes to a text, and is answered once.
struct Console {
  Console(bool yes, std::optional<std::string> answer)
      : progress(
            true, [this](std::string_view piece) { written += piece; }, clock),
        console(progress, yes,
                answer ? MigrationConsole::ReadAnswer([this, answer] {
                  ++asked;
                  return *answer;
                })
                       : nullptr) {}

  test_support::FakeClock clock;
  std::string written;
  int asked = 0;
  Progress progress;
  MigrationConsole console;
};

TEST_CASE("Only yes is yes", "[plugin][migration_console]") {
  const auto [answer, expected] = GENERATE(table<std::string, bool>({
      {"y", true},
      {"Y", true},
      {"yes", true},
      {"", false},
      {"n", false},
      {"no", false},
      {"yep", false},
  }));
  Console console(false, answer);
  CHECK(console.console.Confirm("Turn pruning on?") == expected);
  CHECK(console.written == "Turn pruning on? [y/N] ");
}

TEST_CASE("An answer that breaks off is no, and its line is ended", "[plugin][migration_console]") {
  test_support::FakeClock clock;
  std::string written;
  Progress progress(
      true, [&](std::string_view piece) { written += piece; }, clock);
  MigrationConsole console(progress, false, [] { return std::nullopt; });
  CHECK_FALSE(console.Confirm("Turn pruning on?"));
  CHECK(written == "Turn pruning on? [y/N] \n");
}

TEST_CASE("With --yes nothing is asked", "[plugin][migration_console]") {
  Console console(true, "n");
  console.console.RequireAnswer();
  CHECK(console.console.Confirm("Turn pruning on?"));
  CHECK(console.asked == 0);
  CHECK(console.written.empty());
}

TEST_CASE("Where nobody can be asked the error names --yes", "[plugin][migration_console]") {
  Console console(false, std::nullopt);
  CHECK_THROWS_WITH(console.console.RequireAnswer(), Contains("--yes"));
  CHECK_THROWS_WITH(console.console.Confirm("Turn pruning on?"), Contains("--yes"));
  CHECK(console.written.empty());
}

TEST_CASE("Lines stay, and cannot steer the terminal", "[plugin][migration_console]") {
  Console console(true, std::nullopt);
  console.console.OnLine("backup: \033[2J");
  CHECK(console.written == "backup: ^[[2J\n");
}

}  // namespace
}  // namespace plugin::terminal
