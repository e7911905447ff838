#pragma once

#include <string>

#include "plugin/report/page.h"

namespace plugin::report {

/// The page as CI reads the results of tests: JUnit XML with a suite for the run and a case for
/// each CRD. A finding is a failure, what could not be looked at an error, objects that were not
/// read make it skipped; what went wrong of the whole is an error of a case of its own.
std::string PrintJunit(const Page& page);

}  // namespace plugin::report
