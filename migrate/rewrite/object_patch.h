#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "kube/json/json_patch.h"

namespace migrate::rewrite {

/// The body of a PATCH.
struct PatchBody {
  std::string content_type, body;
};

/// Which members of the object it is about. A CRD with the status subresource has one for each.
enum class PatchPart : std::uint8_t { kAll, kAllButStatus, kStatus };

/// What makes `wanted` of `live`, where the server still has it as `resource_version`; absent where
/// nothing of `part` differs.
///
/// A JSON merge patch, which replaces lists as a whole; a JSON patch (RFC 6902) where a null comes,
/// which a merge patch cannot bring. Neither fails for an object that another writer has changed in
/// any other way than by the resource version, but a JSON patch that removes a member of the root.
std::optional<PatchBody> MakePatch(const kube::json::Value& live, const kube::json::Value& wanted,
                                   std::string_view resource_version, PatchPart part,
                                   kube::json::Removals removals);

}  // namespace migrate::rewrite
