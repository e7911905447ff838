#include "plugin/report/format/report_forms.h"

#include <utility>

#include "kube/base/error.h"
#include "plugin/report/data/template_output.h"
#include "plugin/report/format/print_page.h"
#include "plugin/terminal/output.h"

namespace plugin::report::format {

std::string PrintForm(const ReportForms& forms, flags::OutputFormat output,
                      const flags::TemplateOutput& output_template) {
  kube::json::Arena arena;
  switch (output) {
    case flags::OutputFormat::kJson:
    case flags::OutputFormat::kYaml:
      return terminal::PrintValue(forms.json(arena), output);
    case flags::OutputFormat::kTemplate: {
      auto printed = data::PrintByTemplate(forms.json(arena), output_template);
      if (!printed) throw kube::base::Error(printed.error());
      return *std::move(printed);
    }
    case flags::OutputFormat::kName:
      return forms.names();
    case flags::OutputFormat::kHtml:
    case flags::OutputFormat::kJunit:
    case flags::OutputFormat::kMarkdown:
      return PrintPage(forms.page(), forms.json(arena), output);
    case flags::OutputFormat::kTable:
    case flags::OutputFormat::kWide:
    case flags::OutputFormat::kDiff:  // of other commands
    case flags::OutputFormat::kPatch:
      break;
  }
  return forms.table();
}

}  // namespace plugin::report::format
