#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "plugin/report/page.h"

/// The renderers: a page as HTML, Markdown and JUnit XML, and what texts of others become in them.
namespace plugin::report {

/// Appends `text` as it is read: it can be neither markup nor the end of an attribute, and what
/// could steer a terminal or turn the writing around is shown and not sent (terminal.h).
void AppendHtml(std::string& out, std::string_view text);
std::string Html(std::string_view text);

/// `value` for the inside of a <script>: JSON without `<`, `>` and `&`, so that nothing in it ends
/// the element, and with an escape for each character that AppendHtml would show.
std::string ScriptJson(const kube::json::Value& value);

// The drawn parts of an HTML page, as SVG in it: each says in words, too, what it shows.

/// The class that gives a tone its colour.
std::string_view ClassOf(Tone tone);

/// Appends a bar of objects; nothing where nothing was counted.
void AppendBar(std::string& out, const Bar& bar);

/// From the first to the last of all last writes: the same scale for all CRDs of a page.
struct Span {
  std::int64_t first = 0, last = 0;  ///< Unix seconds
};
Span SpanOf(const std::vector<Section>& sections);

/// Appends when fields were written last, as columns along `span`; nothing where no time is known.
void AppendTimeline(std::string& out, const std::vector<LastWrite>& writes, const Span& span);

// What every HTML page has in it, whatever it tells.

extern const std::string_view kHtmlStyle, kHtmlScript;

/// Of the two as the page's Content-Security-Policy names them: 'sha256-...'.
/// tests/cli/report_pages_test.py tells what they have to be.
extern const std::string_view kHtmlStyleHash, kHtmlScriptHash;

/// The page as one HTML file that needs nothing else and asks nobody for anything. `json` is the
/// report for programs, which is in it for download. With scripts off it is the same in plain
/// tables; scripts add the filter, the sorting and the download.
std::string PrintHtml(const Page& page, const kube::json::Value& json);

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

/// Appends `text` to XML 1.0, inside an element or an attribute: what is markup is escaped, and
/// what XML cannot hold, escaped or not, is shown as on a terminal (terminal.h), or U+FFFD. Line
/// breaks stay.
void AppendXml(std::string& out, std::string_view text);

/// The page as CI reads the results of tests: JUnit XML with a suite for the run and a case for
/// each CRD. A finding is a failure, what could not be looked at an error, objects that were not
/// read make it skipped; what went wrong of the whole is an error of a case of its own.
std::string PrintJunit(const Page& page);

}  // namespace plugin::report
