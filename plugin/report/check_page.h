#pragma once

#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/page.h"

namespace plugin::report {

/// Adds the tables of what was found of `crd`, those that matter most first.
void AddCheckTables(Section& section, const migrate::report::CrdReport& crd);

/// What `check` says to people: a section for each CRD, in the order of the report.
Page PageOf(const migrate::report::CheckReport& report);

/// How many CRDs there are, in all and of each verdict, and how many objects.
std::vector<Tally> TalliesOf(const std::vector<const migrate::report::CrdReport*>& crds);

/// The worst of what is on the page; a page without sections is no good one.
Tone WorstToneOf(const Page& page);

}  // namespace plugin::report
