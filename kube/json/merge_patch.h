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

}  // namespace kube::json
