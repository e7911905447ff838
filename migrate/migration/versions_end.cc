#include "migrate/migration/versions_end.h"

#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "migrate/migration/migration_end.h"
#include "migrate/migration/stored_versions.h"

namespace migrate::migration {
namespace {

void Trim(report::CrdMigration& report, const ExpectedCrd& crd,
          const rewrite::MigrationSession& session) {
  if (report.stored_after == std::vector<std::string>{report.storage_version}) return;
  TrimmedVersions trimmed = TrimStoredVersions(crd.target, crd.shape, session);
  if (!trimmed.after.empty()) report.stored_after = std::move(trimmed.after);
  report.kept_because = std::move(trimmed.kept_because);
  if (report.kept_because.empty()) return;
  if (trimmed.is_changed) {
    report.outcome = report::Outcome::kError;
    report.error = WithNextStep(report.kept_because, report.name);
    return;
  }
  report.outcome = report::Outcome::kFailures;
  report.error = "status.storedVersions could not be trimmed: " + report.kept_because +
                 "\nall objects are migrated; mend that, then run the same command again, or "
                 "leave it by --keep-stored-versions";
}

// From 1.36 on the cluster trims by itself once its own engine has ended, whatever became of the
// objects: who goes by it would take a version away that some are still stored in.
void PutBack(report::CrdMigration& report, const ExpectedCrd& crd,
             const rewrite::MigrationSession& session) {
  const bool may_be_trimmed = report.engine && !report.engine->migration.empty();
  if (!may_be_trimmed || session.is_stopped()) return;
  TrimmedVersions kept =
      PutStoredVersionsBack(crd.target, crd.shape, report.stored_before, session);
  if (!kept.after.empty()) report.stored_after = std::move(kept.after);
  if (kept.kept_because.empty() || report.stored_after == report.stored_before) return;
  session.observer.OnLine(
      "Warning: " + report.name + ": status.storedVersions is " +
      kube::base::Join(report.stored_after, ",") + " and not " +
      kube::base::Join(report.stored_before, ",") + " as before (" + kept.kept_because +
      "), though not all objects are verified: leave these versions in the CRD until a run has "
      "verified all");
}

}  // namespace

void EndStoredVersions(report::CrdMigration& report, const ExpectedCrd& crd,
                       const rewrite::MigrationSession& session) {
  report.kept_because.empty() ? Trim(report, crd, session) : PutBack(report, crd, session);
}

}  // namespace migrate::migration
