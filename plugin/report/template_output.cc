#include "plugin/report/template_output.h"

#include <unistd.h>

#include <utility>

#include "kube/base/error.h"
#include "kube/base/file_text.h"
#include "kube/go/go_format.h"
#include "plugin/report/json_path_template.h"
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

}  // namespace plugin::report
