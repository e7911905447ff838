#pragma once

#include <string>
#include <vector>

#include "migrate/report/check_report.h"

namespace plugin::report {

/// How the files of -f were named.
struct PlanFiles {
  std::vector<std::string> filenames{};
  bool recursive = false;
};

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

// ---- The plan of one CRD.

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

/// Finds the plan of a CRD that is proposed, in the order of FindUpgradePlan. `is_alone`:
/// no other CRD of the files has its name. `is_whole`: no flag left out objects, so that those
/// which were counted are those that a migration rewrites. The result refers to `crd`.
CrdPlan FindCrdPlan(const migrate::report::CrdReport& crd, bool is_alone, bool is_whole);

/// " -f FILE" of a report's source, for a shell.
std::string FileFlag(const std::string& source);

/// The flags of a server-side apply that takes what is in the file, as client-side apply does; by
/// `manager`, empty for kubectl's own.
std::string ServerSideFlags(const std::string& manager);

/// "pause Flux (label ...) for widgets.example.com ...": who keeps the CRD as a repository says may
/// undo what a step makes of it. Empty where there is no sign of any.
std::string PausedOwner(const migrate::report::CrdReport& crd);

}  // namespace plugin::report
