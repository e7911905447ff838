#pragma once

#include <string>

#include "kube/json/json.h"
#include "plugin/report/page.h"
#include "plugin/terminal/output_format.h"

namespace plugin::report {

/// True for the formats that PrintPage knows: -o html, junit and markdown.
bool IsPageFormat(terminal::OutputFormat format);

/// The page in one of these formats. `json` is the report for programs.
std::string PrintPage(const Page& page, const kube::json::Value& json,
                      terminal::OutputFormat format);

}  // namespace plugin::report
