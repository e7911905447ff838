#include "plugin/check/report_forms.h"

#include <utility>

#include "kube/base/error.h"
#include "plugin/report/data/template_output.h"
#include "plugin/report/format/print_page.h"
#include "plugin/terminal/output.h"

namespace plugin::check {

std::string PrintForm(const ReportForms& forms, const CheckOptions& options) {
  kube::json::Arena arena;
  switch (options.output) {
    case flags::OutputFormat::kJson:
    case flags::OutputFormat::kYaml:
      return terminal::PrintValue(forms.json(arena), options.output);
    case flags::OutputFormat::kTemplate: {
      auto printed = report::data::PrintByTemplate(forms.json(arena), options.output_template);
      if (!printed) throw kube::base::Error(printed.error());
      return *std::move(printed);
    }
    case flags::OutputFormat::kName:
      return forms.names();
    case flags::OutputFormat::kHtml:
    case flags::OutputFormat::kJunit:
    case flags::OutputFormat::kMarkdown:
      return report::format::PrintPage(forms.page(), forms.json(arena), options.output);
    case flags::OutputFormat::kTable:
    case flags::OutputFormat::kWide:
    case flags::OutputFormat::kDiff:  // of other commands
    case flags::OutputFormat::kPatch:
      break;
  }
  return forms.table();
}

}  // namespace plugin::check
