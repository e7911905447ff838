#pragma once

#include <functional>
#include <optional>
#include <string>

#include "migrate/flip/flip_gate.h"
#include "migrate/shards/shard_turns.h"

namespace migrate::migration {

/// The other shards of a migration, on the way to the flip: by the turns that a shard is given.
class ShardGate : public flip::FlipGate {
 public:
  /// `turns` must outlive it; the last of them was shards::Turn::Kind::kPrepare.
  explicit ShardGate(shards::ShardTurns& turns) : turns_(turns) {}

  Answer WaitToClose(const std::function<bool()>& keep_current) override;
  Answer WaitToFlip(const std::string& backup) override;
  std::optional<std::string> FindLoss() override;
  /// Tells the others at once, which go on by it.
  void OnFlip(const std::string& resource_version) override;

 private:
  Answer Take(shards::Turn turn, shards::Turn::Kind wanted);

  shards::ShardTurns& turns_;
  shards::Turn turn_;  // the last one
};

}  // namespace migrate::migration
