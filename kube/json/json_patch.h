#pragma once

#include "kube/json/json.h"

namespace kube::json {

/// The JSON Patch (RFC 6902) that makes `to` of `from`: an array of add, remove and replace.
/// Members are compared by key, in the order of `from`, then of what is new; elements of arrays of
/// the same length one by one, others are replaced whole. Empty where both are Equal.
///
/// Borrows from `to` and `arena`.
Value MakeJsonPatch(const Value& from, const Value& to, Arena& arena);

/// Appends an operation to a patch, an array; `value` is the null pointer where it has none.
/// Borrows from `operation` and `value`.
void AppendPatchStep(Value& patch, std::string_view operation, std::string_view pointer,
                     const Value* value, Arena& arena);

/// Appends a step to a JSON Pointer (RFC 6901).
void AppendPointerToken(std::string& pointer, std::string_view token);

}  // namespace kube::json
