#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "migrate/shards/record_store.h"
#include "migrate/shards/run/crd_glance.h"
#include "migrate/shards/run/shard_gate.h"
#include "migrate/shards/shard_turns.h"

namespace migrate::shards::run {

/// The CRD of a run over one shard.
struct ShardedCrd {
  std::string name, uid;
  std::string target;  ///< its path
};

/// How the run goes on; each as in ShardTurnsOptions.
struct ShardRunOptions {
  Shard shard;
  std::string purpose;
  lease::LeaseOptions lease;
  std::vector<std::string> earlier_identities;
  std::chrono::nanoseconds patience;
};

/// What a run over one shard of the objects of a CRD has to do with the others.
class ShardRun {
 public:
  /// What `session` refers to must outlive it.
  ShardRun(const ShardedCrd& crd, ShardRunOptions options, const kube::client::Session& session,
           ShardTurns::TellFunction tell);
  ShardRun(const ShardRun&) = delete;
  ShardRun& operator=(const ShardRun&) = delete;

  const Shard& shard() const { return shard_; }
  ShardTurns& turns() { return turns_; }
  flip::FlipGate& gate() { return gate_; }

 private:
  const Shard shard_;
  CrdGlance glance_;
  RecordStore records_;
  ShardTurns turns_;
  ShardGate gate_;
};

}  // namespace migrate::shards::run
