#pragma once

#include <string>

#include "migrate/report/check_report.h"

/// What a report says of all CRDs together, as whole lines.
namespace plugin::report::text {

/// "300 CRDs: 12 blocked, 4 would lose fields (1874 of 52000 objects), 284 already pruning".
std::string Summary(const migrate::report::CheckReport& report);

/// Which CRDs lose nothing when pruning is turned on, and the command that does it; empty where
/// there is none.
std::string ReadyNote(const migrate::report::CheckReport& report);

/// The kinds of objects that no CRD is known for, the first ones or `all`; empty where there is
/// none.
std::string UnknownKindsNote(const migrate::report::CheckReport& report, bool all);

/// Which CRDs and objects could not be checked, and why, a line each, for what shows no sections:
/// names, rows, JSON. Without those that CheckReport::file_errors tell of.
std::string IncompleteErrors(const migrate::report::CheckReport& report);

/// How many CRDs a signal kept from being looked at.
std::string InterruptedNote(const migrate::report::CheckReport& report);
/// A line for each CRD whose report has a note.
std::string CrdNotes(const migrate::report::CheckReport& report);
/// Which objects were read, if not all; else empty.
std::string ObjectFilterNote(const migrate::report::CheckReport& report);

/// That custom resources in files were passed over; empty where there were none.
std::string FileObjectsNote(const migrate::report::CheckReport& report);

}  // namespace plugin::report::text
