#include <catch2/catch.hpp>

#include "plugin/command/fleet_migration.h"
#include "tests/support/fake_clock.h"

namespace plugin::command {
namespace fleet_observer_test {

using Catch::Matchers::Contains;

const migrate::report::ForetoldLoss kLoss{
    .objects = 2, .objects_losing_fields = 1, .plan = {"2 objects", "Warning: old"}};

/// The observer of the only cluster of a fleet, whose questions are answered with yes.
struct Watched {
  explicit Watched(Answers answers)
      : console(
            1, false, [this](std::string_view piece) { text += piece; }, clock),
        question(1,
                 [this](const std::vector<Request>& requests, const auto&) {
                   asked.insert(asked.end(), requests.begin(), requests.end());
                   places.acquire();  // it is free meanwhile
                   places.release();
                   return std::vector<bool>(requests.size(), true);
                 }),
        observer(name, answers, console, question, places) {
    places.acquire();
  }

  const std::string name = "prod-a";
  std::string text;
  test_support::FakeClock clock;
  FleetConsole console;
  Places places{1};
  std::vector<Request> asked;
  CommonQuestion question;
  FleetObserver observer;
};

TEST_CASE("What was foretold is asked about, and not told before", "[plugin][fleet_observer]") {
  Watched watched(Answers::kPerson);
  CHECK(watched.observer.MayAsk());
  watched.observer.RequireAnswer();
  watched.observer.OnForetold("widgets", kLoss);
  CHECK(watched.text.empty());
  CHECK(watched.observer.Confirm("Turn pruning on?"));
  CHECK(watched.observer.Confirm("Without a backup?"));
  REQUIRE(watched.asked.size() == 2);
  CHECK(watched.asked[0].cluster == "prod-a");
  CHECK(watched.asked[0].crd == "widgets");
  REQUIRE(watched.asked[0].loss);
  CHECK(watched.asked[0].loss->plan == kLoss.plan);
  CHECK(watched.asked[1].question == "Without a backup?");
  CHECK_FALSE(watched.asked[1].loss);
}

TEST_CASE("Where all is agreed to beforehand it is told alone", "[plugin][fleet_observer]") {
  Watched watched(Answers::kYes);
  CHECK_FALSE(watched.observer.MayAsk());
  watched.observer.OnForetold("widgets", kLoss);
  CHECK(watched.text == "prod-a: 2 objects\nprod-a: Warning: old\n");
  CHECK(watched.observer.Confirm("Turn pruning on?"));
  CHECK(watched.asked.empty());
}

TEST_CASE("Where nobody can be asked the next step is told", "[plugin][fleet_observer]") {
  Watched watched(Answers::kNobody);
  CHECK_THROWS_WITH(watched.observer.RequireAnswer(), Contains("--yes"));
  CHECK_THROWS_WITH(watched.observer.Confirm("Turn pruning on?"), Contains("--yes"));
}

}  // namespace fleet_observer_test
}  // namespace plugin::command
