#include <catch2/catch.hpp>
#include <regex>

#include "migrate/guard/guard_handlers.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/test_schema.h"

namespace migrate::guard {
namespace guard_news_test {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

const std::string kPreserves = R"(,"preserveUnknownFields":true)";

/// A guard of whatever CRDs are put.
struct World {
  explicit World(std::vector<cluster::Proposal> proposals = {})
      : crds({.names = {"widgets", "gears"}}, std::move(proposals)) {}
  void Put(const std::string& plural, const std::string& more, const std::string& generation = "1",
           const std::string& word = "", const std::string& by = "") {
    std::string text = test_support::FakeCrdText(plural, more);
    text.insert(text.find(R"("name")"), R"("uid":"u","generation":)" + generation + ",");
    if (!word.empty()) text = std::regex_replace(text, std::regex(word), by);
    const auto crd = support::ReadCrdText(text);
    REQUIRE(crd);
    crds.Put(crd->name, crds.Make(*crd));
  }
  Strings TakeLines() { return std::exchange(lines, {}); }

  GuardedCrds crds;
  WriterTally tally;
  test_support::FakeClock clock;
  Strings lines;
  GuardNews news{crds, tally, clock, [this](const std::string& line) { lines.push_back(line); }};
};

TEST_CASE("At first it is told what is guarded, and why nothing will be said of some",
          "[migrate][guard]") {
  World world;
  world.Put("gears", "");
  world.Put("widgets", kPreserves, "1", R"("type":"object")", R"("title":"object")");
  world.news.Begin();
  CHECK(world.TakeLines() ==
        Strings{"guarding gears.demo.example.com",
                "note: gears.demo.example.com prunes already: what its schema lacks is gone before "
                "anybody is asked",
                "guarding widgets.demo.example.com",
                "note: nothing can be pruned by the schema of v1, v1beta1 of "
                "widgets.demo.example.com, so its requests are let pass; \"kubectl prune check "
                "widgets.demo.example.com\" tells why"});
  world.news.Advance();
  CHECK(world.lines.empty());
}

TEST_CASE("That nothing is guarded yet is told, and what of the files is not", "[migrate][guard]") {
  std::vector<cluster::Proposal> proposals;
  auto crd = support::ReadCrdText(test_support::FakeCrdText("cogs"));
  REQUIRE(crd);
  proposals.push_back({.place = {}, .source = "cogs.yaml", .crd = *std::move(crd)});
  World world(std::move(proposals));
  world.news.Begin();
  CHECK(
      world.lines ==
      Strings{"note: cogs.demo.example.com of the files is not guarded: it is not in the cluster, "
              "or not named",
              "note: there is nothing to guard yet"});
}

TEST_CASE("CRDs that come, change and go are told once", "[migrate][guard]") {
  World world;
  world.Put("widgets", kPreserves);
  world.news.Begin();
  world.TakeLines();
  world.Put("gears", kPreserves);
  world.news.Advance();
  CHECK(world.TakeLines() == Strings{"guarding gears.demo.example.com from now on"});
  // Its schemas are others, and nothing that is told of it.
  world.Put("gears", kPreserves, "2");
  world.news.Advance();
  CHECK(world.TakeLines().empty());
  world.Put("widgets", "", "2");
  world.news.Advance();
  CHECK(world.TakeLines() ==
        Strings{"note: widgets.demo.example.com prunes already: what its schema lacks is gone "
                "before anybody is asked"});
  world.crds.Remove("gears.demo.example.com");
  world.news.Advance();
  world.news.Advance();
  CHECK(world.TakeLines() == Strings{"no longer guarding gears.demo.example.com"});
}

TEST_CASE("Whether the API server asks is told", "[migrate][guard]") {
  World world;
  world.Put("widgets", kPreserves);
  world.news.Begin();
  world.TakeLines();
  world.clock.Advance(59s);
  world.news.Advance();
  CHECK(world.lines.empty());
  SECTION("it does") {
    world.tally.NoteRequest();
    for (int i = 0; i < 3; ++i, world.clock.Advance(60s)) world.news.Advance();
    CHECK(world.lines == Strings{"the API server asks"});
  }
  SECTION("it does not, and then it does") {
    for (int i = 0; i < 3; ++i) {
      world.clock.Advance(60s);
      world.news.Advance();
    }
    world.tally.NoteRequest();
    world.news.Advance();
    REQUIRE(world.lines.size() == 2);
    CHECK_THAT(world.lines[0], Catch::StartsWith("note: nobody has asked for a minute: "));
    CHECK(world.lines[1] == "the API server asks");
  }
}

TEST_CASE("That the report has no place left is told once", "[migrate][guard]") {
  World world;
  world.Put("widgets", kPreserves);
  world.news.Begin();
  world.TakeLines();
  world.tally.NoteLeftOut(1);
  for (int i = 0; i < 3; ++i) world.news.Advance();
  CHECK(world.lines ==
        Strings{"note: there are more writers and fields than have places in the report; its "
                "summary counts the others"});
}

}  // namespace guard_news_test
}  // namespace migrate::guard
