#pragma once

#include <functional>
#include <string>

#include "kube/json/json.h"
#include "plugin/check/check_options.h"
#include "plugin/report/page/page.h"

namespace plugin::check {

/// A report in each form that -o can ask for; none is made that is not asked for.
struct ReportForms {
  std::function<kube::json::Value(kube::json::Arena&)> json;
  std::function<report::page::Page()> page;
  std::function<std::string()> names;
  std::function<std::string()> table;
};

/// The report as `options.output` says. Throws kube::base::Error where a template does not fit it.
std::string PrintForm(const ReportForms& forms, const CheckOptions& options);

}  // namespace plugin::check
