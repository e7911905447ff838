#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "migrate/report/fleet_report.h"
#include "migrate/report/migration_report.h"
#include "migrate/report/restore_report.h"
#include "plugin/report/page.h"

/// What each report says to people: a page, which each format renders.
namespace plugin::report {

// Tables of what a check found of a CRD that a terminal shows as well.

Table GuardWritersTable(const migrate::report::CrdReport& crd);
Table MaybeInEtcdTable(const migrate::report::CrdReport& crd);
Table RefusedObjectsTable(const migrate::report::CrdReport& crd);
Table EntriesTable(std::string title, const std::vector<migrate::report::StaleEntry>& entries);

// The same of a restore.

Table RestoredFieldsTable(std::string title,
                          const std::vector<migrate::report::RestoredField>& fields);
Table RestoredObjectsTable(const migrate::report::CrdRestore& crd);

/// What `check` says to people: a section for each CRD, in the order of the report.
Page PageOf(const migrate::report::CheckReport& report);

/// What `migrate` says to people: a section for each CRD, in the order of the report, and for each
/// that --all did not take up.
Page PageOf(const migrate::report::MigrationReport& report);

/// What `restore` says to people: a section for each CRD, in the order of the report.
Page PageOf(const migrate::report::RestoreReport& report);

/// What `migrate` says to people of a fleet: a section for each CRD of each cluster, by the name
/// "CLUSTER / CRD", and one for each cluster that was not migrated; in the order of the report.
Page PageOf(const migrate::report::FleetMigrationReport& report);

/// What `check` says to people of a fleet: a section for each CRD of each cluster, by the name
/// "CLUSTER / CRD", and one for each cluster that could not be checked; in the order of the report.
Page PageOf(const migrate::report::FleetReport& report);

}  // namespace plugin::report
