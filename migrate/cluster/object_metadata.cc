#include "migrate/cluster/object_metadata.h"

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

// An API server allows 253 bytes in a name.
constexpr std::size_t kMaxText = 4096;

}  // namespace

std::string_view MetadataText(const kube::json::Value& object, std::string_view key) {
  const kube::json::Value* metadata = object.Find("metadata");
  return metadata == nullptr ? std::string_view() : metadata->FindText(key);
}

std::optional<ListedObject> ReadObjectMetadata(const kube::json::Value& object,
                                               const KnownVersions* known) {
  const kube::json::Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return std::nullopt;
  ListedObject result;
  result.namespace_ = metadata->FindText("namespace");
  result.name = metadata->FindText("name");
  result.uid = metadata->FindText("uid");
  result.resource_version = metadata->FindText("resourceVersion");
  for (const std::string* text : {&result.name, &result.uid, &result.resource_version}) {
    if (text->empty() || text->size() > kMaxText) return std::nullopt;
  }
  if (result.namespace_.size() > kMaxText) return std::nullopt;
  if (const auto* generation = metadata->Find("generation", kube::json::Type::kNumber)) {
    result.generation = kube::json::AsInt64(*generation).value_or(0);
  }
  result.entries = StateOf(object, known);
  return result;
}

}  // namespace migrate::cluster
