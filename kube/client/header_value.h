#pragma once

#include <string>
#include <string_view>

namespace kube::client {

/// True if `value` can stand in a header: a line break there would begin another one.
bool FitsHeader(std::string_view value);

/// What to say where it does not, of a value that is called `what`. The value is not in it.
std::string HeaderMisfit(const std::string& what);

}  // namespace kube::client
