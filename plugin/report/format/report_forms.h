#pragma once

#include <functional>
#include <string>

#include "kube/json/json.h"
#include "plugin/flags/options.h"
#include "plugin/report/page/page.h"

namespace plugin::report::format {

/// A report in each form that -o can ask for; none is made that is not asked for.
struct ReportForms {
  std::function<kube::json::Value(kube::json::Arena&)> json;
  std::function<page::Page()> page;
  std::function<std::string()> names;
  std::function<std::string()> table;
};

/// The report as `output` says. `output_template` counts for kTemplate alone; throws
/// kube::base::Error where it does not fit the report.
std::string PrintForm(const ReportForms& forms, flags::OutputFormat output,
                      const flags::TemplateOutput& output_template);

}  // namespace plugin::report::format
