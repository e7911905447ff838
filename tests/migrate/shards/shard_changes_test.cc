#include "migrate/shards/shard_changes.h"

#include <catch2/catch.hpp>

namespace migrate::shards {
namespace shard_changes_test {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;

SeenCrd Crd(std::int64_t generation, bool preserves) {
  return {"crd-uid", generation, preserves, "v1", {"v1beta1", "v1"}};
}

ShardArrival Coming(int shard, const SeenCrd& crd, const std::string& identity = "new") {
  return {.shard = {shard, 2}, .identity = identity, .purpose = "flags", .crd = crd};
}

/// Of two shards that have come to these steps, while pruning is off.
ShardRecord Record(Phase phase, Step first, Step second) {
  ShardRecord record{.crd_uid = "crd-uid",
                     .generation = 3,
                     .storage_version = "v1",
                     .purpose = "flags",
                     .phase = phase,
                     .parts = {{.step = first, .holder = "a"}, {.step = second, .holder = "b"}}};
  return record;
}

TEST_CASE("Who comes first begins, by whether pruning is on", "[migrate][shards]") {
  const bool preserves = GENERATE(true, false);
  std::optional<ShardRecord> record;
  CHECK(Arrive(record, Coming(1, Crd(3, preserves))) == ArrivalVerdict::kTakesPart);
  REQUIRE(record);
  CHECK(record->phase == (preserves ? Phase::kPreparing : Phase::kRewriting));
  CHECK(record->generation == 3);
  CHECK(record->run == 1);
  CHECK(record->stored_before == std::vector<std::string>{"v1beta1", "v1"});
  REQUIRE(record->parts.size() == 2);
  CHECK(record->parts[0] == ShardPart());
  CHECK(record->parts[1] == ShardPart{.step = Step::kAtWork, .holder = "new"});
}

TEST_CASE("What ended, or is of another CRD, begins anew", "[migrate][shards]") {
  std::optional<ShardRecord> record = Record(Phase::kRewriting, Step::kDone, Step::kDone);
  SeenCrd crd = Crd(3, false);
  SECTION("ended") { record->phase = Phase::kEnded; }
  SECTION("another CRD of the name") { crd.uid = "other"; }
  SECTION("changed since") { crd.generation = 4; }
  SECTION("of another count, and ended") {
    record->phase = Phase::kEnded;
    record->parts.resize(16);
    record->purpose = "others";
  }
  CHECK(Arrive(record, Coming(0, crd)) == ArrivalVerdict::kTakesPart);
  CHECK(record->run == 2);
  CHECK(record->parts.size() == 2);
  CHECK(record->parts[0].step == Step::kAtWork);
  CHECK(record->parts[1].step == Step::kAbsent);
  CHECK(record->generation == crd.generation);
}

TEST_CASE("Who has other flags, or an old view, does not take part", "[migrate][shards]") {
  std::optional<ShardRecord> record = Record(Phase::kPreparing, Step::kAtWork, Step::kAbsent);
  const ShardRecord before = *record;
  ShardArrival arrival = Coming(1, Crd(3, true));
  SECTION("flags") {
    arrival.purpose = "others";
    CHECK(Arrive(record, arrival) == ArrivalVerdict::kOtherRun);
  }
  SECTION("count") {
    arrival.shard = {1, 3};
    CHECK(Arrive(record, arrival) == ArrivalVerdict::kOtherRun);
  }
  SECTION("generation") {
    arrival.crd.generation = 2;
    CHECK(Arrive(record, arrival) == ArrivalVerdict::kOldCrd);
  }
  CHECK(*record == before);
}

TEST_CASE("A successor has what its predecessor had done, and nothing that was open",
          "[migrate][shards]") {
  const auto [phase, step, then, next_phase] = GENERATE(table<Phase, Step, Step, Phase>({
      {Phase::kPreparing, Step::kAbsent, Step::kAtWork, Phase::kPreparing},
      {Phase::kPreparing, Step::kAtWork, Step::kAtWork, Phase::kPreparing},
      {Phase::kPreparing, Step::kBackedUp, Step::kAtWork, Phase::kPreparing},
      {Phase::kPreparing, Step::kFailed, Step::kAtWork, Phase::kPreparing},
      {Phase::kClosing, Step::kBackedUp, Step::kAtWork, Phase::kPreparing},
      {Phase::kClosing, Step::kClosed, Step::kAtWork, Phase::kPreparing},
      {Phase::kFlipping, Step::kClosed, Step::kClosed, Phase::kFlipping},
      {Phase::kRewriting, Step::kClosed, Step::kAtWork, Phase::kRewriting},
      {Phase::kRewriting, Step::kAtWork, Step::kAtWork, Phase::kRewriting},
      {Phase::kRewriting, Step::kFailed, Step::kAtWork, Phase::kRewriting},
      {Phase::kRewriting, Step::kDone, Step::kDone, Phase::kRewriting},
  }));
  std::optional<ShardRecord> record = Record(phase, step, Step::kClosed);
  CAPTURE(PhaseName(phase), PartStepName(step));
  const std::int64_t round = record->round;
  CHECK(Arrive(record, Coming(0, Crd(3, phase != Phase::kRewriting))) ==
        ArrivalVerdict::kTakesPart);
  CHECK(record->phase == next_phase);
  CHECK(record->parts[0].step == then);
  CHECK(record->parts[0].holder == "new");
  const bool is_new_round = phase == Phase::kClosing;
  CHECK(record->round == round + (is_new_round ? 1 : 0));
  CHECK(record->parts[1].step == (is_new_round ? Step::kAtWork : Step::kClosed));
}

TEST_CASE("The flip that is prepared does not look like a change of the CRD", "[migrate][shards]") {
  std::optional<ShardRecord> record = Record(Phase::kFlipping, Step::kClosed, Step::kClosed);
  CHECK(IsFlipOf(*record, Crd(4, false)));
  CHECK_FALSE(IsFlipOf(*record, Crd(4, true)));
  CHECK_FALSE(IsFlipOf(*record, Crd(3, false)));
  CHECK_FALSE(IsFlipOf(*record, Crd(5, false)));
  CHECK(Arrive(record, Coming(0, Crd(4, false))) == ArrivalVerdict::kTakesPart);
  CHECK(record->run == 1);
  NoteFlip(*record, 4, "77");
  CHECK(record->phase == Phase::kRewriting);
  CHECK(record->generation == 4);
  CHECK(record->flip_resource_version == "77");
  CHECK_FALSE(IsFlipOf(*record, Crd(5, false)));
}

TEST_CASE("A new round leaves what is open, and has made anew what was closed",
          "[migrate][shards]") {
  ShardRecord record = Record(Phase::kClosing, Step::kBackedUp, Step::kClosed);
  OpenRound(record);
  CHECK(record.phase == Phase::kPreparing);
  CHECK(record.round == 2);
  CHECK(record.parts[0].step == Step::kBackedUp);
  CHECK(record.parts[1].step == Step::kAtWork);
}

TEST_CASE("How a shard ended keeps who it was, and its backup", "[migrate][shards]") {
  ShardRecord record = Record(Phase::kRewriting, Step::kAtWork, Step::kAtWork);
  NoteClosedBackup(record, 0, "/backup");
  NoteResult(record, 0, {.step = Step::kDone, .is_verified = true});
  CHECK(record.parts[0] ==
        ShardPart{.step = Step::kDone, .holder = "a", .backup = "/backup", .is_verified = true});
}

}  // namespace shard_changes_test
}  // namespace migrate::shards
