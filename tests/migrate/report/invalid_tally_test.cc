#include <catch2/catch.hpp>

#include "migrate/report/field_tally.h"

namespace migrate::report {
namespace invalid_tally_test {

CountedObject ObjectAt(std::uint64_t offset, std::string_view name) {
  return {{.offset = offset}, name};
}

InvalidFinding Finding(std::string path, std::string message) {
  return {.path = std::move(path), .words = "words", .message = std::move(message)};
}

TEST_CASE("What is found of a path in the same words counts as one, with the first message",
          "[migrate][invalid_tally]") {
  InvalidTally tally;
  InvalidFinding finding = Finding("spec.a", "of two");
  finding.managers = {"helm"};
  tally.Add(finding, ObjectAt(2, "ns/two"));
  tally.CountRefused();
  tally.Add(Finding("spec.a", "of one"), ObjectAt(1, "ns/one"));
  tally.Add(Finding("spec.a", "of three"), ObjectAt(3, "ns/three"));
  const ValidityReport report = tally.Report();
  CHECK(report.objects == 1);
  REQUIRE(report.fields.size() == 1);
  CHECK(report.fields[0].message == "of one");
  CHECK(report.fields[0].objects == 3);
  CHECK(report.fields[0].managers == std::vector<std::string>{"helm"});
  CHECK(report.fields[0].examples == std::vector<std::string>{"ns/one", "ns/two", "ns/three"});
}

TEST_CASE("Other words, what is tolerated and what is new count apart",
          "[migrate][invalid_tally]") {
  InvalidTally tally;
  InvalidFinding finding = Finding("spec.a", "m");
  tally.Add(finding, ObjectAt(1, "a"));
  finding.tolerated = true;
  tally.Add(finding, ObjectAt(1, "a"));
  finding.since_proposal = true;
  tally.Add(finding, ObjectAt(1, "a"));
  finding.words = "others";
  tally.Add(finding, ObjectAt(1, "a"));
  tally.Add(Finding("spec", "m"), ObjectAt(1, "a"));
  const ValidityReport report = tally.Report();
  REQUIRE(report.fields.size() == 5);
  CHECK(report.fields[0].path == "spec");
  CHECK(std::ranges::count(report.fields, true, &InvalidUse::tolerated) == 3);
  CHECK(std::ranges::count(report.fields, true, &InvalidUse::since_proposal) == 2);
}

TEST_CASE("Tallies of findings merge to the same in any order", "[migrate][invalid_tally]") {
  InvalidTally first, second;
  for (std::uint64_t i = 0; i < 6; ++i) {
    InvalidTally& tally = i % 2 == 0 ? first : second;
    tally.Add(Finding("x", "message " + std::to_string(i)), ObjectAt(6 - i, std::to_string(i)));
    tally.CountRefused();
  }
  InvalidTally forward, backward;
  forward.Merge(first);
  forward.Merge(second);
  backward.Merge(second);
  backward.Merge(first);
  CHECK(forward.Report() == backward.Report());
  CHECK(forward.Report().objects == 6);
  CHECK(forward.Report().fields.at(0).message == "message 5");
}

}  // namespace invalid_tally_test
}  // namespace migrate::report
