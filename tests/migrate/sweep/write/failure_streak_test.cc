#include <catch2/catch.hpp>
#include <string>

#include "migrate/rewrite/exchange_pool.h"

namespace migrate::rewrite {
namespace failure_streak_test {

struct Object final : Exchange {
  kube::client::ApiRequest Request() const override { return {}; }
  Step OnAnswer(std::string_view, const std::optional<kube::client::CallError>&,
                kube::json::Document&, kube::base::Clock::TimePoint) override {
    return Step::kDone;
  }
};

std::string Message(int number, const std::string& why = "no") {
  return "w \"o" + std::to_string(number) + "\" after 1" + std::to_string(number) + " ms: " + why;
}

std::optional<std::string> Fail(FailureStreak& streak, int number, const std::string& why = "no") {
  return streak.OnFailure(Object(), report::ObjectClass::kDenied, 403, Message(number, why));
}

Object PutOff(FailureStreak& streak, int number) {
  Object object;
  kube::client::CallError busy;
  busy.message = Message(number);
  object.PutOff(busy);
  streak.OnPutOff(object);
  return object;
}

std::optional<std::string> Fail(FailureStreak& streak, const Object& object) {
  return streak.OnFailure(object, report::ObjectClass::kFailed, 504, "a timeout at last");
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
    i % 50 < successes ? streak.OnSuccess(Object()) : void(enough = Fail(streak, i));
  }
  CHECK(enough.has_value() == (successes == 10));
}

TEST_CASE("Failures of different kinds are no streak", "[migrate][failure_streak]") {
  FailureStreak streak;
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(Fail(streak, i, i % 2 == 0 ? "no" : "never"));
    CHECK_FALSE(streak.OnFailure(Object(), report::ObjectClass::kDenied, 400 + i % 3, Message(i)));
  }
}

TEST_CASE("Objects that were put off among good ones are no streak", "[migrate][failure_streak]") {
  FailureStreak streak;
  std::vector<Object> put_off;
  for (int i = 0; i < 60; ++i) {
    put_off.push_back(PutOff(streak, i));
    for (int k = 0; k < 9; ++k) streak.OnSuccess(Object());
  }
  for (const Object& object : put_off) CHECK_FALSE(Fail(streak, object));
}

TEST_CASE("Where the first answers were alike, what was put off is one",
          "[migrate][failure_streak]") {
  FailureStreak streak;
  std::vector<Object> put_off;
  for (int i = 0; i < 64; ++i) put_off.push_back(PutOff(streak, i));
  // Some are written at last.
  for (std::size_t i = 0; i < 10; ++i) streak.OnSuccess(put_off[i]);
  for (std::size_t i = 10; i < 49; ++i) CHECK_FALSE(Fail(streak, put_off[i]));
  CHECK_THAT(Fail(streak, put_off[49]).value_or(""), Catch::EndsWith("a timeout at last"));
}

}  // namespace failure_streak_test
}  // namespace migrate::rewrite
