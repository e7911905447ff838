#include "migrate/shards/shard.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace migrate::shards {
namespace shard_test {

std::string Uid(int number) {
  return "0d5e3f8a-0000-4000-8000-" + std::to_string(100'000 + number);
}

TEST_CASE("Each object is in exactly one shard", "[migrate][shards]") {
  const int count = GENERATE(1, 2, 3, 16, 256);
  std::vector<int> sizes(static_cast<std::size_t>(count));
  constexpr int kObjects = 20'000;
  for (int object = 0; object < kObjects; ++object) {
    int owners = 0;
    for (int number = 0; number < count; ++number) {
      if (!Shard{number, count}.Has(Uid(object))) continue;
      ++owners;
      ++sizes[static_cast<std::size_t>(number)];
    }
    if (owners != 1) FAIL("object " << object << " has " << owners << " owners of " << count);
  }
  // Shares differ by chance alone: of a mean m by some multiples of its root.
  const double mean = static_cast<double>(kObjects) / count;
  CHECK(*std::ranges::min_element(sizes) > mean - 6 * std::sqrt(mean));
  CHECK(*std::ranges::max_element(sizes) < mean + 6 * std::sqrt(mean));
}

TEST_CASE("A shard is named by its number and how many there are", "[migrate][shards]") {
  const auto shard = ReadShard("3/16");
  REQUIRE(shard);
  CHECK(*shard == Shard{3, 16});
  CHECK(TextOf(*shard) == "3/16");
  CHECK(*ReadShard("0", "1") == Shard{0, 1});
  CHECK(*ReadShard("255", "256") == Shard{255, 256});
}

TEST_CASE("What names no shard is refused", "[migrate][shards]") {
  const auto [text, error] = GENERATE(table<std::string, std::string>({
      {"", "must be the number of a shard and how many there are, as 3/16"},
      {"3", "must be the number of a shard and how many there are, as 3/16"},
      {"16/16", "of 16 shards the numbers are 0 to 15, not \"16\""},
      {"-1/16", "of 16 shards the numbers are 0 to 15, not \"-1\""},
      {"/16", "of 16 shards the numbers are 0 to 15, not \"\""},
      {"x/16", "of 16 shards the numbers are 0 to 15, not \"x\""},
      {"3/16/2", "there may be 1 to 256 shards, not \"16/2\""},
      {"3/0", "there may be 1 to 256 shards, not \"0\""},
      {"3/257", "there may be 1 to 256 shards, not \"257\""},
      {"3/", "there may be 1 to 256 shards, not \"\""},
  }));
  CAPTURE(text);
  const auto shard = ReadShard(text);
  REQUIRE_FALSE(shard);
  CHECK(shard.error() == error);
}

}  // namespace shard_test
}  // namespace migrate::shards
