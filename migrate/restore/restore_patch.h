#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kube/json/json.h"

namespace migrate::restore {

/// The body of a PATCH.
struct PatchBody {
  std::string content_type, body;
};

/// Which members of the object it is about. A CRD with the status subresource has one for each.
enum class PatchPart : std::uint8_t { kAll, kAllButStatus, kStatus };

/// What makes `restored` of `live`, where the server still has it as `resource_version`; absent
/// where nothing of `part` differs. `restored` lacks nothing that `live` has, as Compare makes it.
///
/// A JSON merge patch, which replaces lists as a whole; a JSON patch (RFC 6902) where a null comes
/// back, which a merge patch cannot bring.
std::optional<PatchBody> MakePatch(const kube::json::Value& live, const kube::json::Value& restored,
                                   std::string_view resource_version, PatchPart part);

}  // namespace migrate::restore
