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

/// What is to be done for one proposed CRD, in this order; the files are applied between `before`
/// and `behind`.
struct CrdPlan {
  const migrate::report::CrdReport* crd = nullptr;
  bool is_stuck = false;  ///< the server takes it in no order; there is nothing but `fix`
  std::vector<migrate::report::UpgradeStep> fix{}, decisions{}, before{}, behind{}, later{};

  bool needs_server_side = false;   ///< it is too long for client-side apply
  bool brings_webhook = false;      ///< which converts objects from the apply on
  bool needs_two_releases = false;  ///< what applies files does one thing at a time
  std::string manager{};            ///< who applies it server-side; empty: client-side
};

/// Finds the plan of a CRD that is proposed, in the order that UpgradePlan describes. `is_alone`:
/// no other CRD of the files has its name. `is_whole`: no flag left out objects, so that those
/// which were counted are those that a migration rewrites. The result refers to `crd`.
CrdPlan FindCrdPlan(const migrate::report::CrdReport& crd, bool is_alone, bool is_whole,
                    const PlanFiles& files);

/// " -f FILE" of a report's source, for a shell.
std::string FileFlag(const std::string& source);

/// The flags of a server-side apply that takes what is in the file, as client-side apply does; by
/// `manager`, empty for kubectl's own.
std::string ServerSideFlags(const std::string& manager);

/// "pause Flux (label ...) for widgets.example.com ...": who keeps the CRD as a repository says may
/// undo what a step makes of it. Empty where there is no sign of any.
std::string PausedOwner(const migrate::report::CrdReport& crd);

}  // namespace plugin::report
