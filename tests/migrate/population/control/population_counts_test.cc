#include "migrate/populate/population_counts.h"

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <sstream>

namespace migrate::populate {
namespace population_counts_test {

using report::PopulationClass;

/// Reads the text format (prometheus.io/docs/instrumenting/exposition_formats): what each sample is
/// worth, by its name and labels. Fails where the text is none of it.
std::map<std::string, std::string> ReadMetrics(const std::string& text) {
  static const std::regex kHead(R"(# (HELP|TYPE) ([a-z_]+) (.+))");
  static const std::regex kSample(R"(([a-z_]+)((?:\{[a-z]+="[a-z]+"\})?) ([0-9]+))");
  std::map<std::string, std::string> samples, types;
  REQUIRE(text.ends_with("\n"));
  std::istringstream lines(text);
  std::string help;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    std::smatch match;
    if (std::regex_match(line, match, kHead)) {
      if (match[1] == "HELP") {
        help = match[2];
        continue;
      }
      CHECK(match[2] == help);
      CHECK(types.try_emplace(match[2], match[3]).second);
      CHECK((match[3] == "gauge" || match[3] == "counter"));
      CHECK((match[3] == "counter") == help.ends_with("_total"));
      continue;
    }
    REQUIRE(std::regex_match(line, match, kSample));
    // All samples of a metric stand below its head.
    CHECK(match[1] == help);
    CHECK(types.contains(match[1]));
    CHECK(samples.try_emplace(match[1].str() + match[2].str(), match[3]).second);
  }
  return samples;
}

TEST_CASE("Counts of populating are in Prometheus's text format", "[migrate][population]") {
  PopulationCounts counts;
  counts.Set({.namespaces = 5,
              .templates = 4,
              .due = 3,
              .unfinished = 2,
              .refused = 1,
              .leads = true,
              .is_blind = false});
  counts.CountRound();
  counts.CountRound();
  for (int i = 0; i < 3; ++i) counts.Count(PopulationClass::kApplied);
  counts.Count(PopulationClass::kFailed);
  using Samples = std::map<std::string, std::string>;
  CHECK(ReadMetrics(counts.PrintMetrics()) ==
        Samples{{"populate_namespaces", "5"},
                {"populate_templates", "4"},
                {"populate_templates_refused", "1"},
                {"populate_namespaces_due", "3"},
                {"populate_namespaces_unfinished", "2"},
                {"populate_leader", "1"},
                {"populate_blind", "0"},
                {"populate_rounds_total", "2"},
                {R"(populate_objects_total{result="applied"})", "3"},
                {R"(populate_objects_total{result="unchanged"})", "0"},
                {R"(populate_objects_total{result="pruned"})", "0"},
                {R"(populate_objects_total{result="gone"})", "0"},
                {R"(populate_objects_total{result="kept"})", "0"},
                {R"(populate_objects_total{result="refused"})", "0"},
                {R"(populate_objects_total{result="failed"})", "1"}});
}

TEST_CASE("Gauges tell the present, counters all that there was", "[migrate][population]") {
  PopulationCounts counts;
  counts.Set({.namespaces = 5, .is_blind = true});
  counts.Count(PopulationClass::kPruned);
  counts.Set({.namespaces = 1});
  const auto samples = ReadMetrics(counts.PrintMetrics());
  CHECK(samples.at("populate_namespaces") == "1");
  CHECK(samples.at("populate_blind") == "0");
  CHECK(samples.at("populate_leader") == "0");
  CHECK(samples.at(R"(populate_objects_total{result="pruned"})") == "1");
}

}  // namespace population_counts_test
}  // namespace migrate::populate
