#include "plugin/terminal/sweep_progress.h"

#include <catch2/catch.hpp>

namespace plugin::terminal {
namespace {

using migrate::report::ObjectClass;
using migrate::rewrite::SweepProgress;

SweepProgress Progress(std::uint64_t rewritten, std::uint64_t unchanged, std::uint64_t expected) {
  SweepProgress progress;
  progress.listed = expected == 0 ? rewritten + unchanged + 10 : expected;
  progress.expected = expected;
  progress.counts[ObjectClass::kRewritten] = rewritten;
  progress.counts[ObjectClass::kUnchanged] = unchanged;
  progress.counts[ObjectClass::kNotTried] = progress.listed - rewritten - unchanged;
  return progress;
}

TEST_CASE("A sweep is a bar with its rate, on a terminal", "[plugin][sweep_progress]") {
  CHECK(SweepLine("widgets", Progress(1340, 92, 2000), 1150) ==
        "widgets  [==========>    ] 1432/2000  71%  1150/s  ETA 1s  rewritten 1340, unchanged 92");
  CHECK(SweepLine("widgets", Progress(0, 0, 2000), 0) == "widgets  [>              ] 0/2000  0%");
  CHECK(SweepLine("widgets", Progress(2000, 0, 2000), 10) ==
        "widgets  [===============] 2000/2000  100%  10/s  rewritten 2000");
}

TEST_CASE("What is not known of a sweep is not shown", "[plugin][sweep_progress]") {
  CHECK(SweepLine("widgets", Progress(5, 0, 0), 2) == "widgets  5  2/s  rewritten 5");
  CHECK(SweepText("widgets", Progress(5, 0, 0), 0) == "widgets: 5 objects: rewritten 5");
}

TEST_CASE("A sweep is a line in a log", "[plugin][sweep_progress]") {
  CHECK(SweepText("widgets", Progress(1340, 92, 2000), 1150) ==
        "widgets: 1432 of 2000 objects, 1150/s, ETA 1s: rewritten 1340, unchanged 92");
}

TEST_CASE("The time that is left has two units at most", "[plugin][sweep_progress]") {
  const auto [rate, eta] = GENERATE(table<double, std::string>({
      {1000.0, "ETA 1s"},
      {8.5, "ETA 118s"},
      {1.0, "ETA 16m40s"},
      {0.1, "ETA 2h46m"},
  }));
  CHECK(SweepText("w", Progress(0, 1, 1001), rate).find(eta) != std::string::npos);
  CHECK(SweepText("w", Progress(0, 1, 1001), 1e-9).find("ETA") == std::string::npos);
}

TEST_CASE("Objects that are only read count as they are read", "[plugin][sweep_progress]") {
  SweepProgress progress;
  progress.listed = 500;
  progress.expected = 2000;
  CHECK(SweepText("reading widgets", progress, 0) == "reading widgets: 500 of 2000 objects");
}

TEST_CASE("More than was expected does not break the bar", "[plugin][sweep_progress]") {
  CHECK(SweepLine("w", Progress(30, 0, 20), 1).starts_with("w  [===============] 30/20"));
}

}  // namespace
}  // namespace plugin::terminal
