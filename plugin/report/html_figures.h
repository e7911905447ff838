#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/report/page.h"

/// The drawn parts of an HTML page, as SVG in it: each says in words, too, what it shows.
namespace plugin::report {

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

}  // namespace plugin::report
