#pragma once

#include <string>
#include <string_view>

namespace plugin::report {

/// Appends `text` to XML 1.0, inside an element or an attribute: what is markup is escaped, and
/// what XML cannot hold, escaped or not, is shown as on a terminal (terminal.h), or U+FFFD. Line
/// breaks stay.
void AppendXml(std::string& out, std::string_view text);

}  // namespace plugin::report
