#pragma once

#include <string>
#include <string_view>

namespace plugin::command {

/// A name for a folder of `context`, which may hold anything: the same in every run, not that of
/// any other context, and none that leads elsewhere or is hidden. Names of letters, digits and
/// some marks are themselves; other bytes are percent-encoded: "arn:aws:eks:eu:1:cluster%2Fprod".
std::string ContextFolder(std::string_view context);

}  // namespace plugin::command
