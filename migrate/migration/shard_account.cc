#include "migrate/migration/shard_account.h"

#include <cstddef>

#include "kube/base/utf8.h"

namespace migrate::migration {
namespace {

using Step = shards::ShardPart::Step;

// All shards' together have to fit into a ConfigMap.
constexpr std::size_t kMostOfAnError = 500;

}  // namespace

shards::ShardPart PartOf(const report::CrdMigration& report) {
  const bool is_clean = report.outcome == report::Outcome::kDone && report.counts.Failures() == 0;
  return {.step = is_clean ? Step::kDone : Step::kFailed,
          .backup = report.backup,
          .counts = report.counts,
          .before_flip = report.before_flip,
          .is_verified = report.verified,
          .error = is_clean ? "" : kube::base::utf8::Shortened(report.error, kMostOfAnError)};
}

void TakePart(const shards::ShardPart& part, report::CrdMigration& report) {
  report.counts = part.counts;
  report.before_flip = part.before_flip;
  report.verified = part.is_verified;
  report.backup = part.backup;
}

report::ShardFacts FactsOf(const shards::Shard& shard, const shards::ShardRecord& record) {
  report::ShardFacts facts{.number = shard.number,
                           .count = shard.count,
                           .missing = shards::DescribeMissing(record, Step::kDone)};
  for (const shards::ShardPart& part : record.parts) facts.counts.push_back(part.counts);
  return facts;
}

report::CrdMigration WholeOf(const report::CrdMigration& report,
                             const shards::ShardRecord& record) {
  report::CrdMigration whole = report;
  whole.counts = shards::TotalOf(record);
  whole.verified = shards::AreAllVerified(record);
  return whole;
}

}  // namespace migrate::migration
