#pragma once

#include <string>

#include "migrate/report/population_report.h"

namespace plugin::report {

/// What goes where, and how the program ends.
struct PopulationOutput {
  std::string out;  ///< for stdout: what became of objects
  std::string err;  ///< for stderr: remarks, and what went wrong
  int exit_code;    ///< 0 all is as templates say, 1 something is not; not of signals
};

/// Prints a line an object, as kubectl apply does:
/// "rolebinding.rbac.authorization.k8s.io/owner serverside-applied in namespace shop".
PopulationOutput PrintPopulation(const migrate::report::PopulationReport& report);

}  // namespace plugin::report
