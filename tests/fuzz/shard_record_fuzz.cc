#include "migrate/shards/shard_record_json.h"
#include "tests/fuzz/fuzz.h"

// What is read of a ConfigMap is read of what is printed of it, and what people are told of it is
// told of anything that can be read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using migrate::shards::ShardPart;
  const auto record = migrate::shards::ReadShardRecord(fuzz::Text(data, size));
  if (!record) return 0;
  fuzz::Require(migrate::shards::ReadShardRecord(migrate::shards::PrintShardRecord(*record)) ==
                record);
  const bool are_all = migrate::shards::AreAll(*record, ShardPart::Step::kDone);
  fuzz::Require(are_all ==
                migrate::shards::DescribeMissing(*record, ShardPart::Step::kDone).empty());
  return 0;
}
