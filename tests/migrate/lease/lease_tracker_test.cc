#include <catch2/catch.hpp>

#include "migrate/migration/lease_keeper.h"

namespace migrate::migration {
namespace lease_tracker_test {

using namespace std::chrono_literals;
using kube::client::LeaseRecord;
using kube::client::Meaning;
using TimePoint = kube::base::Clock::TimePoint;

constexpr TimePoint kStart{1h};

LeaseRecord HeldBy(const std::string& holder, const std::string& acquired = "t1",
                   int transitions = 1) {
  return {holder, 30, acquired, "t9", transitions};
}

Observation Leader(const LeaseRecord& record = HeldBy("a")) {
  return {.is_leader = true, .leader_until = kStart + 20s, .record = record};
}

Observation Displaced(const LeaseRecord& record, std::optional<Meaning> problem = {}) {
  return {.record = record, .problem = problem, .problem_text = problem ? "why" : ""};
}

/// One that is sought by "a", behind whom is "dead".
struct Sought {
  LeaseState After(const Observation& glimpse, TimePoint now = kStart) {
    tracker.Look(glimpse, now);
    return tracker.view().standing;
  }

  LeaseTracker tracker{"a", {"dead"}, kStart};
};

struct Held : Sought {
  Held() { After(Leader()); }
};

TEST_CASE("A Lease is sought until it is ours", "[migrate][lease]") {
  Sought lease;
  CHECK(lease.tracker.view().standing == LeaseState::kSought);
  CHECK(lease.After({}) == LeaseState::kSought);
  CHECK(lease.After(Displaced(HeldBy("dead"))) == LeaseState::kSought);
  CHECK(lease.After(Displaced(HeldBy(""))) == LeaseState::kSought);
  CHECK(lease.After(Leader()) == LeaseState::kOurs);
  CHECK(lease.tracker.view().ours_until == kStart + 20s);
}

TEST_CASE("Somebody else's is waited for, whatever cannot be seen meanwhile", "[migrate][lease]") {
  Sought lease;
  CHECK(lease.After(Displaced(HeldBy("b"))) == LeaseState::kOthers);
  CHECK(lease.tracker.view().record == HeldBy("b"));
  CHECK(lease.After(Displaced(HeldBy("b"), Meaning::kForbidden), kStart + 10min) ==
        LeaseState::kOthers);
  CHECK(lease.After(Leader()) == LeaseState::kOurs);
}

TEST_CASE("What has expired and may not be taken is not waited for", "[migrate][lease]") {
  Sought lease;
  CHECK(lease.After(Displaced(HeldBy("b"))) == LeaseState::kOthers);
  Observation refused = Displaced(HeldBy("b"), Meaning::kForbidden);
  refused.is_free = true;
  CHECK(lease.After(refused) == LeaseState::kUnavailable);
  Sought another;
  refused.problem = Meaning::kTrouble;
  CHECK(another.After(refused) == LeaseState::kOthers);
}

TEST_CASE("What the server refuses is not available", "[migrate][lease]") {
  const Meaning meaning = GENERATE(Meaning::kUnauthorized, Meaning::kForbidden, Meaning::kNotFound,
                                   Meaning::kInvalid, Meaning::kOtherRefusal, Meaning::kUnusable);
  Sought lease;
  CHECK(lease.After(Displaced({}, meaning)) == LeaseState::kUnavailable);
  CHECK(lease.tracker.view().reason == "why");
  CHECK(lease.After(Leader()) == LeaseState::kUnavailable);
}

TEST_CASE("Trouble that lasts for half a minute makes it unavailable", "[migrate][lease]") {
  const Meaning meaning = GENERATE(Meaning::kTooManyRequests, Meaning::kTrouble,
                                   Meaning::kServerError, Meaning::kUnreachable, Meaning::kTimeout);
  Sought lease;
  CHECK(lease.After(Displaced({}), kStart + 10s) == LeaseState::kSought);
  CHECK(lease.After(Displaced({}, meaning), kStart + 11s) == LeaseState::kSought);
  CHECK(lease.After(Displaced({}, meaning), kStart + 39s) == LeaseState::kSought);
  CHECK(lease.After(Displaced({}, meaning), kStart + 40s) == LeaseState::kUnavailable);
}

TEST_CASE("What was not renewed for a while is ours again as it was", "[migrate][lease]") {
  Held lease;
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kTimeout), kStart + 20s) ==
        LeaseState::kDoubtful);
  CHECK(lease.tracker.view().reason == "why");
  CHECK(lease.After(Displaced(HeldBy("a")), kStart + 21s) == LeaseState::kDoubtful);
  CHECK(lease.tracker.view().reason == "no answer came");
  CHECK(lease.After(Leader(), kStart + 119s) == LeaseState::kOurs);
  CHECK(lease.tracker.view().reason.empty());
  // The patience begins anew.
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kTimeout), kStart + 238s) ==
        LeaseState::kDoubtful);
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kTimeout), kStart + 239s) == LeaseState::kLost);
  CHECK(lease.tracker.view().reason == "it could not be renewed: why");
}

TEST_CASE("It is lost where somebody else may have had it between", "[migrate][lease]") {
  Held lease;
  const LeaseRecord record =
      GENERATE(HeldBy("a", "t2", 1), HeldBy("a", "t1", 2), HeldBy("a", "t2", 3));
  CHECK(lease.After(Displaced(HeldBy("a"))) == LeaseState::kDoubtful);
  CHECK(lease.After(Leader(record)) == LeaseState::kLost);
  CHECK(lease.After(Leader()) == LeaseState::kLost);
}

TEST_CASE("It is lost where somebody else has it, or has taken it away", "[migrate][lease]") {
  Held lease;
  SECTION("one of us") {
    CHECK(lease.After(Displaced(HeldBy("b@h/7/0000000000000001"))) == LeaseState::kLost);
    CHECK(lease.tracker.view().reason == "it is held by b@h (process 7)");
  }
  SECTION("nobody") {
    CHECK(lease.After(Displaced(HeldBy(""))) == LeaseState::kLost);
    CHECK(lease.tracker.view().reason == "somebody else has given it back");
  }
}

TEST_CASE("It is lost where it may not be renewed", "[migrate][lease]") {
  Held lease;
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kForbidden), kStart + 20s) ==
        LeaseState::kLost);
  CHECK(lease.tracker.view().reason == "it could not be renewed: why");
}

TEST_CASE("Where nobody keeps it any more that is the end", "[migrate][lease]") {
  Held held;
  held.tracker.Break("gone");
  CHECK(held.tracker.view().standing == LeaseState::kLost);
  CHECK(held.tracker.view().reason == "gone");
  held.tracker.Break("again");
  CHECK(held.tracker.view().reason == "gone");
  Sought sought;
  sought.tracker.Break("gone");
  CHECK(sought.tracker.view().standing == LeaseState::kUnavailable);
}

}  // namespace lease_tracker_test
}  // namespace migrate::migration
