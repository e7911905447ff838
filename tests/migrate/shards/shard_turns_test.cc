#include "migrate/shards/shard_turns.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "tests/support/fake_cluster.h"

namespace migrate::shards {
namespace shard_turns_test {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Kind = Turn::Kind;
using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;
using Kinds = std::vector<Kind>;
using kube::base::Result;

/// What shards share, in memory, with others that are at it too.
class MemoryRecords : public Records {
 public:
  Result<StoredRecord, std::string> Read() const override {
    if (on_read) on_read();
    if (!error.empty()) return kube::base::Unexpected(error);
    return StoredRecord{version == 0 ? "" : std::to_string(version), record};
  }
  Result<Stored, std::string> Write(const ShardRecord& next,
                                    const StoredRecord& read) const override {
    if (to_overtake > 0) {
      --to_overtake;
      ++version;
    }
    if (read.resource_version != (version == 0 ? "" : std::to_string(version))) {
      return Stored::kOvertaken;
    }
    Put(next);
    return Stored::kYes;
  }
  void Put(const ShardRecord& next) const {
    record = next;
    ++version;
  }

  std::function<void()> on_read;
  std::string error;
  mutable std::optional<ShardRecord> record;
  mutable int version = 0;
  mutable int to_overtake = 0;  // writes that others come before
};

/// Leases that are had at once, unless the test says otherwise.
class GivenLeases : public lease::Leases {
 public:
  Number Seek(lease::LeaseRequest request) override {
    names[++last] = request.name;
    return last;
  }
  lease::LeaseView Look(Number number) override {
    const auto found = views.find(names.at(number));
    return found == views.end() ? lease::LeaseView{.standing = lease::Standing::kOurs}
                                : found->second();
  }
  void LookNow(Number number) override { looked_at.push_back(names.at(number)); }
  void GiveBack(Number number) override { names.erase(number); }

  std::map<std::string, std::function<lease::LeaseView()>> views;  // by name
  std::map<Number, std::string> names;                             // sought and not given back
  std::vector<std::string> looked_at;                              // now
  Number last = 0;
};

const std::string kCrdLease = "kubectl-prune-widgets.demo.example.com-crd-uid";

struct Turns {
  explicit Turns(int shards, bool preserves = true) {
    crd.preserves_unknown_fields = preserves;
    options = {.shard = {0, shards},
               .crd_name = "widgets.demo.example.com",
               .crd_uid = "crd-uid",
               .purpose = "flags",
               .lease = {.leases = &leases, .self = {"bob", "pod-0", 1, 2}},
               .look_at_crd = [this]() -> Result<SeenCrd, std::string> { return crd; }};
    cluster.run_stop = &is_stopped;
  }

  std::string ShardLease() const {
    return kCrdLease + "-0-of-" + std::to_string(options.shard.count);
  }
  ShardTurns Make() {
    return {options, records, cluster.session(),
            [this](const std::string& line) { told.push_back(line); }};
  }
  /// The others follow at once in whatever there is to do.
  void LetOthersFollow() {
    records.on_read = [this] {
      if (!records.record) return;
      ShardRecord next = *records.record;
      for (int other = 1; other < options.shard.count; ++other) Follow(next, other);
      if (next != *records.record) records.Put(next);
    };
  }
  static void Follow(ShardRecord& next, int other) {
    ShardPart& part = next.parts.at(static_cast<std::size_t>(other));
    part.holder = "other";
    const Step step = part.step;
    if (next.phase == Phase::kPreparing && step != Step::kBackedUp) NoteOpenBackup(next, other);
    if (next.phase == Phase::kClosing) NoteClosedBackup(next, other, "/other");
    if (next.phase == Phase::kRewriting) {
      NoteResult(next, other, {.step = Step::kDone, .is_verified = true});
    }
  }
  /// Does what there is to do, to the end; `most` turns.
  Kinds Run(ShardTurns& turns, int most = 20) {
    Kinds kinds;
    for (int i = 0; i < most; ++i) {
      const Turn turn = turns.Next();
      kinds.push_back(turn.kind);
      error = turn.error;
      switch (turn.kind) {
        case Kind::kPrepare:
          turns.OnOpen();
          break;
        case Kind::kClose:
          turns.OnClosed(turn, "/backup");
          break;
        case Kind::kFlip:
          CHECK(turns.leads());
          Flip();
          turns.OnFlip("77");
          break;
        case Kind::kRewrite:
          turns.OnResult({.step = Step::kDone, .is_verified = true});
          break;
        case Kind::kEnd:
          CHECK(AreAllVerified(turn.record));
          turns.OnEnd("kept");
          break;
        default:
          return kinds;
      }
    }
    return kinds;
  }
  void Flip() {
    crd.preserves_unknown_fields = false;
    ++crd.generation;
  }

  test_support::FakeCluster cluster;
  std::atomic<bool> is_stopped = false;
  GivenLeases leases;
  MemoryRecords records;
  SeenCrd crd{"crd-uid", 3, true, "v1", {"v1beta1", "v1"}};
  ShardTurnsOptions options;
  std::vector<std::string> told;
  std::string error;
};

const Kinds kWholeWay = {Kind::kPrepare, Kind::kClose, Kind::kFlip,
                         Kind::kRewrite, Kind::kEnd,   Kind::kLeave};

TEST_CASE("One shard alone has the whole way", "[migrate][shards]") {
  Turns world(1);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  CHECK(world.Run(turns) == kWholeWay);
  CHECK(world.records.record->phase == Phase::kEnded);
  CHECK(world.records.record->generation == 4);
  CHECK(world.records.record->flip_resource_version == "77");
  CHECK(world.records.record->kept_because == "kept");
  CHECK(world.records.record->parts[0].backup == "/backup");
}

TEST_CASE("Where pruning is on there is only to rewrite", "[migrate][shards]") {
  Turns world(1, /*preserves=*/false);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  CHECK(world.Run(turns) == Kinds{Kind::kRewrite, Kind::kEnd, Kind::kLeave});
}

TEST_CASE("Two shards go the same way, whoever is faster", "[migrate][shards]") {
  Turns world(2);
  world.LetOthersFollow();
  world.records.to_overtake = GENERATE(0, 1, 7);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  CHECK(world.Run(turns) == kWholeWay);
  CHECK(world.records.record->parts[1].holder == "other");
}

TEST_CASE("Who does not lead waits for what the leader does", "[migrate][shards]") {
  Turns world(2);
  world.leases.views[kCrdLease] = [] {
    return lease::LeaseView{.standing = lease::Standing::kOthers};
  };
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  REQUIRE(turns.Next().kind == Kind::kPrepare);
  turns.OnOpen();
  // The leader, which is shard 1, takes its time.
  world.records.on_read = [&] {
    ShardRecord next = *world.records.record;
    next.parts[1].holder = "leader";
    const auto passed = world.cluster.clock.passed();
    const Step own = next.parts[0].step;
    if (own == Step::kBackedUp && next.phase == Phase::kPreparing && passed >= 60s) {
      NoteOpenBackup(next, 1);
      BeginClosing(next);
    } else if (own == Step::kClosed && next.phase == Phase::kClosing && passed >= 120s) {
      NoteClosedBackup(next, 1, "");
      world.Flip();
      NoteFlip(next, world.crd.generation, "78");
    }
    if (next != *world.records.record) world.records.Put(next);
  };
  CHECK(world.Run(turns) == Kinds{Kind::kClose, Kind::kRewrite, Kind::kLeave});
  CHECK(world.records.record->phase == Phase::kRewriting);
  CHECK(world.cluster.clock.passed() < 130s);
}

TEST_CASE("The last one takes the place of a leader that has left, without a long wait",
          "[migrate][shards]") {
  Turns world(GENERATE(2, 200), /*preserves=*/false);
  world.LetOthersFollow();
  std::optional<kube::system::Clock::TimePoint> asked_at;
  // The server's answer takes a moment.
  world.leases.views[kCrdLease] = [&] {
    const auto now = world.cluster.clock.Now();
    if (!asked_at && !world.leases.looked_at.empty()) asked_at = now;
    const bool is_free = asked_at && now >= *asked_at + 30ms;
    return lease::LeaseView{.standing =
                                is_free ? lease::Standing::kOurs : lease::Standing::kOthers};
  };
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  CHECK(world.Run(turns) == Kinds{Kind::kRewrite, Kind::kEnd, Kind::kLeave});
  REQUIRE_FALSE(world.leases.looked_at.empty());
  CHECK(world.leases.looked_at.front() == kCrdLease);
  CHECK(world.leases.looked_at.size() <= 2);
  CHECK(world.cluster.clock.passed() < 150ms);
}

TEST_CASE("A shard that never comes is waited for, and named", "[migrate][shards]") {
  Turns world(2);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  CHECK(world.Run(turns) == Kinds{Kind::kPrepare, Kind::kError});
  CHECK(world.error == "the other shards were waited for in vain: shard 1 has not come");
  CHECK(world.cluster.clock.passed() >= 15min);
  CHECK(world.cluster.clock.passed() < 16min);
  CHECK(world.told == std::vector<std::string>{"waiting for others: shard 1 has not come"});
  CHECK(world.leases.looked_at.empty());
  turns.GiveUp(world.error);
  CHECK(world.records.record->phase == Phase::kPreparing);
  CHECK(world.records.record->parts[0].step == Step::kFailed);
  CHECK(world.records.record->parts[0].error == world.error);
}

TEST_CASE("A backup that is not current any more is made anew", "[migrate][shards]") {
  Turns world(2);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  REQUIRE(turns.Next().kind == Kind::kPrepare);
  turns.OnOpen();
  CHECK(turns.Next([&] { return world.cluster.clock.passed() < 10s; }).kind == Kind::kPrepare);
  CHECK(world.cluster.clock.passed() >= 10s);
}

TEST_CASE("A flip of which nobody knows is found, or begins anew", "[migrate][shards]") {
  Turns world(1);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  REQUIRE(turns.Next().kind == Kind::kPrepare);
  turns.OnOpen();
  turns.OnClosed(turns.Next(), "/backup");
  REQUIRE(turns.Next().kind == Kind::kFlip);
  SECTION("it was done") {
    world.Flip();
    CHECK(turns.Next().kind == Kind::kRewrite);
    CHECK(world.records.record->flip_resource_version.empty());
  }
  SECTION("it was not") {
    CHECK(turns.Next().kind == Kind::kPrepare);
    CHECK(world.records.record->round == 2);
  }
}

TEST_CASE("A successor leaves at once where all is done", "[migrate][shards]") {
  Turns world(2, /*preserves=*/false);
  {
    ShardTurns turns = world.Make();
    REQUIRE_FALSE(turns.Begin());
    CHECK(world.Run(turns) == Kinds{Kind::kRewrite, Kind::kLeave});
  }
  world.options.lease.self.number = 3;
  ShardTurns successor = world.Make();
  REQUIRE_FALSE(successor.Begin());
  CHECK(world.Run(successor) == Kinds{Kind::kLeave});
  CHECK(world.records.record->parts[0].step == Step::kDone);
}

TEST_CASE("What was left to do at the end is done by whoever comes", "[migrate][shards]") {
  Turns world(1, /*preserves=*/false);
  {
    ShardTurns killed = world.Make();
    REQUIRE_FALSE(killed.Begin());
    REQUIRE(killed.Next().kind == Kind::kRewrite);
    killed.OnResult({.step = Step::kDone, .is_verified = true});
    REQUIRE(killed.Next().kind == Kind::kEnd);
  }
  world.options.lease.self.number = 3;
  ShardTurns successor = world.Make();
  REQUIRE_FALSE(successor.Begin());
  CHECK(world.Run(successor) == Kinds{Kind::kEnd, Kind::kLeave});
}

TEST_CASE("Whose shard another program has does not begin", "[migrate][shards]") {
  Turns world(2);
  world.leases.views[world.ShardLease()] = [&] {
    const std::string renewed = world.cluster.clock.passed() < 5s ? "t1" : "t2";
    return lease::LeaseView{.standing = lease::Standing::kOthers,
                            .record = {"bob@pod-0/1/0000000000000009", 30, "", renewed, 0}};
  };
  ShardTurns turns = world.Make();
  const auto end = turns.Begin();
  REQUIRE(end);
  CHECK(end->kind == Kind::kError);
  CHECK_THAT(end->error, Contains("shard 0/2: bob@pod-0 (process 1) is at work on it"));
  CHECK_FALSE(world.records.record);
}

TEST_CASE("Shards do not go on without Leases", "[migrate][shards]") {
  Turns world(2);
  world.leases.views[world.ShardLease()] = [] {
    return lease::LeaseView{.standing = lease::Standing::kUnavailable, .reason = "no right"};
  };
  ShardTurns turns = world.Make();
  const auto end = turns.Begin();
  REQUIRE(end);
  CHECK_THAT(end->error, Contains("shards cannot do without Leases") && Contains("no right"));
}

TEST_CASE("Who loses the Lease of its shard does nothing more", "[migrate][shards]") {
  Turns world(1);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  world.leases.views[world.ShardLease()] = [] {
    return lease::LeaseView{.standing = lease::Standing::kLost, .reason = "gone"};
  };
  const Turn turn = turns.Next();
  CHECK(turn.kind == Kind::kError);
  CHECK_THAT(turn.error, Contains("was lost: gone"));
}

TEST_CASE("A new leader has the backups made anew that it has not seen closed",
          "[migrate][shards]") {
  Turns world(1);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  REQUIRE(turns.Next().kind == Kind::kPrepare);
  turns.OnOpen();
  turns.OnClosed(turns.Next(), "/backup");
  // It has led, and another one since.
  bool is_lost = true;
  world.leases.views[kCrdLease] = [&] {
    return lease::LeaseView{.standing = std::exchange(is_lost, false) ? lease::Standing::kLost
                                                                      : lease::Standing::kOurs};
  };
  CHECK(turns.Next().kind == Kind::kPrepare);
  CHECK(world.records.record->round == 2);
}

TEST_CASE("A signal ends the wait for others", "[migrate][shards]") {
  Turns world(2);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  REQUIRE(turns.Next().kind == Kind::kPrepare);
  turns.OnOpen();
  const Turn turn = turns.Next([&] {
    world.is_stopped = world.cluster.clock.passed() >= 5s;
    return true;
  });
  CHECK(turn.kind == Kind::kInterrupted);
  CHECK(world.cluster.clock.passed() < 10s);
}

TEST_CASE("What cannot be shared any more is an error", "[migrate][shards]") {
  Turns world(1);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  SECTION("it is gone") { world.records.record.reset(); }
  SECTION("it cannot be read") { world.records.error = "no right"; }
  SECTION("it was begun anew") { ++world.records.record->run; }
  CHECK(turns.Next().kind == Kind::kError);
}

TEST_CASE("Shards with other flags do not mix", "[migrate][shards]") {
  Turns world(2);
  ShardTurns turns = world.Make();
  REQUIRE_FALSE(turns.Begin());
  world.options.purpose = "others";
  ShardTurns other = world.Make();
  const auto end = other.Begin();
  REQUIRE(end);
  CHECK_THAT(end->error, Contains("with other flags"));
}

}  // namespace shard_turns_test
}  // namespace migrate::shards
