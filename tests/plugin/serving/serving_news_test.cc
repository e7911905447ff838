#include "plugin/command/serving_news.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/fake_clock.h"

namespace plugin::command {
namespace serving_news_test {

TEST_CASE("Requests that were turned away are counted, and told every ten minutes at most",
          "[plugin][serving]") {
  std::vector<std::string> lines;
  TurnedAwayNews news([&lines](const std::string& line) { lines.push_back(line); });
  kube::base::Clock::TimePoint now{};
  kube::serve::ServerCounts counts;
  news.Note(counts, now);
  CHECK(lines.empty());
  counts.turned_away = {2, 0, 1};
  news.Note(counts, now);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::StartsWith("Warning: 3 requests turned away so far, "));
  counts.turned_away = {5, 0, 1};
  news.Note(counts, now + std::chrono::minutes(9));
  CHECK(lines.size() == 1);
  news.Note(counts, now + std::chrono::minutes(10));
  news.Note(counts, now + std::chrono::minutes(30));
  CHECK(lines.size() == 2);
  const std::string metrics = news.PrintMetrics();
  for (const char* sample :
       {"{reason=\"busy\"} 5\n", "{reason=\"too_large\"} 0\n", "{reason=\"too_slow\"} 1\n"}) {
    CHECK_THAT(metrics,
               Catch::Contains(std::string("\nadmission_requests_turned_away_total") + sample));
  }
}

}  // namespace serving_news_test
}  // namespace plugin::command
