#pragma once

#include <cstdint>
#include <string>

#include "migrate/report/migration_report.h"
#include "migrate/shards/run/shard_run.h"

namespace migrate::shards::run {

/// What the migration of one shard has others do: with its objects and the CRD. False: that has
/// ended the run, and the report says why.
class ShardWork {
 public:
  virtual ~ShardWork() = default;

  /// That of the CRD as it was read.
  virtual std::int64_t ReadGeneration() const = 0;
  /// Reads the CRD, and all that was found out by it, again.
  virtual bool BeginAnew() = 0;
  /// Pruning is on, and the shard's objects were backed up to `backup`: it is known which objects
  /// that lacks, or nobody minds.
  virtual bool KnowsBackup(const std::string& backup) = 0;
  /// Turns pruning on where that is asked for, rewrites the objects of the shard and verifies that.
  virtual bool DoShard() = 0;
  /// An earlier program has done that.
  virtual void TakeEarlierShard() = 0;
  /// Why status.storedVersions is to stay as it is, of the report of all shards together; empty: it
  /// is not.
  virtual std::string WhyKeptOf(const report::CrdMigration& whole) const = 0;
  /// Trims status.storedVersions unless the report says why not.
  virtual bool EndShards() = 0;
};

/// Takes part, once no other program is at the shard. False: it cannot, and `report` says why.
bool BeginShard(ShardRun& run, report::CrdMigration& report);

/// Migrates the shard that has begun, and all that shards do together as far as it falls to this
/// one; `report` is what became of both.
void MigrateShard(ShardRun& run, ShardWork& work, report::CrdMigration& report);

}  // namespace migrate::shards::run
