#include <catch2/catch.hpp>

#include "migrate/migration/lease_keeper.h"

namespace migrate::migration {
namespace tenure_test {

using namespace std::chrono_literals;
using kube::client::LeaseRecord;
using kube::client::Meaning;
using TimePoint = kube::base::Clock::TimePoint;

constexpr TimePoint kStart{1h};

LeaseRecord HeldBy(const std::string& holder, const std::string& acquired = "t1",
                   int transitions = 1) {
  return {holder, 30, acquired, "t9", transitions};
}

Glimpse Leader(const LeaseRecord& record = HeldBy("a")) {
  return {.is_leader = true, .leader_until = kStart + 20s, .record = record};
}

Glimpse Displaced(const LeaseRecord& record, std::optional<Meaning> problem = {}) {
  return {.record = record, .problem = problem, .problem_text = problem ? "why" : ""};
}

/// One that is sought by "a", behind whom is "dead".
struct Sought {
  Standing After(const Glimpse& glimpse, TimePoint now = kStart) {
    tenure.Look(glimpse, now);
    return tenure.view().standing;
  }

  Tenure tenure{"a", {"dead"}, kStart};
};

struct Held : Sought {
  Held() { After(Leader()); }
};

TEST_CASE("A Lease is sought until it is ours", "[migrate][lease]") {
  Sought lease;
  CHECK(lease.tenure.view().standing == Standing::kSought);
  CHECK(lease.After({}) == Standing::kSought);
  CHECK(lease.After(Displaced(HeldBy("dead"))) == Standing::kSought);
  CHECK(lease.After(Displaced(HeldBy(""))) == Standing::kSought);
  CHECK(lease.After(Leader()) == Standing::kOurs);
  CHECK(lease.tenure.view().ours_until == kStart + 20s);
}

TEST_CASE("Somebody else's is waited for, whatever cannot be seen meanwhile", "[migrate][lease]") {
  Sought lease;
  CHECK(lease.After(Displaced(HeldBy("b"))) == Standing::kOthers);
  CHECK(lease.tenure.view().record == HeldBy("b"));
  CHECK(lease.After(Displaced(HeldBy("b"), Meaning::kForbidden), kStart + 10min) ==
        Standing::kOthers);
  CHECK(lease.After(Leader()) == Standing::kOurs);
}

TEST_CASE("What has expired and may not be taken is not waited for", "[migrate][lease]") {
  Sought lease;
  CHECK(lease.After(Displaced(HeldBy("b"))) == Standing::kOthers);
  Glimpse refused = Displaced(HeldBy("b"), Meaning::kForbidden);
  refused.is_free = true;
  CHECK(lease.After(refused) == Standing::kUnavailable);
  Sought another;
  refused.problem = Meaning::kTrouble;
  CHECK(another.After(refused) == Standing::kOthers);
}

TEST_CASE("What the server refuses is not available", "[migrate][lease]") {
  const Meaning meaning = GENERATE(Meaning::kUnauthorized, Meaning::kForbidden, Meaning::kNotFound,
                                   Meaning::kInvalid, Meaning::kOtherRefusal, Meaning::kUnusable);
  Sought lease;
  CHECK(lease.After(Displaced({}, meaning)) == Standing::kUnavailable);
  CHECK(lease.tenure.view().reason == "why");
  CHECK(lease.After(Leader()) == Standing::kUnavailable);
}

TEST_CASE("Trouble that lasts for half a minute makes it unavailable", "[migrate][lease]") {
  const Meaning meaning = GENERATE(Meaning::kTooManyRequests, Meaning::kTrouble,
                                   Meaning::kServerError, Meaning::kUnreachable, Meaning::kTimeout);
  Sought lease;
  CHECK(lease.After(Displaced({}), kStart + 10s) == Standing::kSought);
  CHECK(lease.After(Displaced({}, meaning), kStart + 11s) == Standing::kSought);
  CHECK(lease.After(Displaced({}, meaning), kStart + 39s) == Standing::kSought);
  CHECK(lease.After(Displaced({}, meaning), kStart + 40s) == Standing::kUnavailable);
}

TEST_CASE("What was not renewed for a while is ours again as it was", "[migrate][lease]") {
  Held lease;
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kTimeout), kStart + 20s) ==
        Standing::kDoubtful);
  CHECK(lease.tenure.view().reason == "why");
  CHECK(lease.After(Displaced(HeldBy("a")), kStart + 21s) == Standing::kDoubtful);
  CHECK(lease.tenure.view().reason == "no answer came");
  CHECK(lease.After(Leader(), kStart + 119s) == Standing::kOurs);
  CHECK(lease.tenure.view().reason.empty());
  // The patience begins anew.
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kTimeout), kStart + 238s) ==
        Standing::kDoubtful);
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kTimeout), kStart + 239s) == Standing::kLost);
  CHECK(lease.tenure.view().reason == "it could not be renewed: why");
}

TEST_CASE("It is lost where somebody else may have had it between", "[migrate][lease]") {
  Held lease;
  const LeaseRecord record =
      GENERATE(HeldBy("a", "t2", 1), HeldBy("a", "t1", 2), HeldBy("a", "t2", 3));
  CHECK(lease.After(Displaced(HeldBy("a"))) == Standing::kDoubtful);
  CHECK(lease.After(Leader(record)) == Standing::kLost);
  CHECK(lease.After(Leader()) == Standing::kLost);
}

TEST_CASE("It is lost where somebody else has it, or has taken it away", "[migrate][lease]") {
  Held lease;
  SECTION("one of us") {
    CHECK(lease.After(Displaced(HeldBy("b@h/7/0000000000000001"))) == Standing::kLost);
    CHECK(lease.tenure.view().reason == "it is held by b@h (process 7)");
  }
  SECTION("nobody") {
    CHECK(lease.After(Displaced(HeldBy(""))) == Standing::kLost);
    CHECK(lease.tenure.view().reason == "somebody else has given it back");
  }
}

TEST_CASE("It is lost where it may not be renewed", "[migrate][lease]") {
  Held lease;
  CHECK(lease.After(Displaced(HeldBy("a"), Meaning::kForbidden), kStart + 20s) == Standing::kLost);
  CHECK(lease.tenure.view().reason == "it could not be renewed: why");
}

TEST_CASE("Where nobody keeps it any more that is the end", "[migrate][lease]") {
  Held held;
  held.tenure.Break("gone");
  CHECK(held.tenure.view().standing == Standing::kLost);
  CHECK(held.tenure.view().reason == "gone");
  held.tenure.Break("again");
  CHECK(held.tenure.view().reason == "gone");
  Sought sought;
  sought.tenure.Break("gone");
  CHECK(sought.tenure.view().standing == Standing::kUnavailable);
}

}  // namespace tenure_test
}  // namespace migrate::migration
