#include "migrate/shards/run/shard_account.h"

#include <cstddef>

#include "kube/base/utf8.h"

namespace migrate::shards::run {
namespace {

using Step = ShardPart::Step;

// All shards' together have to fit into a ConfigMap.
constexpr std::size_t kMostOfAnError = 500;

}  // namespace

ShardPart PartOf(const report::CrdMigration& report) {
  const bool is_clean = report.outcome == report::Outcome::kDone && report.counts.Failures() == 0;
  return {.step = is_clean ? Step::kDone : Step::kFailed,
          .backup = report.backup,
          .counts = report.counts,
          .before_flip = report.before_flip,
          .is_verified = report.verified,
          .error = is_clean ? "" : kube::base::utf8::Shortened(report.error, kMostOfAnError)};
}

void TakePart(const ShardPart& part, report::CrdMigration& report) {
  report.counts = part.counts;
  report.before_flip = part.before_flip;
  report.verified = part.is_verified;
  report.backup = part.backup;
}

report::ShardFacts FactsOf(const Shard& shard, const ShardRecord& record) {
  report::ShardFacts facts{.number = shard.number,
                           .count = shard.count,
                           .missing = DescribeMissing(record, Step::kDone)};
  for (const ShardPart& part : record.parts) facts.counts.push_back(part.counts);
  return facts;
}

report::CrdMigration WholeOf(const report::CrdMigration& report, const ShardRecord& record) {
  report::CrdMigration whole = report;
  whole.counts = TotalOf(record);
  whole.verified = AreAllVerified(record);
  return whole;
}

}  // namespace migrate::shards::run
