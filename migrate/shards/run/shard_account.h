#pragma once

#include "migrate/report/migration_report.h"
#include "migrate/shards/shard.h"
#include "migrate/shards/shard_record.h"

/// What a run over one shard tells the others, and takes from them for its report.
namespace migrate::shards::run {

/// How a run has ended with its objects: kDone where none failed, else kFailed.
ShardPart PartOf(const report::CrdMigration& report);

/// The same back, for the report of a run that finds its part done by an earlier one.
void TakePart(const ShardPart& part, report::CrdMigration& report);

/// What is known of all shards.
report::ShardFacts FactsOf(const Shard& shard, const ShardRecord& record);

/// As if one run had done what all shards have: by which it is decided whether storedVersions may
/// be trimmed.
report::CrdMigration WholeOf(const report::CrdMigration& report, const ShardRecord& record);

}  // namespace migrate::shards::run
