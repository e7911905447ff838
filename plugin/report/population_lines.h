#pragma once

#include <string>

#include "migrate/report/population_report.h"
#include "plugin/report/report_forms.h"

namespace plugin::report {

/// Prints a line an object, as kubectl apply does:
/// "rolebinding.rbac.authorization.k8s.io/owner serverside-applied in namespace shop". stdout gets
/// what became of objects, stderr remarks and what went wrong; the exit code is 1 where not all is
/// as templates say.
Output PrintPopulation(const migrate::report::PopulationReport& report);

}  // namespace plugin::report
