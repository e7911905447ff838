#include "kube/schema/dropped_metadata.h"

#include <string_view>
#include <utility>

#include "kube/schema/object_meta.h"

namespace kube::schema {
namespace {

using json::Value;

bool SaysNothing(const Value& value) {
  if (value.is_string()) return value.text().empty();
  if (value.is_object() || value.is_array()) return value.size() == 0;
  return value.is_null() || (value.is_number() && json::AsInt64(value) == 0);
}

// What is there before and not afterwards. Below the fields of ObjectMeta and of the elements of
// its two lists everything stays as it is, or goes with its field.
class MetadataComparison {
 public:
  void Compare(const Value& before, const Value& after, std::string_view list = {}) {
    if (!before.is_object() || !after.is_object()) return;
    for (const json::Member& member : before.members()) {
      const std::string_view name = member.key.text();
      way_.push_back({name, 0, false});
      if (const Value* kept = after.Find(name)) {
        if (list.empty()) CompareElements(name, member.value, *kept);
      } else if (!SaysNothing(member.value) || !IsObjectMetaField(name, list)) {
        dropped.push_back({way_, &member.value});
      }
      way_.pop_back();
    }
  }
  std::vector<DroppedMetadata> dropped;

 private:
  void CompareElements(std::string_view name, const Value& before, const Value& after) {
    if (name != "ownerReferences" && name != "managedFields") return;
    if (!before.is_array() || !after.is_array() || before.size() != after.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      way_.push_back({{}, i, true});
      Compare(before.elements()[i], after.elements()[i], name);
      way_.pop_back();
    }
  }

  std::vector<PathElement> way_;
};

}  // namespace

std::vector<DroppedMetadata> FindDroppedMetadata(const Value& metadata) {
  json::Arena arena;
  Value holder = Value::Object();
  holder.Set("metadata", metadata, arena);
  const auto read = GetObjectMeta(holder, /*drop_invalid_fields=*/true, arena);
  if (!read || !*read) return {};
  MetadataComparison comparison;
  comparison.Compare(metadata, (*read)->metadata);
  return std::move(comparison.dropped);
}

}  // namespace kube::schema
