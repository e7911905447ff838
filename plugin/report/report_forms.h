#pragma once

#include <functional>
#include <string>

#include "kube/json/json.h"
#include "plugin/report/page.h"
#include "plugin/terminal/output_format.h"

namespace plugin::report {

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
