#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "migrate/migration/after_pruning_on.h"

namespace migrate::migration {
namespace settle_rounds_test {

using namespace std::chrono_literals;
using Seen = SettleRounds::Seen;
using Step = SettleRounds::Step;

const kube::base::Clock::TimePoint kStart{1h};

std::vector<rewrite::LosingObject> Losing(int count) {
  std::vector<rewrite::LosingObject> losing;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    losing.push_back({.namespace_ = "shop", .name = name, .uid = name, .paths = {"spec.x"}});
  }
  return losing;
}

std::string Names(const SettleRounds& settle) {
  std::string names;
  for (const rewrite::LosingObject* object : settle.objects()) names += object->name;
  return names;
}

void Rounds(SettleRounds& settle, int rounds, Seen seen) {
  for (int i = 0; i < rounds; ++i) {
    settle.OnRound(std::vector<Seen>(settle.objects().size(), seen), settle.due());
  }
}

TEST_CASE("Five rounds without a doomed field tell that every server prunes",
          "[migrate][settle_rounds]") {
  SettleRounds settle(Losing(9), kStart, 2min);
  CHECK(settle.due() == kStart);
  CHECK(Names(settle) == "01234");
  Rounds(settle, 4, Seen::kPruned);
  CHECK(settle.step() == Step::kRead);
  Rounds(settle, 1, Seen::kPruned);
  CHECK(settle.step() == Step::kDone);
}

TEST_CASE("One read that is not pruned, or not answered, begins the count anew",
          "[migrate][settle_rounds]") {
  const Seen seen = GENERATE(Seen::kUnpruned, Seen::kNoAnswer);
  SettleRounds settle(Losing(3), kStart, 2min);
  Rounds(settle, 4, Seen::kPruned);
  settle.OnRound({Seen::kPruned, Seen::kPruned, seen}, settle.due());
  CHECK(settle.rounds() == 0);
  CHECK(settle.step() == Step::kRead);
  CHECK(Names(settle) == "012");
  Rounds(settle, 5, Seen::kPruned);
  CHECK(settle.step() == Step::kDone);
}

TEST_CASE("Another object takes the place of one that tells nothing any more",
          "[migrate][settle_rounds]") {
  SettleRounds settle(Losing(7), kStart, 2min);
  Rounds(settle, 4, Seen::kPruned);
  settle.OnRound({Seen::kPruned, Seen::kUnfit, Seen::kPruned, Seen::kUnfit, Seen::kPruned},
                 settle.due());
  CHECK(Names(settle) == "02456");
  CHECK(settle.rounds() == 0);
}

TEST_CASE("Where no object is left nothing can be told", "[migrate][settle_rounds]") {
  SettleRounds settle(Losing(2), kStart, 2min);
  Rounds(settle, 1, Seen::kUnfit);
  CHECK(settle.step() == Step::kNoneLeft);
  CHECK(SettleRounds({}, kStart, 2min).step() == Step::kNoneLeft);
}

TEST_CASE("The wait ends at its time", "[migrate][settle_rounds]") {
  SettleRounds settle(Losing(2), kStart, 2s);
  while (settle.step() == Step::kRead) {
    CHECK(settle.due() < settle.deadline());
    Rounds(settle, 1, Seen::kUnpruned);
  }
  CHECK(settle.step() == Step::kTimedOut);
  CHECK(settle.due() >= kStart + 2s);
  CHECK(settle.due() <= kStart + 3s);
}

}  // namespace settle_rounds_test
}  // namespace migrate::migration
