#pragma once

#include <string>
#include <string_view>

namespace plugin::usage {

/// The help of `command`; of the whole program where it is empty or has no help of its own. It
/// calls the program as the user does.
std::string Usage(std::string_view command);

}  // namespace plugin::usage
