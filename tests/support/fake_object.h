#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/json/json.h"

namespace test_support {

/// The text as a JSON string.
std::string Quote(std::string_view text);
/// Throws std::invalid_argument where it is no JSON.
std::shared_ptr<kube::json::Document> Parse(std::string_view json);

// Texts of an object, empty where it has none.

std::string_view MetadataText(const kube::json::Value& object, std::string_view key);
std::string_view SpecText(const kube::json::Value& object, std::string_view key);
/// Of a CRD's spec.names.
std::string_view NameText(const kube::json::Value& crd, std::string_view key);

/// The element of spec.versions that is served under this name; null pointer if none is.
const kube::json::Value* ServedVersion(const kube::json::Value& crd, const std::string& name);

}  // namespace test_support
