#include <chrono>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/crd/crd.h"
#include "kube/json/json.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/pause.h"
#include "migrate/migration/steps.h"

namespace migrate::migration {
namespace {

void TrimVersions(report::CrdMigration& report, const ExpectedCrd& crd,
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
                 "\nall objects are migrated; fix that, then run the same command again, or "
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

void EndStoredVersions(report::CrdMigration& report, const ExpectedCrd& crd,
                       const rewrite::MigrationSession& session) {
  report.kept_because.empty() ? TrimVersions(report, crd, session) : PutBack(report, crd, session);
}

namespace {

using kube::client::Meaning;
using kube::client::MeaningOf;
using kube::json::Arena;
using kube::json::Value;
using Versions = std::vector<std::string>;

// Controllers write conditions; nobody writes without end.
constexpr int kAttempts = 5;
constexpr std::chrono::seconds kFirstRetryPause(1);

std::string VersionsPatch(const std::string& resource_version, const Versions& versions) {
  Arena arena;
  Value metadata = Value::Object();
  metadata.Set("resourceVersion", Value::String(resource_version), arena);
  Value stored = Value::Array();
  for (const std::string& version : versions) stored.Append(Value::String(version), arena);
  Value status = Value::Object();
  status.Set("storedVersions", stored, arena);
  Value patch = Value::Object();
  patch.Set("metadata", metadata, arena);
  patch.Set("status", status, arena);
  return kube::json::Print(patch);
}

/// One attempt after the other, until it is known how the versions are.
class VersionsWriter {
 public:
  VersionsWriter(const std::string& target, const check::CrdShape& expected, Versions wanted,
                 const kube::client::Session& session)
      : target_(target), expected_(expected), wanted_(std::move(wanted)), session_(session) {}

  TrimmedVersions Run() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (!Read()) return std::move(result_);
      Patch();
      if (!may_pass_) continue;
      const auto until = session_.clock.Now() + kFirstRetryPause * (1 << attempt);
      if (!cluster::PauseUntil(until, session_)) break;
    }
    // The last attempt may have succeeded as well.
    Read();
    return std::move(result_);
  }

 private:
  // False where nothing is left to do.
  bool Read() {
    const auto crd = check::GetCrd(session_.client, target_);
    if (!crd) return Keep(crd.error().message);
    result_.after = crd->stored_versions;
    if (const auto change = check::CheckCrdUnchanged(expected_, *crd)) {
      result_.is_changed = true;
      return Keep(*change);
    }
    if (crd->stored_versions == wanted_) return Keep("");
    if (is_refused_) return false;
    resource_version_ = crd->resource_version;
    return true;
  }

  // Also where no answer came the write may have been done: only reading tells.
  void Patch() {
    const auto patched = check::PatchCrd(session_.client, target_ + "/status",
                                         VersionsPatch(resource_version_, wanted_));
    may_pass_ = !patched && MayPass(MeaningOf(patched.error()));
    if (patched) {
      result_.kept_because = "the server answered to the PATCH of its status, but did not do it";
      return;
    }
    result_.kept_because = patched.error().message;
    const Meaning meaning = MeaningOf(patched.error());
    is_refused_ = IsRefusal(meaning) && meaning != Meaning::kConflict;
  }

  bool Keep(std::string why) {
    result_.kept_because = std::move(why);
    return false;
  }

  const std::string& target_;
  const check::CrdShape& expected_;
  const Versions wanted_;
  const kube::client::Session session_;
  TrimmedVersions result_;
  std::string resource_version_;
  bool is_refused_ = false, may_pass_ = false;
};

}  // namespace

TrimmedVersions TrimStoredVersions(const std::string& target, const check::CrdShape& expected,
                                   const kube::client::Session& session) {
  return VersionsWriter(target, expected, {expected.storage_version}, session).Run();
}

TrimmedVersions PutStoredVersionsBack(const std::string& target, const check::CrdShape& expected,
                                      const std::vector<std::string>& versions,
                                      const kube::client::Session& session) {
  return VersionsWriter(target, expected, versions, session).Run();
}

void Trim(CrdRun& run, const PreparedCrd& prepared, const Verified& verified) {
  report::CrdMigration& report = run.report;
  report.kept_because = WhyVersionsKept(report, run.options, verified.unverified_because,
                                        prepared.preflight.kept_because);
  const auto loss = run.CheckLease();
  if (!loss) {
    return EndStoredVersions(report, {run.crd.target(), run.crd.expected()}, run.session());
  }
  const bool is_trimmed = report.stored_after == std::vector<std::string>{report.storage_version};
  if (is_trimmed || !report.kept_because.empty()) return;
  report.kept_because = *loss;
  run.Fail(*loss + RunAnewAdvice(report));
}

}  // namespace migrate::migration
