#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"

namespace kube::meta {

/// One step of a path that a person has written.
struct WrittenStep {
  bool is_index = false;
  bool is_any = false;  ///< [*], or * in the place of a name
  std::string name{};   ///< of a member; of an element its index, in decimal
};

/// Takes apart `.spec.legacyMode`, `spec.ports[0].proto`, `spec.ports[*].proto` or
/// `files['a.xml']`, as AppendPathName and the tables show paths; the dot in front may be missing.
/// Of at most 200 steps. The error says what is wrong, e.g. "a name in it is empty".
base::Result<std::vector<WrittenStep>, std::string> ParsePathText(std::string_view text);

}  // namespace kube::meta
