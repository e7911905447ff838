#include "plugin/report/data/template_output.h"

#include <unistd.h>

#include <utility>

#include "kube/base/error.h"
#include "kube/go/go_format.h"
#include "kube/system/file_text.h"
#include "plugin/report/data/json_path_template.h"
#include "plugin/terminal/terminal.h"

namespace plugin {

void LoadTemplate(TemplateOutput& output) {
  if (!output.file.empty()) {
    auto text = kube::ReadFileText(output.file);
    if (!text) {
      throw kube::Error("error reading --template " + output.file + ", " + text.error().message);
    }
    output.text = *std::move(text);
    output.file.clear();
  }
  const auto parsed = kube::JsonPathTemplate::Parse(output.text);
  if (parsed) return;
  throw kube::Error("error parsing jsonpath " + output.text + ", " + parsed.error());
}

kube::Result<std::string, std::string> PrintByTemplate(const kube::json::Value& report,
                                                       const TemplateOutput& output) {
  using kube::JsonPathTemplate;
  auto parsed = JsonPathTemplate::Parse(output.text);
  if (!parsed) return kube::Unexpected(std::move(parsed).error());
  const auto style = output.as_json ? JsonPathTemplate::Style::kJson  //
                                    : JsonPathTemplate::Style::kText;
  auto printed = parsed->Print(report, style, output.allow_missing_keys);
  if (!printed) {
    return kube::Unexpected("error executing jsonpath " + kube::schema::GoQuote(output.text) +
                            ": Error executing template: " + printed.error());
  }
  return isatty(STDOUT_FILENO) != 0 ? PrintableLines(*printed) : *std::move(printed);
}

}  // namespace plugin
