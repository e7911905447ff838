#pragma once

#include <functional>
#include <string>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "plugin/report/page.h"
#include "plugin/terminal/output_format.h"

namespace plugin::report {

/// Reads the file of the template, if it is in one. Throws kube::base::Error, in kubectl's words,
/// where that fails or the template cannot be understood. What is no template stays as it is.
void LoadTemplate(terminal::TemplateOutput& output);

/// What the loaded template finds in `report`. On a terminal nothing that could steer it is left,
/// though kubectl prints it as it is. The error is kubectl's, without the object.
kube::base::Result<std::string, std::string> PrintByTemplate(
    const kube::json::Value& report, const terminal::TemplateOutput& output);

/// A CRD as -o name has it, printable.
std::string TypedName(const std::string& crd);

/// A report in each form that -o can ask for; none is made that is not asked for.
struct ReportForms {
  std::function<kube::json::Value(kube::json::Arena&)> json;
  std::function<Page()> page;
  std::function<std::string()> names;
  std::function<std::string()> table;
};

/// What goes where, and how the program ends.
struct Output {
  std::string out;  ///< for stdout
  std::string err;  ///< for stderr, after `out`
  int exit_code;    ///< 0, 1 or 2, as the help of each command says; not of signals
};

/// The report as `output` says. `output_template` counts for kTemplate alone; throws
/// kube::base::Error where it does not fit the report.
std::string PrintForm(const ReportForms& forms, terminal::OutputFormat output,
                      const terminal::TemplateOutput& output_template);

/// The same of a run that wrote, with what else it says. Where a template does not fit, stderr gets
/// the table before the error, and the exit code is 2: what was done cannot be asked for again.
Output PrintDone(const ReportForms& forms, terminal::OutputFormat output,
                 const terminal::TemplateOutput& output_template, const std::string& err,
                 int exit_code);

}  // namespace plugin::report
