#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "migrate/shards/shard.h"
#include "migrate/shards/shard_record.h"

/// The changes that shards make of what they share. Each is written for the version that it was
/// made of, or not at all. No I/O.
namespace migrate::shards {

/// The CRD as a shard sees it.
struct SeenCrd {
  std::string uid;
  std::int64_t generation = 0;
  bool preserves_unknown_fields = false;
  std::string storage_version;
  std::vector<std::string> stored_versions{};
};

/// A shard that comes, for the first time or after it was lost.
struct ShardArrival {
  Shard shard;
  std::string identity;  ///< lease::IdentityOf; of no other program
  std::string purpose;   ///< ShardRecord::purpose
  SeenCrd crd;
};

enum class ArrivalVerdict {
  kTakesPart,
  kOtherRun,  ///< shards of another count, or with other flags, are at it
  kOldCrd,    ///< others know a later generation of the CRD: it is to be read again
};

/// The CRD is what the flip that `record` prepares makes of it: whoever asked for it.
bool IsFlipOf(const ShardRecord& record, const SeenCrd& crd);

/// Takes part in `record`; absent: there is none. Begins anew where there is none, where it has
/// ended, or is for another CRD or an earlier generation of it. What a shard had open before it was
/// lost is gone; what it has done stays done. Only with kTakesPart `record` is changed.
ArrivalVerdict Arrive(std::optional<ShardRecord>& record, const ShardArrival& arrival);

// What follows is to be made where NextStep (shard_step.h) says so.

void NoteOpenBackup(ShardRecord& record, int shard);
void BeginClosing(ShardRecord& record);
/// `backup`: ShardPart::backup.
void NoteClosedBackup(ShardRecord& record, int shard, const std::string& backup);
/// Backups that were closed are of no use any more: who wrote since is not in them.
void OpenRound(ShardRecord& record);
void BeginFlip(ShardRecord& record);
/// Pruning is on. `resource_version`: ShardRecord::flip_resource_version.
void NoteFlip(ShardRecord& record, std::int64_t generation, const std::string& resource_version);
/// How a shard has ended: kDone or kFailed, with all that is told of it. Its holder stays.
void NoteResult(ShardRecord& record, int shard, ShardPart result);
/// `kept_because`: ShardRecord::kept_because.
void NoteEnd(ShardRecord& record, const std::string& kept_because);

}  // namespace migrate::shards
