#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

#include "kube/base/text.h"
#include "kube/go/go_time.h"
#include "migrate/report/program_name.h"
#include "plugin/report/renderers.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

// Empty for what may stay.
std::string_view EntityOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

std::string_view JsonEscapeOf(char c) {
  switch (c) {
    case '&':
      return "\\u0026";
    case '<':
      return "\\u003c";
    case '>':
      return "\\u003e";
    default:
      return "";
  }
}

template <typename Escape>
void AppendEscaped(std::string& out, std::string_view text, const char* special, Escape escape) {
  while (true) {
    const std::size_t kept = text.find_first_of(special);
    out += text.substr(0, kept);
    if (kept == std::string_view::npos) return;
    out += escape(text[kept]);
    text.remove_prefix(kept + 1);
  }
}

}  // namespace

void AppendHtml(std::string& out, std::string_view text) {
  AppendEscaped(out, terminal::Printable(text), "&<>\"'", EntityOf);
}

std::string Html(std::string_view text) {
  std::string out;
  AppendHtml(out, text);
  return out;
}

std::string ScriptJson(const kube::json::Value& value) {
  std::string out;
  // As Go does, the printer leaves none of these; the page must not depend on that.
  AppendEscaped(out, terminal::PrintCompactJson(value), "&<>", JsonEscapeOf);
  return out;
}

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

namespace {

// Who opens the page for a few CRDs wants to see them.
constexpr std::size_t kOpenSections = 3;

class HtmlPrinter {
 public:
  explicit HtmlPrinter(const Page& page)
      : page_(page),
        command_(migrate::report::OwnCommand(page.command)),
        span_(SpanOf(page.sections)) {}

  std::string Print(const kube::json::Value& json) {
    AppendHead();
    AppendAnswer();
    AppendSteps();
    AppendOverview();
    for (std::size_t i = 0; i < page_.sections.size(); ++i) AppendSection(page_.sections[i], i + 1);
    out_ += "</main>\n<script type=\"application/json\" id=\"report\">";
    out_ += ScriptJson(json);
    out_.append("</script>\n<script>").append(kHtmlScript).append("</script>\n</body>\n</html>\n");
    return std::move(out_);
  }

 private:
  // Nothing may be loaded from anywhere, and no script run but ours, should a text get out of its
  // place.
  void AppendHead() {
    out_ += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    out_ += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ";
    out_.append(kHtmlStyleHash).append("; script-src ").append(kHtmlScriptHash);
    out_ += "; base-uri 'none'; form-action 'none'\">\n";
    out_ += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    out_ += "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
    AppendHtml(out_, command_ + ": " + page_.answer);
    out_.append("</title>\n<style>").append(kHtmlStyle).append("</style>\n</head>\n<body>\n");
  }

  void AppendAnswer() {
    out_ += "<header>\n<p class=\"command\">";
    AppendHtml(out_, command_);
    out_.append("</p>\n<h1 class=\"").append(ClassOf(page_.tone)).append("\">");
    AppendHtml(out_, page_.answer);
    out_ += "</h1>\n";
    AppendFacts(RunFactsOf(page_));
    out_ += "<ul class=\"tallies\">\n";
    for (const Tally& tally : page_.tallies) AppendTally(tally);
    out_ += "</ul>\n";
    AppendRemarks(page_.remarks);
    out_ += "</header>\n<main>\n";
  }

  void AppendTally(const Tally& tally) {
    out_.append("<li class=\"").append(ClassOf(tally.tone)).append("\"><b>");
    out_.append(std::to_string(tally.count)).append("</b> ");
    AppendHtml(out_, tally.name);
    out_ += "</li>\n";
  }

  void AppendFacts(const std::vector<Fact>& facts) {
    if (facts.empty()) return;
    out_ += "<dl>\n";
    for (const Fact& fact : facts) {
      out_ += "<div><dt>";
      AppendHtml(out_, fact.name);
      out_ += "</dt><dd>";
      AppendHtml(out_, fact.value);
      out_ += "</dd></div>\n";
    }
    out_ += "</dl>\n";
  }

  void AppendRemarks(const std::vector<Remark>& remarks) {
    for (const Remark& remark : remarks) {
      out_.append("<p class=\"remark ").append(ClassOf(remark.tone)).append("\">");
      AppendHtml(out_, remark.text);
      out_ += "</p>\n";
    }
  }

  void AppendSteps() {
    if (page_.steps.empty()) return;
    out_ += "<section id=\"steps\">\n<h2>Plan</h2>\n<ol>\n";
    for (const Step& step : page_.steps) {
      out_ += "<li><p>";
      AppendHtml(out_, step.title);
      if (!step.reason.empty()) {
        out_ += " <span class=\"reason\">";
        AppendHtml(out_, step.reason);
        out_ += "</span>";
      }
      out_ += "</p>";
      if (!step.needs.empty()) out_ += "<p class=\"reason\">before: " + Html(step.needs) + "</p>";
      if (!step.command.empty()) out_ += "<pre>" + Html(step.command) + "</pre>";
      if (!step.effect.empty()) out_ += "<p class=\"reason\">" + Html(step.effect) + "</p>";
      out_ += "</li>\n";
    }
    out_ += "</ol>\n</section>\n";
  }

  void AppendOverview() {
    // Shown by the script: without it nothing would happen in it.
    out_ += "<div id=\"tools\" hidden></div>\n";
    if (page_.sections.empty()) return;
    out_ += "<div class=\"table\"><table id=\"crds\"><thead><tr><th>CRD</th><th>Verdict</th>";
    out_ +=
        "<th class=\"number\">Objects</th><th>Share</th><th>In words</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < page_.sections.size(); ++i) {
      AppendOverviewRow(page_.sections[i], std::to_string(i + 1));
    }
    out_ += "</tbody></table></div>\n";
  }

  void AppendOverviewRow(const Section& section, const std::string& number) {
    out_.append("<tr id=\"row-crd-").append(number).append("\"><td class=\"code\"><a href=\"#crd-");
    out_.append(number).append("\">");
    AppendHtml(out_, section.name);
    out_ += "</a></td><td>";
    AppendVerdict(section);
    out_ += "</td><td class=\"number\">";
    if (section.bar.total > 0) out_ += std::to_string(section.bar.total);
    out_.append("</td><td data-v=\"").append(std::to_string(NotGood(section.bar))).append("\">");
    AppendBar(out_, section.bar);
    out_ += "</td><td>";
    AppendHtml(out_, section.answer);
    out_ += "</td></tr>\n";
  }

  static std::uint64_t NotGood(const Bar& bar) {
    std::uint64_t count = 0;
    for (const Segment& segment : bar.segments) {
      if (segment.tone == Tone::kBad || segment.tone == Tone::kWarning) count += segment.count;
    }
    return count;
  }

  void AppendVerdict(const Section& section) {
    out_.append("<b class=\"verdict ").append(ClassOf(section.tone)).append("\">");
    AppendHtml(out_, section.verdict);
    out_ += "</b>";
  }

  void AppendSection(const Section& section, std::size_t number) {
    const bool is_open = page_.sections.size() <= kOpenSections;
    out_.append("<details class=\"crd\" id=\"crd-").append(std::to_string(number));
    out_.append(is_open ? "\" open>" : "\">").append("<summary><h2>");
    AppendHtml(out_, section.name);
    out_ += "</h2> ";
    AppendVerdict(section);
    out_ += " <span>";
    AppendHtml(out_, section.answer);
    out_ += "</span></summary>\n";
    AppendBarWithWords(section.bar);
    AppendRemarks(section.remarks);
    AppendFacts(section.facts);
    AppendTimeline(out_, section.last_writes, span_);
    for (const Table& table : section.tables) AppendTable(table);
    out_ += "</details>\n";
  }

  void AppendBarWithWords(const Bar& bar) {
    if (bar.total == 0) return;
    out_ += "<div class=\"share\">";
    AppendBar(out_, bar);
    out_ += "<ul class=\"words\">";
    for (const Segment& segment : bar.segments) {
      out_.append("<li class=\"").append(ClassOf(segment.tone)).append("\"><b>");
      out_.append(std::to_string(segment.count)).append("</b> ");
      AppendHtml(out_, segment.name);
      out_ += "</li>";
    }
    out_.append("<li>of ")
        .append(kube::base::Count(bar.total, "object"))
        .append("</li></ul></div>\n");
  }

  void AppendTable(const Table& table) {
    out_ += "<div class=\"table\"><h3>";
    AppendHtml(out_, table.title);
    out_.append(" <small>").append(std::to_string(table.rows.size()));
    out_ += "</small></h3><table><thead><tr>";
    for (const Column& column : table.columns) {
      out_ += column.kind == CellKind::kNumber ? "<th class=\"number\">" : "<th>";
      AppendHtml(out_, column.title);
      out_ += "</th>";
    }
    out_ += "</tr></thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : table.rows) AppendRow(table.columns, row);
    out_ += "</tbody></table></div>\n";
  }

  void AppendRow(const std::vector<Column>& columns, const std::vector<std::string>& cells) {
    out_ += "<tr>";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out_ += CellOf(columns[i].kind);
      AppendHtml(out_, cells[i]);
      out_ += "</td>";
    }
    out_ += "</tr>\n";
  }

  static std::string_view CellOf(CellKind kind) {
    switch (kind) {
      case CellKind::kText:
        return "<td>";
      case CellKind::kCode:
        return "<td class=\"code\">";
      case CellKind::kNumber:
        return "<td class=\"number\">";
      case CellKind::kTime:
        break;
    }
    return "<td class=\"time\">";
  }

  const Page& page_;
  const std::string command_;
  const Span span_;
  std::string out_;
};

}  // namespace

std::string PrintHtml(const Page& page, const kube::json::Value& json) {
  return HtmlPrinter(page).Print(json);
}

}  // namespace plugin::report
