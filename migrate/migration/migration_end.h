#pragma once

#include <string>

#include "migrate/migration/migration.h"
#include "migrate/report/migration_report.h"
#include "migrate/rewrite/run_state.h"

namespace migrate::migration {

/// A run over some of the objects of a CRD only.
bool IsPartial(const MigrationOptions& options);

/// Why status.storedVersions stays as it is; empty: it may be trimmed, or holds the storage version
/// alone. Of several reasons the first one, as it is the one to mend.
///
/// `unverified_because` is that of the rewrite, `cannot_trim` that of the preflight.
std::string WhyVersionsKept(const report::CrdMigration& report, const MigrationOptions& options,
                            const std::string& unverified_because, const std::string& cannot_trim);

/// The words for a change of a CRD that ends a run, with what to do about it.
std::string WithNextStep(const std::string& change, const std::string& crd_name);

/// What to do about a run that something ended which may have passed: on a line of its own.
std::string RunAnewAdvice(const report::CrdMigration& report);

/// What the next run has to know of how this one ended: after a run that ended by itself it begins
/// anew, but for what is held. `is_complete`: every object was tried.
rewrite::RunState::End EndOfRun(const report::CrdMigration& report, bool is_complete);

}  // namespace migrate::migration
