#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/base/result.h"

/// A migration of one CRD as several programs, each of which has a share of the objects.
namespace migrate::shards {

/// More would wait for each other's writes to what they share.
inline constexpr int kMostShards = 256;

/// One of `count` shares of all objects of a CRD. Each object is in exactly one, by its uid, on
/// every machine and in every release.
struct Shard {
  int number = 0;  ///< from 0, as a Job of completionMode Indexed numbers its pods
  int count = 1;

  bool Has(std::string_view uid) const;
  bool is_all() const { return count == 1; }
  bool operator==(const Shard&) const = default;
};

/// How many of so many objects it has, about.
std::uint64_t ShareOf(const Shard& shard, std::uint64_t objects);

/// "3/16".
std::string TextOf(const Shard& shard);

/// Reads "3/16". The error says what is wrong, for people.
kube::base::Result<Shard, std::string> ReadShard(std::string_view text);

/// The same of the number and the count by themselves, as a Job gives them.
kube::base::Result<Shard, std::string> ReadShard(std::string_view number, std::string_view count);

}  // namespace migrate::shards
