#pragma once

#include <optional>

#include "kube/json/json.h"

namespace kube::json {

/// Whether what `from` has and `to` has not is taken away by a patch, or left where it is.
enum class Removals { kSent, kLeftOut };

/// The JSON merge patch (RFC 7396) that makes `to` of `from`, both objects: the members of `to`
/// that differ, in its order, then a null for each that is removed, in the order of `from`; arrays
/// are replaced as a whole. An empty object where nothing differs.
///
/// Absent where no such patch does it: where a null is, or is in, what is new. (A null at the end
/// of a merge patch removes; an API server's merge drops those in arrays, too:
/// github.com/evanphx/json-patch pruneAryNils.) Values deeper than 200 levels are taken as a whole.
///
/// Borrows from `to`, `from` and `arena`.
std::optional<Value> MakeMergePatch(const Value& from, const Value& to, Arena& arena,
                                    Removals removals = Removals::kSent);

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
