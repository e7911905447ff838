#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kube/crd/crd.h"
#include "migrate/check/rewrite_forecast.h"
#include "migrate/migration/turn_pruning_on.h"

namespace migrate::migration {

/// The end of errors behind which nothing is left to go on from.
inline constexpr char kRunAnew[] = "; run the same command again";
/// The error of a run that was interrupted before pruning was on.
inline constexpr char kInterruptedBeforePruning[] = "interrupted before pruning was turned on";

/// The end of the error that says that the CRD was changed before pruning was on, as `crd` is now.
std::string NextStepBehindChange(const kube::crd::Crd& crd);

/// How the backup ended.
struct BackedUp {
  report::Outcome outcome = report::Outcome::kDone;
  std::string error;  ///< where it is not kDone: why, and the next step
  /// Absolute, as a later run, perhaps from another folder, names it too; empty: no object changes.
  std::string path;
  std::vector<rewrite::LosingObject> losing;  ///< not written since they were listed
};

/// Writes the backup `file`, beside it the CRD by which its objects will be pruned (pruned_by.h),
/// and which writes of objects it knows to the state's file for that. A watch keeps it current to
/// the end, when the CRD at `crd_target` is read: as soon as somebody else turns pruning on,
/// objects are read without the fields that the backup is made for. Nothing is left behind of a
/// backup that is not kDone. `is_in_one_pass`: objects of all stored versions are pruned without
/// being rewritten before. Throws kube::base::Error where it cannot be written.
BackedUp BackUp(const PruningRun& run, const std::string& crd_target,
                const std::filesystem::path& file, const check::RewriteForecast& forecast,
                bool is_in_one_pass);

}  // namespace migrate::migration
