#pragma once

#include <string_view>

namespace kube::yaml {

/// True if go-yaml takes `text` for a timestamp, e.g. "2001-1-2", "2001-01-02T03:04:05.6Z" or
/// "2001-01-02 03:04:05": kept as a string when read, but quoted when printed.
bool IsTimestamp(std::string_view text);

}  // namespace kube::yaml
