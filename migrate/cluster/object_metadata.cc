#include "migrate/cluster/object_metadata.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <system_error>

namespace migrate::cluster {

std::uint64_t NumberOf(std::string_view resource_version) {
  std::uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto read = std::from_chars(resource_version.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? number : 0;
}

namespace {

using kube::json::Arena;
using kube::json::Member;
using kube::json::Value;

// An API server allows 253 bytes in a name.
constexpr std::size_t kMaxText = 4096;

Value ShallowCopy(const Value& object, Arena& arena) {
  const auto from = object.members();
  Member* members = arena.Allocate<Member>(from.size());
  std::ranges::copy(from, members);
  return Value::Object(members, from.size());
}

}  // namespace

std::string_view MetadataText(const Value& object, std::string_view key) {
  return object.At("metadata").FindText(key);
}

Value WithoutManagedFields(const Value& object, Arena& arena) {
  const Value& metadata = object.At("metadata");
  if (metadata.Find("managedFields") == nullptr) return object;
  Value copy = ShallowCopy(object, arena), kept = ShallowCopy(metadata, arena);
  kept.Erase("managedFields");
  *copy.Find("metadata") = kept;
  return copy;
}

std::optional<ListedObject> ReadObjectMetadata(const Value& object, const KnownVersions* known) {
  const Value& metadata = object.At("metadata");
  ListedObject result;
  result.namespace_ = metadata.FindText("namespace");
  result.name = metadata.FindText("name");
  result.uid = metadata.FindText("uid");
  result.resource_version = metadata.FindText("resourceVersion");
  for (const std::string* text : {&result.name, &result.uid, &result.resource_version}) {
    if (text->empty() || text->size() > kMaxText) return std::nullopt;
  }
  if (result.namespace_.size() > kMaxText) return std::nullopt;
  result.generation = kube::json::AsInt64(metadata.At("generation")).value_or(0);
  result.entries = StateOf(object, known);
  return result;
}

}  // namespace migrate::cluster
