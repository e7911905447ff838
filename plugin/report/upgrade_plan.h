#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"

namespace plugin::report {

/// How the files of -f were named.
struct PlanFiles {
  std::vector<std::string> filenames{};
  bool recursive = false;
  /// Flags that lead to the same cluster, each behind a blank (" --context=staging"); empty: none.
  std::string connection{};
};

/// In which order the CRDs that are proposed in `report` are brought into its cluster, so that the
/// server takes each and nothing is lost in silence: first what a person has to mend or decide,
/// then what has to be migrated before, the files, what is to be migrated behind them, and what a
/// later release may do. Empty where nothing is proposed.
///
/// A CRD that has to be mended holds up its file, and with it what comes behind; the others go on.
/// Whoever does every step in turn ends with all of them applied, and their objects in the storage
/// version.
std::vector<migrate::report::UpgradeStep> FindUpgradePlan(
    const migrate::report::CheckReport& report, const PlanFiles& files);

/// What has been done of that plan, as far as the cluster shows it: CRDs whose objects are proven
/// to be rewritten, and files whose CRDs the cluster has just so.
std::vector<migrate::report::DoneStep> FindDoneSteps(const migrate::report::CheckReport& report,
                                                     const PlanFiles& files);

/// Whether the files hold nothing that the cluster does not have just so.
bool IsApplied(const migrate::report::CheckReport& report);

}  // namespace plugin::report
