#include "migrate/shards/shard_step.h"

#include <catch2/catch.hpp>

namespace migrate::shards {
namespace shard_step_test {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;
using Next = ShardStep;

/// Shard 0 of two, held by "a", asks; the CRD is what the record is for.
struct Asking {
  Asking(Phase phase, Step own, Step other)
      : record{.crd_uid = "crd-uid",
               .generation = 3,
               .storage_version = "v1",
               .purpose = "flags",
               .run = 4,
               .round = 7,
               .phase = phase,
               .parts = {{.step = own, .holder = "a"}, {.step = other, .holder = "b"}}},
        situation{.shard = 0,
                  .identity = "a",
                  .run = 4,
                  .crd = {"crd-uid", 3, phase < Phase::kRewriting, "v1"}} {}

  Next Ask() const { return NextStep(record, situation); }
  Next AskAsLeader() {
    situation.is_leader = true;
    return Ask();
  }

  ShardRecord record;
  ShardSituation situation;
};

TEST_CASE("Whose place another one has taken does nothing more", "[migrate][shards]") {
  const Phase phase = GENERATE(Phase::kPreparing, Phase::kClosing, Phase::kFlipping,
                               Phase::kRewriting, Phase::kEnded);
  Asking asking(phase, Step::kAtWork, Step::kAtWork);
  SECTION("a successor") { asking.record.parts[0].holder = "successor"; }
  SECTION("another run") { asking.record.run = 5; }
  SECTION("a run of fewer shards") { asking.situation.shard = 2; }
  CHECK(asking.AskAsLeader() == Next::kAbandon);
}

TEST_CASE("Before the flip each backs up, and waits for the others", "[migrate][shards]") {
  Asking asking(Phase::kPreparing, Step::kAtWork, Step::kAtWork);
  CHECK(asking.Ask() == Next::kPrepare);
  asking.situation.has_open_backup = true;
  CHECK(asking.Ask() == Next::kNoteOpen);
  asking.record.parts[0].step = Step::kBackedUp;
  CHECK(asking.AskAsLeader() == Next::kWait);
  asking.record.parts[1].step = Step::kBackedUp;
  CHECK(asking.AskAsLeader() == Next::kBeginClosing);
  asking.situation.is_leader = false;
  CHECK(asking.Ask() == Next::kWaitForLeader);
  // As the record has it, but not this program: it was closed for a round that came to nothing.
  asking.situation.has_open_backup = false;
  CHECK(asking.Ask() == Next::kPrepare);
}

TEST_CASE("A shard that failed keeps pruning off", "[migrate][shards]") {
  Asking own(Phase::kPreparing, Step::kFailed, Step::kBackedUp);
  CHECK(own.AskAsLeader() == Next::kLeave);
  Asking other(Phase::kPreparing, Step::kBackedUp, Step::kFailed);
  other.situation.has_open_backup = true;
  CHECK(other.AskAsLeader() == Next::kWait);
}

TEST_CASE("Once all have backed up each closes, and the leader turns pruning on",
          "[migrate][shards]") {
  Asking asking(Phase::kClosing, Step::kBackedUp, Step::kBackedUp);
  asking.situation.led_round = 7;
  asking.situation.has_open_backup = true;
  CHECK(asking.AskAsLeader() == Next::kClose);
  asking.situation.has_open_backup = false;
  asking.situation.closed_round = 7;
  CHECK(asking.AskAsLeader() == Next::kNoteClosed);
  asking.record.parts[0].step = Step::kClosed;
  CHECK(asking.AskAsLeader() == Next::kWait);
  asking.record.parts[1].step = Step::kClosed;
  CHECK(asking.AskAsLeader() == Next::kFlip);
  asking.situation.is_leader = false;
  CHECK(asking.Ask() == Next::kWaitForLeader);
}

TEST_CASE("Backups of which nobody knows when they were closed are made anew",
          "[migrate][shards]") {
  Asking asking(Phase::kClosing, Step::kClosed, Step::kClosed);
  asking.situation.closed_round = 7;
  SECTION("under another leader") {
    CHECK(asking.AskAsLeader() == Next::kReopen);
    asking.situation.led_round = 6;
    CHECK(asking.AskAsLeader() == Next::kReopen);
  }
  SECTION("by another program") {
    asking.situation.closed_round.reset();
    CHECK(asking.Ask() == Next::kReopen);
  }
  SECTION("one that is not there to be closed") {
    asking.record.parts[0].step = Step::kBackedUp;
    asking.situation.closed_round = 6;
    CHECK(asking.Ask() == Next::kReopen);
  }
}

TEST_CASE("A flip that was announced and not made begins with new backups", "[migrate][shards]") {
  Asking asking(Phase::kFlipping, Step::kClosed, Step::kClosed);
  asking.situation.closed_round = asking.situation.led_round = 7;
  CHECK(asking.Ask() == Next::kWaitForLeader);
  CHECK(asking.AskAsLeader() == Next::kReopen);
}

TEST_CASE("A flip that was made is noted by the leader, in whatever phase", "[migrate][shards]") {
  const Phase phase = GENERATE(Phase::kPreparing, Phase::kClosing, Phase::kFlipping);
  Asking asking(phase, Step::kClosed, Step::kClosed);
  asking.situation.crd.generation = 4;
  asking.situation.crd.preserves_unknown_fields = false;
  CHECK(asking.Ask() == Next::kWaitForLeader);
  CHECK(asking.AskAsLeader() == Next::kNoteFlip);
}

TEST_CASE("Behind the flip each rewrites, notes how that ended, and leaves", "[migrate][shards]") {
  const Step before = GENERATE(Step::kAtWork, Step::kClosed);
  Asking asking(Phase::kRewriting, before, Step::kAtWork);
  CHECK(asking.Ask() == Next::kRewrite);
  asking.situation.has_result = true;
  CHECK(asking.Ask() == Next::kNoteResult);
  asking.record.parts[0].step = GENERATE(Step::kDone, Step::kFailed);
  CHECK(asking.AskAsLeader() == Next::kLeave);
}

TEST_CASE("For whom a shard waits is said by what they have not done", "[migrate][shards]") {
  CHECK(
      DescribeWait(Next::kWait, Asking(Phase::kPreparing, Step::kBackedUp, Step::kAbsent).record) ==
      "shard 1 has not come");
  CHECK(DescribeWait(Next::kWait, Asking(Phase::kClosing, Step::kClosed, Step::kBackedUp).record) ==
        "shard 1 is backed-up (\"b\")");
  const Phase phase =
      GENERATE(Phase::kPreparing, Phase::kClosing, Phase::kFlipping, Phase::kRewriting);
  CHECK(DescribeWait(Next::kWaitForLeader, Asking(phase, Step::kAtWork, Step::kAtWork).record) ==
        "the shard that leads, which has the next step");
}

TEST_CASE("The last one does what is left, as the leader", "[migrate][shards]") {
  Asking asking(Phase::kRewriting, Step::kDone, Step::kDone);
  CHECK(asking.Ask() == Next::kWaitForLeader);
  CHECK(asking.AskAsLeader() == Next::kEnd);
  asking.record.parts[1].step = GENERATE(Step::kAbsent, Step::kAtWork, Step::kFailed);
  CHECK(asking.AskAsLeader() == Next::kLeave);
  asking.record.phase = Phase::kEnded;
  CHECK(asking.AskAsLeader() == Next::kLeave);
}

}  // namespace shard_step_test
}  // namespace migrate::shards
