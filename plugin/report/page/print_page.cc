#include "plugin/report/page/print_page.h"

#include "plugin/report/page/html.h"
#include "plugin/report/page/junit.h"
#include "plugin/report/page/markdown.h"

namespace plugin::report::page {

bool IsPageFormat(flags::OutputFormat format) {
  return format == flags::OutputFormat::kHtml || format == flags::OutputFormat::kJunit ||
         format == flags::OutputFormat::kMarkdown;
}

std::string PrintPage(const Page& page, const kube::json::Value& json, flags::OutputFormat format) {
  if (format == flags::OutputFormat::kJunit) return PrintJunit(page);
  return format == flags::OutputFormat::kMarkdown ? PrintMarkdown(page) : PrintHtml(page, json);
}

}  // namespace plugin::report::page
