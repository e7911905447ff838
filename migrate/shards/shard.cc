#include "migrate/shards/shard.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kube/go/go_format.h"
#include "migrate/disk/stable_hash.h"

namespace migrate::shards {
namespace {

using kube::base::Unexpected;

std::optional<int> ReadWhole(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool Shard::Has(std::string_view uid) const {
  if (is_all()) return true;
  return disk::StableHash(uid) % static_cast<std::uint64_t>(count) ==
         static_cast<std::uint64_t>(number);
}

std::uint64_t ShareOf(const Shard& shard, std::uint64_t objects) {
  return objects / static_cast<std::uint64_t>(shard.count);
}

std::string TextOf(const Shard& shard) {
  return std::to_string(shard.number) + "/" + std::to_string(shard.count);
}

kube::base::Result<Shard, std::string> ReadShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return Unexpected(std::string("must be the number of a shard and how many there are, as 3/16"));
  }
  return ReadShard(text.substr(0, slash), text.substr(slash + 1));
}

kube::base::Result<Shard, std::string> ReadShard(std::string_view number, std::string_view count) {
  const std::optional<int> shards = ReadWhole(count);
  if (!shards || *shards < 1 || *shards > kMostShards) {
    return Unexpected("there may be 1 to " + std::to_string(kMostShards) + " shards, not " +
                      kube::go::GoQuote(count));
  }
  const std::optional<int> shard = ReadWhole(number);
  if (!shard || *shard < 0 || *shard >= *shards) {
    return Unexpected("of " + std::to_string(*shards) + " shards the numbers are 0 to " +
                      std::to_string(*shards - 1) + ", not " + kube::go::GoQuote(number));
  }
  return Shard{*shard, *shards};
}

}  // namespace migrate::shards
