#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/report/object_class.h"

namespace migrate::shards {

/// What all know of one shard.
struct ShardPart {
  enum class Step : std::uint8_t {
    kAbsent,    ///< has never come
    kAtWork,    ///< on its objects, before the flip up to its backup, or behind it
    kBackedUp,  ///< its backup has all of its objects, and is kept current
    kClosed,    ///< its backup is on the disk, and nothing more comes to it: the flip may be
    kDone,      ///< no object failed
    kFailed,    ///< some did, or it gave up: `error` says why; it may come again
  };

  Step step = Step::kAbsent;
  std::string holder{};  ///< who is, or was, at it last (lease::IdentityOf)
  std::string backup{};  ///< path on its machine; empty: it needs none
  report::ClassCounts counts{};
  std::optional<report::ClassCounts> before_flip{};  ///< where it rewrote before the flip
  bool is_verified = false;                          ///< with kDone: a pass over all rewrote none
  std::string error{};                               ///< with kFailed; shortened
  double seconds = 0;

  bool operator==(const ShardPart&) const;
};

/// What the shards of a migration share, in a ConfigMap, each of whose writes is for the version
/// that was read before it. Nothing else tells one shard of another, but their Leases.
struct ShardRecord {
  enum class Phase : std::uint8_t {
    kPreparing,  ///< pruning is off; each shard rewrites what has to be before, and backs up
    kClosing,    ///< all had backed up: each closes its backup
    kFlipping,   ///< all had closed: pruning is, or was about to be, turned on
    kRewriting,  ///< pruning is on: each rewrites its objects and verifies that
    kEnded,      ///< all have done so, and the last one did what was left to do
  };

  std::string crd_uid;
  std::int64_t generation = 0;  ///< of the CRD, as of the phase
  std::string storage_version;
  std::string purpose;                       ///< a text of all flags that they have to agree on
  std::vector<std::string> stored_before{};  ///< status.storedVersions when the first one came
  std::int64_t run = 1;                      ///< greater where it was begun anew
  std::int64_t round = 1;                    ///< of backups, since a flip did not follow on one
  Phase phase = Phase::kPreparing;
  std::string flip_resource_version{};  ///< of the CRD as the flip's answer had it; empty: unknown
  std::string
      kept_because{};  ///< with kEnded: why storedVersions was left alone; empty: it was not
  std::vector<ShardPart> parts;  ///< one each

  bool operator==(const ShardRecord&) const = default;
};

std::string_view PhaseName(ShardRecord::Phase phase);  ///< "preparing"
std::string_view PartStepName(ShardPart::Step step);   ///< "backed-up"

/// Every shard has come to this step.
bool AreAll(const ShardRecord& record, ShardPart::Step step);
/// Every shard is kDone, and verified.
bool AreAllVerified(const ShardRecord& record);
/// Of all shards together.
report::ClassCounts TotalOf(const ShardRecord& record);
/// Which shards have not come to `step` yet: "shards 5 and 7 have not come; shard 3 is at-work
/// (alice@bastion (process 4711))". Empty: all have.
std::string DescribeMissing(const ShardRecord& record, ShardPart::Step step);

}  // namespace migrate::shards
