#include "migrate/sweep/write/failure_streak.h"

#include <catch2/catch.hpp>
#include <string>

namespace migrate::sweep::write {
namespace failure_streak_test {

std::optional<std::string> Fail(FailureStreak& streak, int number, const std::string& why = "no") {
  return streak.OnFailure(
      report::ObjectClass::kDenied, 403,
      "w \"o" + std::to_string(number) + "\" after 1" + std::to_string(number) + " ms: " + why);
}

TEST_CASE("Forty failures of the same kind are enough", "[migrate][failure_streak]") {
  FailureStreak streak;
  for (int i = 0; i < 39; ++i) CHECK_FALSE(Fail(streak, i));
  CHECK(Fail(streak, 39) ==
        "40 of the last 50 objects failed in the same way (denied): w \"o39\" after 139 ms: no");
}

TEST_CASE("Ten of fifty may succeed meanwhile, not eleven", "[migrate][failure_streak]") {
  const int successes = GENERATE(10, 11);
  FailureStreak streak;
  std::optional<std::string> enough;
  for (int i = 0; i < 200 && !enough; ++i) {
    i % 50 < successes ? streak.OnSuccess() : void(enough = Fail(streak, i));
  }
  CHECK(enough.has_value() == (successes == 10));
}

TEST_CASE("Failures of different kinds are no streak", "[migrate][failure_streak]") {
  FailureStreak streak;
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(Fail(streak, i, i % 2 == 0 ? "no" : "never"));
    CHECK_FALSE(streak.OnFailure(report::ObjectClass::kDenied, 400 + i % 3, "no"));
    CHECK_FALSE(streak.OnFailure(
        i % 2 == 0 ? report::ObjectClass::kInvalid : report::ObjectClass::kFailed, 422, "no"));
  }
}

}  // namespace failure_streak_test
}  // namespace migrate::sweep::write
