#pragma once

#include <string>

#include "kube/json/json.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// The page as one HTML file that needs nothing else and asks nobody for anything. `json` is the
/// report for programs, which is in it for download. With scripts off it is the same in plain
/// tables; scripts add the filter, the sorting and the download.
std::string PrintHtml(const Page& page, const kube::json::Value& json);

}  // namespace plugin::report
