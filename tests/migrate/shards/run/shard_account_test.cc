#include "migrate/shards/run/shard_account.h"

#include <catch2/catch.hpp>

namespace migrate::shards::run {
namespace shard_account_test {

using report::ObjectClass;
using report::Outcome;
using shards::ShardRecord;
using Step = shards::ShardPart::Step;

report::CrdMigration Report(ObjectClass object_class, std::uint64_t objects) {
  report::CrdMigration report;
  report.name = "widgets.demo.example.com";
  report.counts[object_class] = objects;
  report.backup = "/backup";
  report.verified = true;
  return report;
}

TEST_CASE("A run without failures is done, and what it tells is the next one's",
          "[migrate][shards]") {
  report::CrdMigration report = Report(ObjectClass::kRewritten, 7);
  report.before_flip.emplace()[ObjectClass::kUnchanged] = 7;
  const shards::ShardPart part = PartOf(report);
  CHECK(part.step == Step::kDone);
  CHECK(part.is_verified);
  CHECK(part.error.empty());
  report::CrdMigration next;
  TakePart(part, next);
  CHECK(next.counts[ObjectClass::kRewritten] == 7);
  REQUIRE(next.before_flip);
  CHECK((*next.before_flip)[ObjectClass::kUnchanged] == 7);
  CHECK(next.verified);
  CHECK(next.backup == "/backup");
}

TEST_CASE("A run with failures, or an error, is not done", "[migrate][shards]") {
  report::CrdMigration report = Report(ObjectClass::kRewritten, 7);
  SECTION("an object failed") { report = Report(ObjectClass::kInvalid, 1); }
  SECTION("it is held") { report = Report(ObjectClass::kHeld, 1); }
  SECTION("verifying failed") { report.outcome = Outcome::kFailures; }
  SECTION("it could not go on") {
    report.outcome = Outcome::kError;
    report.error.assign(100'000, 'x');
  }
  const shards::ShardPart part = PartOf(report);
  CHECK(part.step == Step::kFailed);
  CHECK(part.error.size() < 600);
}

TEST_CASE("The whole is what all shards have done", "[migrate][shards]") {
  ShardRecord record{.crd_uid = "u", .storage_version = "v1", .purpose = "", .parts = {}};
  record.parts = {PartOf(Report(ObjectClass::kRewritten, 3)),
                  PartOf(Report(ObjectClass::kUnchanged, 4))};
  const report::CrdMigration own = Report(ObjectClass::kUnchanged, 4);
  CHECK(WholeOf(own, record).counts.Total() == 7);
  CHECK(WholeOf(own, record).verified);
  const report::ShardFacts facts = FactsOf({1, 2}, record);
  CHECK(facts.number == 1);
  CHECK(facts.count == 2);
  CHECK(facts.missing.empty());
  REQUIRE(facts.counts.size() == 2);
  CHECK(facts.counts[0][ObjectClass::kRewritten] == 3);
  record.parts[0].is_verified = false;
  CHECK_FALSE(WholeOf(own, record).verified);
  record.parts[0] = {};
  CHECK_FALSE(WholeOf(own, record).verified);
  CHECK(FactsOf({1, 2}, record).missing == "shard 0 has not come");
}

}  // namespace shard_account_test
}  // namespace migrate::shards::run
