#pragma once

#include <string>
#include <string_view>

namespace kube::go {

/// The name by which RE2 knows the Unicode class that Go's regexp knows as `name` (as in \p{name});
/// empty if Go knows none.
///
/// Classes are general categories, their long names, scripts and Any, Assigned, ASCII. As Go 1.25
/// and later: upper and lower case, '_', '-' and ' ' do not count. Some names that Go knows RE2
/// does not (Cn, LC, scripts of Unicode 15); they are returned as they are.
std::string_view FindUnicodeClass(std::string_view name);

}  // namespace kube::go
