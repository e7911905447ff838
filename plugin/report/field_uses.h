#pragma once

#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/object_builder.h"

namespace plugin::report {

/// Adds `prunedFields`, as every report has them; what is made goes to `arena`.
void AddPrunedFields(ObjectBuilder& builder, const std::vector<migrate::report::FieldUse>& uses,
                     kube::json::Arena& arena);

}  // namespace plugin::report
