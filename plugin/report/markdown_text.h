#pragma once

#include <string>
#include <string_view>

namespace plugin::report {

/// `text` as it is read, in one line of Markdown or one cell of a table: no markup, HTML, link,
/// @mention or #reference comes of it. Long text is cut.
std::string MarkdownText(std::string_view text);

/// The same in the type of code; empty for an empty text.
std::string MarkdownCode(std::string_view text);

}  // namespace plugin::report
