#include "plugin/report/html_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "kube/base/text.h"
#include "kube/go/go_time.h"
#include "plugin/report/html_text.h"

namespace plugin::report {
namespace {

constexpr std::size_t kColumns = 60;
constexpr int kColumnWidth = 10;
constexpr double kHeight = 40;
// A single field among thousands has to be seen.
constexpr double kLeastHeight = 4;

std::optional<std::int64_t> SecondsOf(const std::string& time) {
  const auto parsed = kube::go::ParseGoTime(time);
  return parsed ? std::optional(parsed->unix_seconds) : std::nullopt;
}

// With one decimal at most, in the C locale's spelling.
std::string Decimal(double value) {
  const auto tenths = static_cast<std::int64_t>(std::lround(value * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string Share(std::uint64_t count, std::uint64_t total) {
  return Decimal(1000 * static_cast<double>(count) / static_cast<double>(total));
}

std::string BarWords(const Bar& bar) {
  std::string words;
  for (const Segment& segment : bar.segments) {
    words.append(std::to_string(segment.count)).append(" ").append(segment.name).append(", ");
  }
  return words + "of " + kube::base::Count(bar.total, "object");
}

std::string DateOf(std::int64_t seconds) {
  return kube::go::FormatGoTime({.unix_seconds = seconds, .nanoseconds = 0}).substr(0, 10);
}

std::size_t ColumnOf(std::int64_t time, const Span& span) {
  if (span.last <= span.first) return kColumns - 1;
  const double part =
      static_cast<double>(time - span.first) / static_cast<double>(span.last - span.first);
  return std::min(kColumns - 1, static_cast<std::size_t>(part * kColumns));
}

/// The fields written last within one column of the timeline.
struct TimeColumn {
  std::uint64_t fields = 0;
  std::int64_t first = 0, last = 0;
};

std::array<TimeColumn, kColumns> ColumnsOf(const std::vector<LastWrite>& writes, const Span& span) {
  std::array<TimeColumn, kColumns> columns{};
  for (const LastWrite& write : writes) {
    const auto time = SecondsOf(write.time);
    if (!time) continue;
    TimeColumn& column = columns[ColumnOf(*time, span)];
    column.first = column.fields == 0 ? *time : std::min(column.first, *time);
    column.last = column.fields == 0 ? *time : std::max(column.last, *time);
    column.fields += write.fields;
  }
  return columns;
}

std::string ColumnWords(const TimeColumn& column) {
  const std::string first = DateOf(column.first), last = DateOf(column.last);
  return (first == last ? first : first + " to " + last) + ": " +
         kube::base::Count(column.fields, "field");
}

void AppendColumn(std::string& out, const TimeColumn& column, std::size_t number, double most) {
  const double height = kLeastHeight + (kHeight - kLeastHeight) *
                                           std::sqrt(static_cast<double>(column.fields) / most);
  out += "<rect x=\"" + std::to_string(number * kColumnWidth) + "\" y=\"" +
         Decimal(kHeight - height) + "\" width=\"" + std::to_string(kColumnWidth - 2) +
         "\" height=\"" + Decimal(height) + "\"><title>" + ColumnWords(column) + "</title></rect>";
}

}  // namespace

std::string_view ClassOf(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kPlain:
      return "plain";
    case Tone::kWarning:
      return "warning";
    case Tone::kBad:
      break;
  }
  return "bad";
}

void AppendBar(std::string& out, const Bar& bar) {
  if (bar.total == 0) return;
  out +=
      "<svg class=\"bar\" viewBox=\"0 0 1000 1\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"";
  AppendHtml(out, BarWords(bar));
  out += "\">";
  for (const Segment& segment : bar.segments) {
    out.append("<rect class=\"").append(ClassOf(segment.tone));
    out += "\" x=\"" + Share(segment.from, bar.total) + "\" width=\"" +
           Share(segment.count, bar.total) + "\" height=\"1\"></rect>";
  }
  out += "</svg>";
}

Span SpanOf(const std::vector<Section>& sections) {
  std::optional<Span> span;
  for (const Section& section : sections) {
    for (const LastWrite& write : section.last_writes) {
      const auto time = SecondsOf(write.time);
      if (!time) continue;
      if (!span) span = Span{*time, *time};
      span->first = std::min(span->first, *time);
      span->last = std::max(span->last, *time);
    }
  }
  return span.value_or(Span());
}

void AppendTimeline(std::string& out, const std::vector<LastWrite>& writes, const Span& span) {
  const auto columns = ColumnsOf(writes, span);
  const std::uint64_t most = std::ranges::max(columns, {}, &TimeColumn::fields).fields;
  if (most == 0) return;
  out += "<figure class=\"timeline\"><figcaption>Last writes of these fields, " +
         kube::base::Count(writes.size(), "time") + " from ";
  AppendHtml(out, writes.front().time);
  out += " to ";
  AppendHtml(out, writes.back().time);
  out += "</figcaption><svg viewBox=\"0 0 " + std::to_string(kColumns * kColumnWidth) + " " +
         std::to_string(static_cast<int>(kHeight)) +
         "\" aria-hidden=\"true\" preserveAspectRatio=\"none\">";
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (columns[i].fields > 0) AppendColumn(out, columns[i], i, static_cast<double>(most));
  }
  out += "</svg><p class=\"axis\"><span>" + DateOf(span.first) + "</span><span>" +
         DateOf(span.last) + "</span></p></figure>\n";
}

}  // namespace plugin::report
