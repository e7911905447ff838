#include "migrate/shards/shard_step.h"

#include <cstddef>

namespace migrate::shards {
namespace {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;

ShardStep WhilePreparing(const ShardRecord& record, const ShardPart& part,
                         const ShardSituation& situation) {
  if (part.step == Step::kFailed) return ShardStep::kLeave;
  if (!situation.has_open_backup) return ShardStep::kPrepare;
  if (part.step != Step::kBackedUp) return ShardStep::kNoteOpen;
  if (!AreAll(record, Step::kBackedUp)) return ShardStep::kWait;
  return situation.is_leader ? ShardStep::kBeginClosing : ShardStep::kWaitForLeader;
}

ShardStep WhileClosing(const ShardRecord& record, const ShardPart& part,
                       const ShardSituation& situation) {
  if (situation.is_leader && situation.led_round != record.round) return ShardStep::kReopen;
  const bool has_closed = situation.closed_round == record.round;
  if (part.step == Step::kBackedUp && situation.has_open_backup) return ShardStep::kClose;
  if (part.step == Step::kBackedUp && has_closed) return ShardStep::kNoteClosed;
  // Who has lost its backup cannot close it.
  if (part.step != Step::kClosed || !has_closed) return ShardStep::kReopen;
  if (!AreAll(record, Step::kClosed)) return ShardStep::kWait;
  return situation.is_leader ? ShardStep::kFlip : ShardStep::kWaitForLeader;
}

ShardStep WhileRewriting(const ShardRecord& record, const ShardPart& part,
                         const ShardSituation& situation) {
  if (part.step == Step::kFailed) return ShardStep::kLeave;
  if (part.step != Step::kDone) {
    return situation.has_result ? ShardStep::kNoteResult : ShardStep::kRewrite;
  }
  if (!AreAll(record, Step::kDone)) return ShardStep::kLeave;
  return situation.is_leader ? ShardStep::kEnd : ShardStep::kWaitForLeader;
}

}  // namespace

ShardStep NextStep(const ShardRecord& record, const ShardSituation& situation) {
  const auto number = static_cast<std::size_t>(situation.shard);
  if (record.run != situation.run || number >= record.parts.size()) return ShardStep::kAbandon;
  const ShardPart& part = record.parts[number];
  if (part.holder != situation.identity) return ShardStep::kAbandon;
  if (record.phase == Phase::kEnded) return ShardStep::kLeave;
  if (record.phase == Phase::kRewriting) return WhileRewriting(record, part, situation);
  if (IsFlipOf(record, situation.crd)) {
    return situation.is_leader ? ShardStep::kNoteFlip : ShardStep::kWaitForLeader;
  }
  if (record.phase == Phase::kPreparing) return WhilePreparing(record, part, situation);
  if (record.phase == Phase::kClosing) return WhileClosing(record, part, situation);
  return situation.is_leader ? ShardStep::kReopen : ShardStep::kWaitForLeader;
}

std::string DescribeWait(ShardStep step, const ShardRecord& record) {
  if (step == ShardStep::kWaitForLeader) return "the shard that leads, which has the next step";
  return DescribeMissing(record,
                         record.phase == Phase::kPreparing ? Step::kBackedUp : Step::kClosed);
}

}  // namespace migrate::shards
