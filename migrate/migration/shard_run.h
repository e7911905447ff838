#pragma once

#include <string>
#include <vector>

#include "migrate/migration/crd_glance.h"
#include "migrate/migration/migration.h"
#include "migrate/migration/shard_gate.h"
#include "migrate/shards/record_store.h"
#include "migrate/shards/shard_turns.h"

namespace migrate::migration {

/// The CRD of a run over one shard.
struct ShardedCrd {
  std::string name, uid;
  std::string target;  ///< its path
};

/// What a run over one shard of the objects of a CRD has to do with the others.
class ShardRun {
 public:
  /// `earlier` as shards::ShardTurnsOptions::earlier_identities. All must outlive it.
  ShardRun(const ShardedCrd& crd, const MigrationOptions& options,
           const std::vector<std::string>& earlier, const kube::client::Session& session,
           shards::ShardTurns::TellFunction tell);
  ShardRun(const ShardRun&) = delete;
  ShardRun& operator=(const ShardRun&) = delete;

  shards::ShardTurns& turns() { return turns_; }
  flip::FlipGate& gate() { return gate_; }

 private:
  CrdGlance glance_;
  shards::RecordStore records_;
  shards::ShardTurns turns_;
  ShardGate gate_;
};

}  // namespace migrate::migration
