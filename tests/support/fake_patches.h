#pragma once

#include <memory>
#include <string>

#include "kube/json/json.h"

namespace test_support {

/// What a PATCH with this body makes of `object`: a JSON merge patch (RFC 7396), or a JSON patch
/// (RFC 6902) that adds, replaces and removes members and replaces elements. The null pointer: the
/// content type is neither.
std::shared_ptr<kube::json::Document> ApplyPatch(const kube::json::Value& object,
                                                 const std::string& content_type,
                                                 const std::string& body);

}  // namespace test_support
