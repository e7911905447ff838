#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "migrate/report/check_report.h"

/// Reports made by hand, for the tests of what prints them.
namespace test_reports {

/// What ages are counted to.
constexpr std::chrono::sys_seconds kNow =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(3);

/// Prunes already, its objects were not read: nothing to tell.
migrate::report::CrdReport Certificates();
/// Preserves, one version, not structural: blocked.
migrate::report::CrdReport Gizmos();
/// Preserves, two versions, 1874 of 2000 objects lose fields.
migrate::report::CrdReport Widgets();
/// Preserves, structural, no object loses anything: ready.
migrate::report::CrdReport Gadgets();

/// A report on these CRDs, without errors.
migrate::report::CheckReport Report(std::vector<migrate::report::CrdReport> crds);
migrate::report::FieldUse Use(const std::string& path, std::uint64_t objects);
migrate::report::CrdReport Named(migrate::report::CrdReport crd, const std::string& name);

}  // namespace test_reports
