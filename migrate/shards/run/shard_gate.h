#pragma once

#include <functional>
#include <optional>
#include <string>

#include "migrate/flip/flip_gate.h"
#include "migrate/shards/shard_turns.h"

namespace migrate::shards::run {

/// The other shards of a migration, on the way to the flip: by the turns that a shard is given.
class ShardGate : public flip::FlipGate {
 public:
  /// `turns` must outlive it; the last of them was Turn::Kind::kPrepare.
  explicit ShardGate(ShardTurns& turns) : turns_(turns) {}

  Answer WaitToClose(const std::function<bool()>& keep_current) override;
  Answer WaitToFlip(const std::string& backup) override;
  std::optional<std::string> FindLoss() override;
  /// Tells the others at once, which go on by it.
  void OnFlip(const std::string& resource_version) override;

 private:
  Answer Take(Turn turn, Turn::Kind wanted);

  ShardTurns& turns_;
  Turn turn_;  // the last one
};

}  // namespace migrate::shards::run
