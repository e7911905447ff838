#include "migrate/migration/crd_lease.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace crd_lease_test {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Step = LeaseStart::Step;
using Strings = std::vector<std::string>;
using Duration = kube::base::Clock::Duration;

const std::string kOther = "alice@bastion/4711/0000000000000001";
const std::string kOtherText =
    "alice@bastion (process 4711) is at work on it since 2026-01-01T00:00:00Z, as the Lease "
    "\"default/kubectl-prune-widgets.demo.example.com-crd-uid\" says";

LeaseView View(LeaseState standing) { return {.standing = standing, .reason = "why"}; }

LeaseView Others(const std::string& renewed) {
  return {.standing = LeaseState::kOthers,
          .record = {kOther, 30, "2026-01-01T00:00:00.123456Z", renewed, 0}};
}

/// Shows what the test says, by the time that has passed.
class ScriptedLeases : public Leases {
 public:
  Number Seek(LeaseRequest wanted) override {
    request = std::move(wanted);
    return 7;
  }
  LeaseView Look(Number lease) override {
    CHECK(lease == 7);
    CHECK_FALSE(is_given_back);
    return look();
  }
  void GiveBack(Number lease) override {
    CHECK(lease == 7);
    is_given_back = true;
  }

  std::function<LeaseView()> look;
  LeaseRequest request;
  bool is_given_back = false;
};

struct Run {
  explicit Run(Duration wait = {}) : options{.leases = &leases, .wait = wait} {
    cluster.run_stop = &is_stopped;
    options.self = {"bob", "laptop", 1, 2};
    lease.emplace(leases, RequestOf(options, "widgets.demo.example.com", "crd-uid", {}),
                  options.wait, cluster.session(),
                  [this](const std::string& line) { told.push_back(line); });
  }
  /// What there is to see from then on, each after so much time.
  void Script(std::vector<std::pair<Duration, LeaseView>> views) {
    leases.look = [this, views = std::move(views)] {
      LeaseView seen = views.front().second;
      for (const auto& [time, view] : views) {
        if (cluster.clock.passed() >= time) seen = view;
      }
      return seen;
    };
  }

  test_support::FakeCluster cluster;
  std::atomic<bool> is_stopped = false;
  ScriptedLeases leases;
  LeaseOptions options;
  Strings told;
  std::optional<CrdLease> lease;
};

TEST_CASE("The Lease of a CRD is asked for by its name, and as who we are", "[migrate][lease]") {
  LeaseOptions options{.namespace_ = "ops", .self = {"bob", "laptop", 1, 2}};
  const LeaseRequest request =
      RequestOf(options, "widgets.demo.example.com", "crd-uid",
                {"bob@laptop/9/0000000000000009", "bob@bastion/9/0000000000000009", "", "laptop"});
  CHECK(request.namespace_ == "ops");
  CHECK(request.name == "kubectl-prune-widgets.demo.example.com-crd-uid");
  CHECK(request.identity == "bob@laptop/1/0000000000000002");
  // Of another machine's nothing is known by a folder that it may share.
  CHECK(request.predecessors == Strings{"bob@laptop/9/0000000000000009"});
  CHECK(request.crd_uid == "crd-uid");
}

TEST_CASE("A Lease that nobody has is taken without a word", "[migrate][lease]") {
  Run run;
  run.Script({{0s, View(LeaseState::kSought)}, {200ms, View(LeaseState::kOurs)}});
  const LeaseStart start = run.lease->Take();
  CHECK(start.step == Step::kOurs);
  CHECK_FALSE(start.has_waited);
  CHECK(run.told.empty());
  CHECK_FALSE(run.leases.is_given_back);
  run.lease.reset();
  CHECK(run.leases.is_given_back);
}

TEST_CASE("Where Leases are not to be had the run goes on, warned", "[migrate][lease]") {
  Run run;
  run.Script({{0s, View(LeaseState::kUnavailable)}});
  const LeaseStart start = run.lease->Take();
  CHECK(start.step == Step::kUnknown);
  CHECK(start.message ==
        "another run over the same objects would not be noticed, nor would this one be: why");
  CHECK(run.leases.is_given_back);
  CHECK_FALSE(run.lease->CheckLease());
}

TEST_CASE("A run that is alive is not waited for", "[migrate][lease]") {
  Run run;
  run.Script({{0s, Others("t1")}, {6s, Others("t2")}});
  const LeaseStart start = run.lease->Take();
  CHECK(start.step == Step::kHeld);
  CHECK(start.message == kOtherText +
                             "; run the same command again when that has ended, or let it wait by "
                             "--lease-timeout");
  CHECK(run.told == Strings{kOtherText + "; waiting to see whether it is alive"});
  CHECK(run.cluster.clock.passed() < 7s);
  CHECK(run.leases.is_given_back);
}

TEST_CASE("A run that is dead is followed", "[migrate][lease]") {
  Run run;
  run.Script(
      {{0s, Others("t1")}, {33s, View(LeaseState::kSought)}, {34s, View(LeaseState::kOurs)}});
  const LeaseStart start = run.lease->Take();
  CHECK(start.step == Step::kOurs);
  CHECK(start.has_waited);
}

TEST_CASE("A Lease of years is not waited for", "[migrate][lease]") {
  Run run;
  run.Script({{0s, Others("t1")}});
  CHECK(run.lease->Take().step == Step::kHeld);
  CHECK(run.cluster.clock.passed() <= 301s);
}

TEST_CASE("Whoever has time waits for a run that is alive", "[migrate][lease]") {
  Run run(1min);
  SECTION("to its end") {
    run.Script({{0s, Others("t1")}, {6s, Others("t2")}, {50s, View(LeaseState::kOurs)}});
    const LeaseStart start = run.lease->Take();
    CHECK(start.step == Step::kOurs);
    CHECK(start.has_waited);
  }
  SECTION("but not for longer") {
    run.Script({{0s, Others("t1")}, {6s, Others("t2")}, {90s, View(LeaseState::kOurs)}});
    CHECK(run.lease->Take().step == Step::kHeld);
    CHECK(run.cluster.clock.passed() >= 60s);
    CHECK(run.cluster.clock.passed() < 62s);
  }
  CHECK(run.told == Strings{kOtherText + "; waiting for it to end"});
}

TEST_CASE("A signal ends the wait for a Lease", "[migrate][lease]") {
  Run run(1h);
  run.leases.look = [&] {
    if (run.cluster.clock.passed() >= 3s) run.is_stopped = true;
    return Others("t1");
  };
  CHECK(run.lease->Take().step == Step::kInterrupted);
  CHECK(run.cluster.clock.passed() < 5s);
}

struct Started : Run {
  Started() {
    Script({{0s, View(LeaseState::kOurs)}});
    REQUIRE(lease->Take().step == Step::kOurs);
  }
};

TEST_CASE("What is doubtful is waited for, and goes on where it is ours again",
          "[migrate][lease]") {
  Started run;
  CHECK_FALSE(run.lease->CheckLease());
  CHECK(run.told.empty());
  run.Script({{0s, View(LeaseState::kDoubtful)}, {70s, View(LeaseState::kOurs)}});
  CHECK_FALSE(run.lease->CheckLease());
  CHECK(run.cluster.clock.passed() >= 70s);
  CHECK(run.told ==
        Strings{"waiting: the Lease \"default/kubectl-prune-widgets.demo.example.com-crd-uid\" "
                "is not renewed: why"});
}

TEST_CASE("What is lost stays lost", "[migrate][lease]") {
  Started run;
  run.Script({{0s, View(LeaseState::kDoubtful)}, {70s, View(LeaseState::kLost)}});
  const auto loss = run.lease->CheckLease();
  REQUIRE(loss);
  CHECK(*loss ==
        "the Lease \"default/kubectl-prune-widgets.demo.example.com-crd-uid\", by which runs "
        "know "
        "of each other, was lost: why");
  run.Script({{0s, View(LeaseState::kOurs)}});
  CHECK(run.lease->CheckLease() == loss);
}

TEST_CASE("A run that is to stop does not wait for what is doubtful", "[migrate][lease]") {
  Started run;
  run.is_stopped = true;
  run.Script({{0s, View(LeaseState::kDoubtful)}});
  CHECK_FALSE(run.lease->CheckLease());
  CHECK(run.cluster.clock.passed() < 1s);
}

}  // namespace crd_lease_test
}  // namespace migrate::migration
