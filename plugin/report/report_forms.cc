#include "plugin/report/report_forms.h"

#include <utility>

#include "kube/base/error.h"
#include "plugin/report/print_page.h"
#include "plugin/report/template_output.h"
#include "plugin/terminal/output.h"

namespace plugin::report {

std::string PrintForm(const ReportForms& forms, terminal::OutputFormat output,
                      const terminal::TemplateOutput& output_template) {
  kube::json::Arena arena;
  switch (output) {
    case terminal::OutputFormat::kJson:
    case terminal::OutputFormat::kYaml:
      return terminal::PrintValue(forms.json(arena), output);
    case terminal::OutputFormat::kTemplate: {
      auto printed = PrintByTemplate(forms.json(arena), output_template);
      if (!printed) throw kube::base::Error(printed.error());
      return *std::move(printed);
    }
    case terminal::OutputFormat::kName:
      return forms.names();
    case terminal::OutputFormat::kHtml:
    case terminal::OutputFormat::kJunit:
    case terminal::OutputFormat::kMarkdown:
      return PrintPage(forms.page(), forms.json(arena), output);
    case terminal::OutputFormat::kTable:
    case terminal::OutputFormat::kWide:
    case terminal::OutputFormat::kDiff:  // of other commands
    case terminal::OutputFormat::kPatch:
      break;
  }
  return forms.table();
}

}  // namespace plugin::report
