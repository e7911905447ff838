#include "kube/client/leader_election.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"
#include "tests/kube/lease/election_world.h"

namespace kube::client {
namespace lease_test {

using Catch::Matchers::Contains;

const std::string kLeading =
    "leading now: the Lease \"shop/boss\" is held by \"a\", which is this program";

std::string LeaderIs(const std::string& holder) {
  return "the leader is \"" + holder + "\", which holds the Lease \"shop/boss\"";
}

TEST_CASE("A Lease that does not exist is created by who looks first", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  CHECK_FALSE(a.election.is_leader());
  CHECK(a.election.holder().empty());
  world.Run(1s);
  CHECK(a.line.requests == Texts{"GET " + kLease, "POST " + kList});
  CHECK(world.Spec() == SpecText("a", "00:00:00"));
  CHECK(a.election.is_leader());
  CHECK(a.election.holder() == "a");
  CHECK(a.told == Texts{kLeading});
}

TEST_CASE("A Lease that nobody holds is taken at once", "[kube][lease]") {
  World world;
  world.Put(SpecText("", "00:00:00", "00:00:00", 1, 3), R"(,"labels":{"x":"y"})");
  Candidate& a = world.Add("a", 60s);
  world.Run(1s);
  CHECK(a.line.requests == Texts{"GET " + kLease, "PUT " + kLease});
  CHECK(world.Spec() == SpecText("a", "00:01:00", "00:01:00", 15, 4));
  CHECK(world.Stored().Find("metadata")->Find("labels")->FindText("x") == "y");
  CHECK(a.told == Texts{kLeading});
}

TEST_CASE("A leader renews every retry period, and stays who it was", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  world.Run(20s);
  CHECK(a.line.requests.size() == 11);
  CHECK(a.line.requests.back() == "PUT " + kLease);
  CHECK(std::ranges::count(a.line.requests, "GET " + kLease) == 1);
  CHECK(world.Stored().Find("spec")->FindText("acquireTime") == "2026-01-01T00:00:00.000000Z");
  CHECK(world.Stored().Find("spec")->FindText("renewTime").substr(0, 18) == "2026-01-01T00:00:1");
  CHECK(*json::AsInt64(*world.Stored().Find("spec")->Find("leaseTransitions")) == 0);
  CHECK(a.told.size() == 1);
}

TEST_CASE("A holder is respected for as long as its Lease says, by the clock here",
          "[kube][lease]") {
  World world;
  // By the times that are written it has expired long ago, or will not for years.
  const std::string renew_time = GENERATE("1999-01-01", "2099-01-01");
  std::string spec = SpecText("b", "00:00:00", "00:00:00", 30, 7);
  spec.replace(spec.rfind("2026-01-01"), 10, renew_time);
  world.Put(spec);
  Candidate& a = world.Add("a");
  world.Run(29900ms);
  CHECK(world.Holder() == "b");
  CHECK(a.election.holder() == "b");
  CHECK(a.told == Texts{LeaderIs("b")});
  // A candidate looks again after 2.2 retry periods at most.
  world.Run(5s);
  CHECK(a.election.is_leader());
  CHECK(*json::AsInt64(*world.Stored().Find("spec")->Find("leaseTransitions")) == 8);
  CHECK(a.told == Texts{LeaderIs("b"), kLeading});
}

TEST_CASE("Any change of the Lease begins the wait anew", "[kube][lease]") {
  World world;
  world.Put(SpecText("b", "00:00:00"));
  Candidate& a = world.Add("a");
  world.Run(14s);
  world.Put(SpecText("c", "00:00:00"));
  world.Run(14s);
  CHECK(world.Holder() == "c");
  CHECK(a.told == Texts{LeaderIs("b"), LeaderIs("c")});
  world.RunToLeader();
  CHECK(world.Seconds() > 29);
}

TEST_CASE("A holder that renews is never displaced, whatever its clock says", "[kube][lease]") {
  World world;
  const std::string day = GENERATE("1999-01-01", "2026-01-01", "2099-12-31");
  Candidate& a = world.Add("a");
  for (int i = 10; i < 60; ++i) {
    std::string spec = SpecText("b", "00:00:" + std::to_string(i));
    spec.replace(spec.rfind("2026-01-01"), 10, day);
    world.Put(spec);
    world.Run(10s);
    CHECK_FALSE(a.election.is_leader());
  }
  CHECK(std::ranges::count(a.line.requests, "PUT " + kLease) == 0);
  CHECK(a.told == Texts{LeaderIs("b")});
}

TEST_CASE("A Lease that does not say how long it lasts has expired", "[kube][lease]") {
  World world;
  world.Put(R"({"holderIdentity":"b"})");
  Candidate& a = world.Add("a");
  world.Run(1s);
  CHECK(a.election.is_leader());
}

TEST_CASE("Who comes again under the same name goes on as the leader it was", "[kube][lease]") {
  World world;
  world.Put(SpecText("a", "00:00:00", "00:00:00", 15, 5));
  Candidate& a = world.Add("a", 3600s);
  world.Run(1s);
  CHECK(a.election.is_leader());
  CHECK(world.Spec() == SpecText("a", "01:00:00", "00:00:00", 15, 5));
}

TEST_CASE("A leader is one until the renew deadline after it last sent what was done",
          "[kube][lease]") {
  World world;
  world.server.AddFault({.target = kList, .first = 2, .latency = 3s});
  Candidate& a = world.Add("a");
  world.RunToLeader();
  CHECK(world.Seconds() >= 3);
  // Nobody calls anything of it any more.
  world.clock.Advance(10s - 1ms - world.clock.passed());
  CHECK(a.election.is_leader());
  world.clock.Advance(1ms);
  CHECK_FALSE(a.election.is_leader());
}

TEST_CASE("A write that was answered too late makes no leader", "[kube][lease]") {
  World world;
  FakeFault slow;
  slow.target = kList;
  slow.first = 2;
  slow.before = [&world] { world.clock.Advance(10s); };  // the program itself has slept
  world.server.AddFault(slow);
  Candidate& a = world.Add("a");
  a.election.Advance();
  while (world.Seconds() < 10) a.client.Poll(world.clock.Now() + 10ms);
  for (int i = 0; i < 10; ++i) a.client.Poll(world.clock.Now());
  CHECK(world.Holder() == "a");
  CHECK_FALSE(a.election.is_leader());
  CHECK(a.told.empty());
  world.Run(5s);
  CHECK(a.election.is_leader());
}

TEST_CASE("Candidates look again after one to 2.2 retry periods, each in its own time",
          "[kube][lease]") {
  World world;
  world.Put(SpecText("holder", "00:00:00", "00:00:00", 100'000));
  const auto looks = [&world](Candidate& candidate) {
    std::vector<double> times;
    while (times.size() < 40) {
      const std::size_t before = candidate.line.requests.size();
      world.Run(10ms);
      if (candidate.line.requests.size() > before) times.push_back(world.Seconds());
    }
    std::vector<double> pauses;
    for (std::size_t i = 1; i < times.size(); ++i) pauses.push_back(times[i] - times[i - 1]);
    return pauses;
  };
  const std::vector<double> a = looks(world.Add("a"));
  CHECK(*std::ranges::min_element(a) >= 1.9);
  CHECK(*std::ranges::max_element(a) <= 4.6);
  CHECK(*std::ranges::max_element(a) - *std::ranges::min_element(a) > 1);
  world.candidates.clear();
  CHECK(looks(world.Add("b")) != a);
}

TEST_CASE("Of two candidates one leads, and after its end the other", "[kube][lease]") {
  World world;
  world.Add("a");
  world.Add("b", -7200s);
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    // 15 s of the Lease, which a new candidate looks at at once, and 4.4 s until its next look.
    const double begin = world.Seconds();
    world.RunToLeader(21s);
    REQUIRE(world.Leaders().size() == 1);
    CHECK((round == 0 || world.Seconds() - begin > 12));  // renewed 2 s ago at most, and a margin
    world.Run(std::chrono::milliseconds(1000 + round * 377));
    REQUIRE(world.Leaders().size() == 1);
    world.Kill(*world.Leaders()[0]);
    world.Add("later-" + std::to_string(round), std::chrono::hours(round));
  }
}

TEST_CASE("A leader that the server does not hear knows before another one leads",
          "[kube][lease]") {
  World world;
  world.Add("a");
  world.Add("b");
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    world.RunToLeader(21s);
    REQUIRE(world.Leaders().size() == 1);
    Candidate& leader = *world.Leaders()[0];
    world.Run(std::chrono::milliseconds(round * 377));
    leader.line.is_cut = true;
    world.Run(11s);
    CHECK(world.Leaders().empty());
    // The other one looks, waits 15 s, and looks again: 4.4 s before each look at most.
    world.RunToLeader(14s);
    REQUIRE(world.Leaders().size() == 1);
    CHECK(world.Leaders()[0] != &leader);
    leader.line.is_cut = false;
    world.Run(12s);
    CHECK_FALSE(leader.election.is_leader());
    CHECK(leader.election.holder() == world.Holder());
  }
}

TEST_CASE("A stopped session lets a leader renew, and makes no new one", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  world.Run(1s);
  a.stop = true;
  world.Run(30s);
  CHECK(a.election.is_leader());
  Candidate& b = world.Add("b");
  b.stop = true;
  world.Run(30s);
  CHECK(b.line.requests.empty());
}

TEST_CASE("Times that do not fit each other are refused in client-go's words", "[kube][lease]") {
  World world;
  Candidate& a = world.Add("a");
  const auto error = [&](const LeaderElectionOptions& options) -> std::string {
    try {
      const LeaderElection election(options, {a.client, world.clock}, [](const auto&) {});
    } catch (const base::Error& thrown) {
      return thrown.what();
    }
    return "";
  };
  LeaderElectionOptions options{.namespace_ = "shop", .name = "boss", .identity = "a"};
  CHECK(error(options).empty());
  options.lease_duration = 10s;
  CHECK(error(options) == "leaseDuration must be greater than renewDeadline");
  options.lease_duration = 15s;
  options.retry_period = 9s;
  CHECK(error(options) == "renewDeadline must be greater than retryPeriod*JitterFactor");
  options.retry_period = 8s;
  CHECK(error(options).empty());
  options.retry_period = 0s;
  CHECK(error(options) == "retryPeriod must be greater than zero");
  options.retry_period = 2s;
  options.identity = "";
  CHECK(error(options) == "Lock identity is empty");
}

}  // namespace lease_test
}  // namespace kube::client
