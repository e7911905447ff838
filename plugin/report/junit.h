#pragma once

#include <string>
#include <string_view>

#include "plugin/report/page.h"

namespace plugin::report {

/// Appends `text` to XML 1.0, inside an element or an attribute: what is markup is escaped, and
/// what XML cannot hold, escaped or not, is shown as on a terminal (terminal.h), or U+FFFD. Line
/// breaks stay.
void AppendXml(std::string& out, std::string_view text);

/// The page as CI reads the results of tests: JUnit XML with a suite for the run and a case for
/// each CRD. A finding is a failure, what could not be looked at an error, objects that were not
/// read make it skipped; what went wrong of the whole is an error of a case of its own.
std::string PrintJunit(const Page& page);

}  // namespace plugin::report
