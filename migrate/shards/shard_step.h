#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "migrate/shards/shard_changes.h"
#include "migrate/shards/shard_record.h"

namespace migrate::shards {

/// What a shard knows that is not in what all share.
struct ShardSituation {
  int shard = 0;
  std::string identity;          ///< as it has arrived
  std::int64_t run = 0;          ///< ShardRecord::run when it did
  bool is_leader = false;        ///< it holds the CRD's Lease
  SeenCrd crd;                   ///< as it is now
  bool has_open_backup = false;  ///< this program has backed up, and keeps that current
  /// The round in which this program has closed its backup; absent: it has not.
  std::optional<std::int64_t> closed_round{};
  /// The round in which this program, as the leader, began the closing; absent: it did not.
  std::optional<std::int64_t> led_round{};
  bool has_result = false;  ///< this program has come to an end with its objects
};

enum class ShardStep {
  kWait,           ///< for others; look again later
  kWaitForLeader,  ///< the same; a leader that has left has no successor until one looks
  kPrepare,        ///< rewrite what has to be before the flip, and back up; keep the backup current
  kNoteOpen,       ///< NoteOpenBackup
  kBeginClosing,   ///< BeginClosing
  kClose,          ///< close the backup, and write down what it knows
  kNoteClosed,     ///< NoteClosedBackup
  kReopen,         ///< OpenRound
  kFlip,           ///< BeginFlip, turn pruning on, NoteFlip
  kNoteFlip,       ///< NoteFlip: it was turned on, though nobody said so
  kRewrite,        ///< behind the flip: wait until servers prune, rewrite, verify
  kNoteResult,     ///< NoteResult
  kEnd,            ///< all are done: trim status.storedVersions, NoteEnd
  kLeave,          ///< there is nothing left to do for this one
  kAbandon,        ///< it was begun anew, or another program has taken this one's place
};

/// What is to be done next. Once that was done, or could not be noted as others were faster, it is
/// asked again, of what all share by then.
///
/// One leader alone moves on what concerns all: from preparing to closing, to the flip, behind it,
/// and to the end. A leader that finds backups closed under another one has them made anew, as
/// nobody knows since when they are closed; so does one that finds the flip announced and not made.
ShardStep NextStep(const ShardRecord& record, const ShardSituation& situation);

/// For whom a shard waits with kWait or kWaitForLeader, for people.
std::string DescribeWait(ShardStep step, const ShardRecord& record);

}  // namespace migrate::shards
