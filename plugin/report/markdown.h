#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "plugin/report/page.h"

namespace plugin::report {

/// `text` as it is read, in one line of Markdown or one cell of a table: no markup, HTML, link,
/// @mention or #reference comes of it. Long text is cut.
std::string MarkdownText(std::string_view text);

/// The same in the type of code; empty for an empty text.
std::string MarkdownCode(std::string_view text);

/// What fits a comment on GitHub (65,536) with room for words around it, in bytes: no text has more
/// characters than that.
inline constexpr std::size_t kMarkdownBytes = 60'000;

/// The page for a change ticket or a comment, in GitHub's Markdown, of kMarkdownBytes at most.
/// Where it would be longer, tables end after their first rows and then sections are missing, and
/// the last line says how many, and which command shows them. Cells are cut to some hundred bytes.
std::string PrintMarkdown(const Page& page);

}  // namespace plugin::report
