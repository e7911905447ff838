#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "migrate/report/report.h"

/// Reports made by hand, for the tests of what prints them.
namespace test_reports {

/// What ages are counted to.
constexpr std::chrono::sys_seconds kNow =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(3);

/// Prunes already, its objects were not read: nothing to tell.
migrate::CrdReport Certificates();
/// Preserves, one version, not structural: blocked.
migrate::CrdReport Gizmos();
/// Preserves, two versions, 1874 of 2000 objects lose fields.
migrate::CrdReport Widgets();
/// Preserves, structural, no object loses anything: ready.
migrate::CrdReport Gadgets();

/// A report on these CRDs, without errors.
migrate::CheckReport Report(std::vector<migrate::CrdReport> crds);
migrate::FieldUse Use(const std::string& path, std::uint64_t objects);
migrate::CrdReport Named(migrate::CrdReport crd, const std::string& name);

}  // namespace test_reports
