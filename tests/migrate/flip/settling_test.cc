#include "migrate/flip/settling.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace migrate::flip {
namespace {

using namespace std::chrono_literals;
using Seen = Settling::Seen;
using Step = Settling::Step;

const kube::system::Clock::TimePoint kStart{1h};

std::vector<state::DoomedObject> Doomed(int count) {
  std::vector<state::DoomedObject> doomed;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    doomed.push_back({.namespace_ = "shop", .name = name, .uid = name, .paths = {"spec.x"}});
  }
  return doomed;
}

std::string Names(const Settling& settling) {
  std::string names;
  for (const state::DoomedObject* object : settling.objects()) names += object->name;
  return names;
}

void Rounds(Settling& settling, int rounds, Seen seen) {
  for (int i = 0; i < rounds; ++i) {
    settling.OnRound(std::vector<Seen>(settling.objects().size(), seen), settling.due());
  }
}

TEST_CASE("Five rounds without a doomed field tell that every server prunes",
          "[migrate][settling]") {
  Settling settling(Doomed(9), kStart, 2min);
  CHECK(settling.due() == kStart);
  CHECK(Names(settling) == "01234");
  Rounds(settling, 4, Seen::kPruned);
  CHECK(settling.step() == Step::kRead);
  Rounds(settling, 1, Seen::kPruned);
  CHECK(settling.step() == Step::kDone);
}

TEST_CASE("One read that is not pruned, or not answered, begins the count anew",
          "[migrate][settling]") {
  const Seen seen = GENERATE(Seen::kUnpruned, Seen::kNoAnswer);
  Settling settling(Doomed(3), kStart, 2min);
  Rounds(settling, 4, Seen::kPruned);
  settling.OnRound({Seen::kPruned, Seen::kPruned, seen}, settling.due());
  CHECK(settling.rounds() == 0);
  CHECK(settling.step() == Step::kRead);
  CHECK(Names(settling) == "012");
  Rounds(settling, 5, Seen::kPruned);
  CHECK(settling.step() == Step::kDone);
}

TEST_CASE("Another object takes the place of one that tells nothing any more",
          "[migrate][settling]") {
  Settling settling(Doomed(7), kStart, 2min);
  Rounds(settling, 4, Seen::kPruned);
  settling.OnRound({Seen::kPruned, Seen::kUnfit, Seen::kPruned, Seen::kUnfit, Seen::kPruned},
                   settling.due());
  CHECK(Names(settling) == "02456");
  CHECK(settling.rounds() == 0);
}

TEST_CASE("Where no object is left nothing can be told", "[migrate][settling]") {
  Settling settling(Doomed(2), kStart, 2min);
  Rounds(settling, 1, Seen::kUnfit);
  CHECK(settling.step() == Step::kNoneLeft);
  CHECK(Settling({}, kStart, 2min).step() == Step::kNoneLeft);
}

TEST_CASE("The wait ends at its time", "[migrate][settling]") {
  Settling settling(Doomed(2), kStart, 2s);
  while (settling.step() == Step::kRead) {
    CHECK(settling.due() < settling.deadline());
    Rounds(settling, 1, Seen::kUnpruned);
  }
  CHECK(settling.step() == Step::kTimedOut);
  CHECK(settling.due() >= kStart + 2s);
  CHECK(settling.due() <= kStart + 3s);
}

}  // namespace
}  // namespace migrate::flip
