#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"
#include "plugin/report/crd_plan.h"

namespace plugin::report {

/// What is to be done, and what the cluster shows to be done already of it.
struct UpgradePlan {
  std::vector<migrate::report::UpgradeStep> steps{};
  std::vector<migrate::report::DoneStep> done{};  ///< empty where nothing is left
};

/// In which order the CRDs that are proposed in `report` are brought into its cluster, so that the
/// server takes each and nothing is lost in silence: first what a person has to fix or decide,
/// then what has to be migrated before, the files, what is to be migrated behind them, and what a
/// later release may do. Empty where nothing is proposed.
///
/// A CRD that has to be fixed holds up its file, and with it what comes behind; the others go on.
/// Whoever does every step in turn ends with all of them applied, and their objects in the storage
/// version.
///
/// The files are told as applied if the cluster has each of their CRDs just so; a CRD as migrated
/// if it is one of these, and a pass over all of its objects has proven it since.
UpgradePlan FindUpgradePlan(const migrate::report::CheckReport& report, const PlanFiles& files);

/// Whether the files hold nothing that the cluster does not have just so.
bool IsApplied(const migrate::report::CheckReport& report);

}  // namespace plugin::report
