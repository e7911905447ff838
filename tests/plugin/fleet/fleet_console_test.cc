#include "plugin/command/fleet_console.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_clock.h"

namespace plugin::command {
namespace fleet_console_test {

using std::chrono::seconds;
using test_support::FakeClock;

migrate::cluster::ListProgress Items(std::uint64_t items) {
  migrate::cluster::ListProgress progress;
  progress.lists = 1;
  progress.items = items;
  return progress;
}

/// A console for three clusters that writes into `text`.
struct TestConsole {
  explicit TestConsole(bool is_terminal)
      : console(
            3, is_terminal, [this](std::string_view piece) { text += piece; }, clock) {}
  std::string text;
  FakeClock clock;
  FleetConsole console;
};

TEST_CASE("Each line begins with the name of its cluster", "[plugin][fleet_console]") {
  TestConsole test(false);
  test.console.WriteLine("prod-a", "Warning: old");
  test.console.WriteLine("prod-b", "Warning: ol\033d");
  CHECK(test.text == "prod-a: Warning: old\nprod-b: Warning: ol^[d\n");
}

TEST_CASE("Without a terminal each cluster has its line every ten seconds",
          "[plugin][fleet_console]") {
  TestConsole test(false);
  test.console.Show("prod-a", "objects", Items(1));
  test.console.Show("prod-b", "objects", Items(2));
  CHECK(test.text.empty());
  test.clock.Advance(seconds(10));
  test.console.Show("prod-a", "objects", Items(3));
  test.console.Show("prod-a", "objects", Items(4));
  test.console.Show("prod-b", "objects", Items(5));
  CHECK(test.text == "prod-a: reading objects: 3\nprod-b: reading objects: 5\n");
}

TEST_CASE("On a terminal all clusters share one live line", "[plugin][fleet_console]") {
  TestConsole test(true);
  test.console.Show("prod-a", "objects", Items(1));
  test.console.End("prod-c");
  test.clock.Advance(seconds(1));
  test.console.Show("prod-a", "objects", Items(2));
  test.console.Show("prod-b", "objects", Items(3));
  test.console.WriteLine("prod-b", "Warning: old");
  CHECK(test.text ==
        "\r\033[K\033[?7l1 of 3 clusters done; prod-a: reading objects: 2\033[?7h"
        "\r\033[Kprod-b: Warning: old\n");
}

TEST_CASE("A sweep is told of as a list is", "[plugin][fleet_console]") {
  TestConsole test(true);
  migrate::rewrite::SweepProgress progress{.listed = 4, .expected = 4, .counts = {}};
  progress.counts[migrate::report::ObjectClass::kRewritten] = 3;
  test.console.Show("prod-a", "widgets", progress);
  test.clock.Advance(seconds(1));
  test.console.Show("prod-a", "widgets", progress);
  CHECK(
      test.text ==
      "\r\033[K\033[?7l0 of 3 clusters done; prod-a: widgets: 3 of 4 objects: rewritten 3\033[?7h");
}

TEST_CASE("A question stands alone behind its lines", "[plugin][fleet_console]") {
  TestConsole test(true);
  test.console.Show("prod-a", "objects", Items(1));
  test.clock.Advance(seconds(1));
  test.console.Show("prod-a", "objects", Items(2));
  test.text.clear();
  test.console.Ask({"CLUSTER", "prod-\033"}, "All? ");
  CHECK(test.text == "\r\033[KCLUSTER\nprod-^[\nAll? ");
  test.console.EndQuestion();
  CHECK(test.text.ends_with("All? \n"));
}

}  // namespace fleet_console_test
}  // namespace plugin::command
