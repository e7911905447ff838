#include "kube/schema/dropped_metadata.h"

#include <algorithm>
#include <string>

#include "kube/schema/object_meta.h"

namespace kube::schema {
namespace {

using json::Value;

bool SaysNothing(const Value& value) {
  if (value.is_string()) return value.text().empty();
  if (value.is_object() || value.is_array()) return value.size() == 0;
  return value.is_null() || (value.is_number() && json::AsInt64(value) == 0);
}

// What is there before and not afterwards.
class MetadataComparison {
 public:
  explicit MetadataComparison(const std::vector<std::string>& unknown) : unknown_(unknown) {}

  void Compare(const Value& before, const Value& after, const std::string& path) {
    if (before.is_object() && after.is_object()) {
      for (const json::Member& member : before.members()) CompareMember(member, after, path);
    } else if (before.is_array() && after.is_array() && before.size() == after.size()) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        way_.push_back({{}, i, true});
        Compare(before.elements()[i], after.elements()[i], path + "[" + std::to_string(i) + "]");
        way_.pop_back();
      }
    }
  }
  std::vector<DroppedMetadata> dropped;

 private:
  void CompareMember(const json::Member& member, const Value& after, const std::string& path) {
    const std::string below = path + "." + std::string(member.key.text());
    way_.push_back({member.key.text(), 0, false});
    if (const Value* kept = after.Find(member.key.text())) {
      Compare(member.value, *kept, below);
    } else if (!SaysNothing(member.value) || std::ranges::binary_search(unknown_, below)) {
      dropped.push_back({way_, &member.value});
    }
    way_.pop_back();
  }

  const std::vector<std::string>& unknown_;  // sorted
  std::vector<PathElement> way_;
};

}  // namespace

std::vector<DroppedMetadata> FindDroppedMetadata(const Value& metadata) {
  json::Arena arena;
  Value holder = Value::Object();
  holder.Set("metadata", metadata, arena);
  const auto read = GetObjectMeta(holder, /*drop_invalid_fields=*/true, arena);
  if (!read || !*read) return {};
  MetadataComparison comparison((*read)->unknown_field_paths);
  comparison.Compare(metadata, (*read)->metadata, "metadata");
  return std::move(comparison.dropped);
}

}  // namespace kube::schema
