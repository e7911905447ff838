#include "plugin/report/print_page.h"

#include "plugin/report/html.h"
#include "plugin/report/junit.h"
#include "plugin/report/markdown.h"

namespace plugin::report {

bool IsPageFormat(terminal::OutputFormat format) {
  return format == terminal::OutputFormat::kHtml || format == terminal::OutputFormat::kJunit ||
         format == terminal::OutputFormat::kMarkdown;
}

std::string PrintPage(const Page& page, const kube::json::Value& json,
                      terminal::OutputFormat format) {
  if (format == terminal::OutputFormat::kJunit) return PrintJunit(page);
  return format == terminal::OutputFormat::kMarkdown ? PrintMarkdown(page) : PrintHtml(page, json);
}

}  // namespace plugin::report
