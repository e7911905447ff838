#pragma once

#include "kube/json/json.h"

namespace kube::json {

/// How a patch changes arrays.
enum class PatchedLists {
  kByElement,  ///< elements of arrays of the same length one by one, others are replaced whole
  kWhole,
};

/// The JSON Patch (RFC 6902) that makes `to` of `from`: an array of add, remove and replace.
/// Members are compared by key, in the order of `from`, then of what is new. Empty where both are
/// Equal.
///
/// Borrows from `to` and `arena`.
Value MakeJsonPatch(const Value& from, const Value& to, Arena& arena,
                    PatchedLists lists = PatchedLists::kByElement);

/// Appends a step to a JSON Pointer (RFC 6901).
void AppendPointerToken(std::string& pointer, std::string_view token);

}  // namespace kube::json
