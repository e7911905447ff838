#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "plugin/report/page.h"

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

}  // namespace plugin::report
