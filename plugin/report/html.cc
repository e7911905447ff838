#include "plugin/report/html.h"

#include <cstdint>
#include <string_view>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"
#include "plugin/report/html_assets.h"
#include "plugin/report/html_figures.h"
#include "plugin/report/html_text.h"

namespace plugin::report {
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
    out_ += "<section id=\"steps\">\n<h2>The way for this cluster</h2>\n<ol>\n";
    for (const Step& step : page_.steps) {
      out_ += "<li><p>";
      AppendHtml(out_, step.title);
      if (!step.reason.empty()) {
        out_ += " <span class=\"reason\">";
        AppendHtml(out_, step.reason);
        out_ += "</span>";
      }
      out_ += "</p><pre>";
      AppendHtml(out_, step.command);
      out_ += "</pre></li>\n";
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
