#pragma once

#include <string>

#include "kube/base/result.h"
#include "kube/json/json.h"
#include "plugin/terminal/output_format.h"

namespace plugin::report {

/// Reads the file of the template, if it is in one. Throws kube::base::Error, in kubectl's words,
/// where that fails or the template cannot be understood. What is no template stays as it is.
void LoadTemplate(terminal::TemplateOutput& output);

/// What the loaded template finds in `report`. On a terminal nothing that could steer it is left,
/// though kubectl prints it as it is. The error is kubectl's, without the object.
kube::base::Result<std::string, std::string> PrintByTemplate(
    const kube::json::Value& report, const terminal::TemplateOutput& output);

}  // namespace plugin::report
