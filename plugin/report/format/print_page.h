#pragma once

#include <string>

#include "kube/json/json.h"
#include "plugin/flags/options.h"
#include "plugin/report/page/page.h"

namespace plugin::report::format {

/// True for the formats that PrintPage knows: -o html, junit and markdown.
bool IsPageFormat(flags::OutputFormat format);

/// The page in one of these formats. `json` is the report for programs.
std::string PrintPage(const page::Page& page, const kube::json::Value& json,
                      flags::OutputFormat format);

}  // namespace plugin::report::format
