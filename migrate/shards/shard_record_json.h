#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/shards/shard_record.h"

namespace migrate::shards {

/// `record` as a ConfigMap holds it: JSON, which people may read too.
std::string PrintShardRecord(const ShardRecord& record);

/// What a ConfigMap says; absent where it is none that PrintShardRecord wrote (changed by hand, or
/// of another release).
std::optional<ShardRecord> ReadShardRecord(std::string_view text);

}  // namespace migrate::shards
