#include "plugin/report/report_forms.h"

#include <unistd.h>

#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/go/go_format.h"
#include "plugin/report/json_path_template.h"
#include "plugin/report/renderers.h"
#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::report {

void LoadTemplate(terminal::TemplateOutput& output) {
  if (!output.file.empty()) {
    auto text = kube::base::ReadFileText(output.file);
    if (!text) {
      throw kube::base::Error("error reading --template " + output.file + ", " +
                              text.error().message);
    }
    output.text = *std::move(text);
    output.file.clear();
  }
  const auto parsed = JsonPathTemplate::Parse(output.text);
  if (parsed) return;
  throw kube::base::Error("error parsing jsonpath " + output.text + ", " + parsed.error());
}

kube::base::Result<std::string, std::string> PrintByTemplate(
    const kube::json::Value& report, const terminal::TemplateOutput& output) {
  auto parsed = JsonPathTemplate::Parse(output.text);
  if (!parsed) return kube::base::Unexpected(std::move(parsed).error());
  const auto style = output.as_json ? JsonPathTemplate::Style::kJson  //
                                    : JsonPathTemplate::Style::kText;
  auto printed = parsed->Print(report, style, output.allow_missing_keys);
  if (!printed) {
    return kube::base::Unexpected("error executing jsonpath " + kube::go::GoQuote(output.text) +
                                  ": Error executing template: " + printed.error());
  }
  return isatty(STDOUT_FILENO) != 0 ? terminal::PrintableLines(*printed) : *std::move(printed);
}

std::string TypedName(const std::string& crd) {
  return "customresourcedefinition.apiextensions.k8s.io/" + terminal::Printable(crd);
}

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
      return PrintHtml(forms.page(), forms.json(arena));
    case terminal::OutputFormat::kJunit:
      return PrintJunit(forms.page());
    case terminal::OutputFormat::kMarkdown:
      return PrintMarkdown(forms.page());
    case terminal::OutputFormat::kTable:
    case terminal::OutputFormat::kWide:
    case terminal::OutputFormat::kDiff:  // of other commands
    case terminal::OutputFormat::kPatch:
      break;
  }
  return forms.table();
}

Output PrintDone(const ReportForms& forms, terminal::OutputFormat output,
                 const terminal::TemplateOutput& output_template, const std::string& err,
                 int exit_code) {
  try {
    return {PrintForm(forms, output, output_template), err, exit_code};
  } catch (const kube::base::Error& error) {
    return {"", forms.table() + err + "error: " + terminal::PrintableLines(error.what()) + "\n", 2};
  }
}

}  // namespace plugin::report
