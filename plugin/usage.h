#pragma once

#include <string_view>

namespace plugin {

/// The help of `command`; of the whole program where it is empty or has no help of its own.
std::string_view Usage(std::string_view command);

}  // namespace plugin
