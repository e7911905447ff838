#include "migrate/shards/shard_record.h"

#include <catch2/catch.hpp>

#include "migrate/shards/shard.h"
#include "migrate/shards/shard_record_json.h"

namespace migrate::shards {
namespace shard_record_test {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;
using report::ObjectClass;

ShardRecord Record(std::vector<ShardPart> parts) {
  return {.crd_uid = "crd-uid",
          .generation = 3,
          .storage_version = "v1",
          .purpose = "--enable-pruning",
          .stored_before = {"v1beta1", "v1"},
          .run = 2,
          .round = 5,
          .phase = Phase::kRewriting,
          .flip_resource_version = "1234",
          .parts = std::move(parts)};
}

ShardPart Done(std::uint64_t rewritten) {
  ShardPart part{.step = Step::kDone, .holder = "a@h/1/0000000000000001", .is_verified = true};
  part.counts[ObjectClass::kRewritten] = rewritten;
  return part;
}

TEST_CASE("What shards share is read as it was written", "[migrate][shards]") {
  ShardPart failed{.step = Step::kFailed, .holder = "b", .backup = "/b/w.ndjson", .error = "x\ny"};
  failed.counts[ObjectClass::kInvalid] = 2;
  failed.before_flip.emplace()[ObjectClass::kUnchanged] = 7;
  failed.seconds = 1.5;
  ShardPart empty_before{.step = Step::kClosed};
  empty_before.before_flip.emplace();
  ShardRecord record = Record({Done(12), failed, empty_before, {}});
  for (const Phase phase :
       {Phase::kPreparing, Phase::kClosing, Phase::kFlipping, Phase::kRewriting, Phase::kEnded}) {
    record.phase = phase;
    const auto read = ReadShardRecord(PrintShardRecord(record));
    REQUIRE(read);
    CHECK(*read == record);
  }
}

TEST_CASE("The form that other releases read stays as it is", "[migrate][shards]") {
  CHECK(PrintShardRecord(Record({Done(12), {}})) ==
        R"({"format":"kubectl-prune-shards/v1","crdUID":"crd-uid","generation":3,)"
        R"("storageVersion":"v1","purpose":"--enable-pruning","storedBefore":["v1beta1","v1"],)"
        R"("run":2,"round":5,"phase":"rewriting","flipResourceVersion":"1234","shards":[)"
        R"({"step":"done","holder":"a@h/1/0000000000000001","counts":{"rewritten":12},)"
        R"("verified":true},{"step":"absent"}]})");
}

TEST_CASE("What nobody of us has written is not taken for it", "[migrate][shards]") {
  const std::string good = PrintShardRecord(Record({Done(12)}));
  const auto [from, to] = GENERATE(table<std::string, std::string>({
      {"shards/v1", "shards/v2"},
      {"rewriting", "resting"},
      {"\"done\"", "\"gone\""},
      {R"("rewritten":12)", R"("rewritten":-1)"},
      {R"("rewritten":12)", R"("rewriten":12)"},
      {R"("run":2)", R"("run":0)"},
      {R"("crdUID":"crd-uid",)", ""},
      {R"("shards":[)", R"("pieces":[)"},
      {"]}", ""},
  }));
  CAPTURE(from, to);
  std::string bad = good;
  const std::size_t at = bad.rfind(from);
  REQUIRE(at != std::string::npos);
  CHECK_FALSE(ReadShardRecord(bad.replace(at, from.size(), to)));
  CHECK_FALSE(ReadShardRecord(""));
  CHECK_FALSE(ReadShardRecord("[]"));
}

TEST_CASE("A record of the most shards fits into a ConfigMap", "[migrate][shards]") {
  ShardPart part = Done(~std::uint64_t{0} >> 1);
  part.holder.assign(240, 'x');
  part.backup.assign(200, 'y');
  for (std::size_t i = 0; i < report::kObjectClasses; ++i) {
    part.counts[static_cast<ObjectClass>(i)] = 1'000'000'000;
  }
  part.before_flip = part.counts;
  part.error.assign(500, 'z');
  const std::vector<ShardPart> parts(kMostShards, part);
  // What etcd takes is 1.5 MiB, what a ConfigMap may hold 1 MiB (apis/core MaxSecretSize).
  CHECK(PrintShardRecord(Record(parts)).size() < 1024 * 1024);
}

TEST_CASE("All counts together are those of the whole", "[migrate][shards]") {
  const ShardRecord record = Record({Done(12), Done(30)});
  CHECK(TotalOf(record)[ObjectClass::kRewritten] == 42);
  CHECK(TotalOf(record).Total() == 42);
}

TEST_CASE("All are verified where each is", "[migrate][shards]") {
  ShardRecord record = Record({Done(1), Done(2)});
  CHECK(AreAllVerified(record));
  record.parts[1].is_verified = false;
  CHECK_FALSE(AreAllVerified(record));
  CHECK(AreAll(record, Step::kDone));
  record.parts[1] = {.step = Step::kFailed, .is_verified = true};
  CHECK_FALSE(AreAllVerified(record));
}

TEST_CASE("Who is missing is named", "[migrate][shards]") {
  ShardPart at_work{.step = Step::kAtWork, .holder = "a@h/7/0000000000000001"};
  ShardPart failed{.step = Step::kFailed, .holder = "b", .error = "2 objects failed"};
  CHECK(DescribeMissing(Record({Done(1)}), Step::kDone).empty());
  CHECK(DescribeMissing(Record({Done(1), {}}), Step::kDone) == "shard 1 has not come");
  CHECK(DescribeMissing(Record({{}, at_work, Done(1), {}, failed}), Step::kDone) ==
        "shards 0, 3 have not come; shard 1 is at-work (a@h (process 7)); "
        "shard 4 is failed (\"b\"): 2 objects failed");
  CHECK(DescribeMissing(Record({{.step = Step::kClosed}, at_work}), Step::kBackedUp) ==
        "shard 1 is at-work (a@h (process 7))");
  CHECK(DescribeMissing(Record(std::vector<ShardPart>(16)), Step::kDone) ==
        "shards 0, 1, 2, 3, 4, 5, 6, 7 and 8 more have not come");
}

}  // namespace shard_record_test
}  // namespace migrate::shards
