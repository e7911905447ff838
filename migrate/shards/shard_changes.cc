#include "migrate/shards/shard_changes.h"

#include <cstddef>
#include <utility>

namespace migrate::shards {
namespace {

using Phase = ShardRecord::Phase;
using Step = ShardPart::Step;

bool IsBeforeFlip(Phase phase) {
  return phase == Phase::kPreparing || phase == Phase::kClosing || phase == Phase::kFlipping;
}

ShardPart& PartOf(ShardRecord& record, int shard) {
  return record.parts.at(static_cast<std::size_t>(shard));
}

bool IsOver(const ShardRecord& record, const SeenCrd& crd) {
  if (record.phase == Phase::kEnded || record.crd_uid != crd.uid) return true;
  return record.generation < crd.generation && !IsFlipOf(record, crd);
}

ShardRecord NewRecord(const ShardArrival& arrival, std::int64_t run) {
  ShardRecord record{.crd_uid = arrival.crd.uid,
                     .generation = arrival.crd.generation,
                     .storage_version = arrival.crd.storage_version,
                     .purpose = arrival.purpose,
                     .stored_before = arrival.crd.stored_versions,
                     .run = run,
                     .parts = {}};
  record.phase = arrival.crd.preserves_unknown_fields ? Phase::kPreparing : Phase::kRewriting;
  record.parts.resize(static_cast<std::size_t>(arrival.shard.count));
  return record;
}

/// What has become of a part whose program is another one now.
void TakeOver(ShardRecord& record, ShardPart& part) {
  switch (part.step) {
    case Step::kDone:
      return;
    case Step::kClosed:
      // The flip may be on its way, for which it has done what it had to.
      if (record.phase == Phase::kFlipping) return;
      if (record.phase == Phase::kClosing) OpenRound(record);
      break;
    case Step::kBackedUp:
      if (record.phase == Phase::kClosing) OpenRound(record);
      break;
    case Step::kAbsent:
    case Step::kAtWork:
    case Step::kFailed:
      break;
  }
  part.step = Step::kAtWork;
  part.error.clear();
}

}  // namespace

bool IsFlipOf(const ShardRecord& record, const SeenCrd& crd) {
  return IsBeforeFlip(record.phase) && !crd.preserves_unknown_fields && record.crd_uid == crd.uid &&
         record.generation + 1 == crd.generation;
}

ArrivalVerdict Arrive(std::optional<ShardRecord>& record, const ShardArrival& arrival) {
  if (!record || IsOver(*record, arrival.crd)) {
    record = NewRecord(arrival, record ? record->run + 1 : 1);
  } else if (record->generation > arrival.crd.generation) {
    return ArrivalVerdict::kOldCrd;
  } else if (record->purpose != arrival.purpose ||
             record->parts.size() != static_cast<std::size_t>(arrival.shard.count)) {
    return ArrivalVerdict::kOtherRun;
  }
  ShardPart& part = PartOf(*record, arrival.shard.number);
  part.holder = arrival.identity;
  TakeOver(*record, part);
  return ArrivalVerdict::kTakesPart;
}

void NoteOpenBackup(ShardRecord& record, int shard) {
  PartOf(record, shard).step = Step::kBackedUp;
}

void BeginClosing(ShardRecord& record) { record.phase = Phase::kClosing; }

void NoteClosedBackup(ShardRecord& record, int shard, const std::string& backup) {
  ShardPart& part = PartOf(record, shard);
  part.step = Step::kClosed;
  part.backup = backup;
}

void OpenRound(ShardRecord& record) {
  record.phase = Phase::kPreparing;
  ++record.round;
  for (ShardPart& part : record.parts) {
    if (part.step == Step::kClosed) part.step = Step::kAtWork;
  }
}

void BeginFlip(ShardRecord& record) { record.phase = Phase::kFlipping; }

void NoteFlip(ShardRecord& record, std::int64_t generation, const std::string& resource_version) {
  record.phase = Phase::kRewriting;
  record.generation = generation;
  record.flip_resource_version = resource_version;
}

void NoteResult(ShardRecord& record, int shard, ShardPart result) {
  ShardPart& part = PartOf(record, shard);
  result.holder = std::move(part.holder);
  if (result.backup.empty()) result.backup = std::move(part.backup);
  part = std::move(result);
}

void NoteEnd(ShardRecord& record, const std::string& kept_because) {
  record.phase = Phase::kEnded;
  record.kept_because = kept_because;
}

}  // namespace migrate::shards
