#include "migrate/migration/migration_end.h"

#include <cstdint>
#include <vector>

#include "migrate/check/crd_guard.h"

namespace migrate::migration {

bool IsPartial(const MigrationOptions& options) {
  return options.retried || !options.namespace_.empty() || !options.label_selector.empty() ||
         !options.field_selector.empty();
}

std::string WhyVersionsKept(const report::CrdMigration& report, const MigrationOptions& options,
                            const std::string& unverified_because, const std::string& cannot_trim) {
  if (report.stored_after == std::vector<std::string>{report.storage_version}) return "";
  if (options.dry_run != report::DryRun::kNone) return "nothing is written in a dry run";
  if (options.retry_failed) return "only the objects of --retry-failed were rewritten";
  if (options.retried) return "only the objects of --retry-from were rewritten";
  if (IsPartial(options)) return "only the objects of -n, -l or --field-selector were rewritten";
  if (options.keep_stored_versions) return "--keep-stored-versions";
  if (report.outcome == report::Outcome::kInterrupted) return "the migration was interrupted";
  if (report.outcome == report::Outcome::kError) return "the migration could not go on";
  if (report.counts[report::ObjectClass::kHeld] > 0) return "some objects are held";
  if (report.counts.Failures() > 0) return "some objects were not rewritten";
  if (!unverified_because.empty()) return unverified_because;
  if (!report.verified) return "it was not verified that all objects are rewritten";
  if (report.outcome != report::Outcome::kDone) return "the migration is not complete";
  return cannot_trim;
}

std::string WithNextStep(const std::string& change, const std::string& crd_name) {
  if (change == check::kCrdDeleted) {
    return change + ", and its objects with it: nothing is left to be migrated";
  }
  return change + "; look at it (kubectl get crd " + crd_name +
         " -o yaml), then run the same command again";
}

std::string RunAnewAdvice(const report::CrdMigration& report) {
  return std::string("\nrun the same command again: it ") +
         (report.begins_anew ? "begins anew" : "goes on where it was");
}

rewrite::RunState::End EndOfRun(const report::CrdMigration& report, bool is_complete) {
  if (report.outcome == report::Outcome::kInterrupted ||
      report.outcome == report::Outcome::kError) {
    return rewrite::RunState::End::kInTheMiddle;
  }
  const std::uint64_t held = report.counts[report::ObjectClass::kHeld];
  if (!is_complete || report.counts.Failures() > held) return rewrite::RunState::End::kFailures;
  return held > 0 ? rewrite::RunState::End::kHolding : rewrite::RunState::End::kDone;
}

}  // namespace migrate::migration
