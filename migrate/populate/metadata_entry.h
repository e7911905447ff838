#pragma once

#include <string_view>

#include "kube/json/json.h"

namespace migrate::populate {

/// The text at `key` in a map of an object's metadata, "labels" or "annotations"; empty where there
/// is none. Refers to `object`.
inline std::string_view MetadataEntry(const kube::json::Value& object, std::string_view map,
                                      std::string_view key) {
  const kube::json::Value* metadata = object.Find("metadata");
  const kube::json::Value* entries = metadata == nullptr ? nullptr : metadata->Find(map);
  return entries == nullptr ? std::string_view() : entries->FindText(key);
}

/// True if an object has this value at `key`, as an annotation or as a label: people write either.
inline bool HasEntry(const kube::json::Value& object, std::string_view key,
                     std::string_view value) {
  return MetadataEntry(object, "annotations", key) == value ||
         MetadataEntry(object, "labels", key) == value;
}

}  // namespace migrate::populate
