#include "plugin/report/format/print_page.h"

#include "plugin/report/format/html.h"
#include "plugin/report/format/junit.h"
#include "plugin/report/format/markdown.h"

namespace plugin::report::format {

bool IsPageFormat(flags::OutputFormat format) {
  return format == flags::OutputFormat::kHtml || format == flags::OutputFormat::kJunit ||
         format == flags::OutputFormat::kMarkdown;
}

std::string PrintPage(const page::Page& page, const kube::json::Value& json,
                      flags::OutputFormat format) {
  if (format == flags::OutputFormat::kJunit) return PrintJunit(page);
  return format == flags::OutputFormat::kMarkdown ? PrintMarkdown(page) : PrintHtml(page, json);
}

}  // namespace plugin::report::format
