#pragma once

#include <functional>
#include <string>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "plugin/report/page.h"
#include "plugin/terminal/output_format.h"

namespace plugin::report {

/// True for the formats that PrintPage knows: -o html, junit and markdown.
bool IsPageFormat(terminal::OutputFormat format);

/// The page in one of these formats. `json` is the report for programs.
std::string PrintPage(const Page& page, const kube::json::Value& json,
                      terminal::OutputFormat format);

/// Reads the file of the template, if it is in one. Throws kube::base::Error, in kubectl's words,
/// where that fails or the template cannot be understood. What is no template stays as it is.
void LoadTemplate(terminal::TemplateOutput& output);

/// What the loaded template finds in `report`. On a terminal nothing that could steer it is left,
/// though kubectl prints it as it is. The error is kubectl's, without the object.
kube::base::Result<std::string, std::string> PrintByTemplate(
    const kube::json::Value& report, const terminal::TemplateOutput& output);

/// A report in each form that -o can ask for; none is made that is not asked for.
struct ReportForms {
  std::function<kube::json::Value(kube::json::Arena&)> json;
  std::function<Page()> page;
  std::function<std::string()> names;
  std::function<std::string()> table;
};

/// The report as `output` says. `output_template` counts for kTemplate alone; throws
/// kube::base::Error where it does not fit the report.
std::string PrintForm(const ReportForms& forms, terminal::OutputFormat output,
                      const terminal::TemplateOutput& output_template);

}  // namespace plugin::report
