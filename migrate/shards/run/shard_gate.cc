#include "migrate/shards/run/shard_gate.h"

#include <utility>

namespace migrate::shards::run {

flip::FlipGate::Answer ShardGate::WaitToClose(const std::function<bool()>& keep_current) {
  turns_.OnOpen();
  return Take(turns_.Next(keep_current), Turn::Kind::kClose);
}

flip::FlipGate::Answer ShardGate::WaitToFlip(const std::string& backup) {
  turns_.OnClosed(turn_, backup);
  return Take(turns_.Next(), Turn::Kind::kFlip);
}

std::optional<std::string> ShardGate::FindLoss() {
  if (auto loss = turns_.FindLoss()) return loss;
  if (turns_.leads()) return std::nullopt;
  return "another shard has taken that over";
}

// What comes of it otherwise is found by the turn that is asked for behind the rewrite.
void ShardGate::OnFlip(const std::string& resource_version) {
  turns_.OnFlip(resource_version);
  turn_ = turns_.Next();
}

flip::FlipGate::Answer ShardGate::Take(Turn turn, Turn::Kind wanted) {
  turn_ = std::move(turn);
  if (turn_.kind == wanted) return {};
  switch (turn_.kind) {
    case Turn::Kind::kPrepare:
      return {.way = Way::kBackUpAnew};
    case Turn::Kind::kRewrite:
      return {.way = Way::kIsFlipped,
              .resource_version = turn_.record.flip_resource_version,
              .generation = turn_.record.generation};
    case Turn::Kind::kInterrupted:
      return {.way = Way::kEnd,
              .outcome = report::Outcome::kInterrupted,
              .error = "interrupted before pruning was turned on"};
    default:
      return {.way = Way::kEnd,
              .outcome = report::Outcome::kError,
              .error = "pruning was not turned on: " + turn_.error};
  }
}

}  // namespace migrate::shards::run
