#include "migrate/migration/persist_results.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/base/result.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/proof.h"
#include "migrate/migration/migration_end.h"
#include "migrate/rewrite/failed_objects.h"
#include "migrate/rewrite/retried_objects.h"

namespace migrate::migration {
namespace {

using Failed = std::vector<rewrite::FailedObject>;

void ForgetRetried(const report::CrdMigration& report, const MigrationOptions& options,
                   Failed& failed) {
  const auto retried = rewrite::RetriedOf(report.name, *options.retried);
  std::erase_if(failed, [&retried](const rewrite::FailedObject& object) {
    return std::ranges::any_of(retried, [&object](const rewrite::ObjectName& tried) {
      return tried.namespace_ == object.namespace_ && tried.name == object.name;
    });
  });
}

// Each once; an object may have failed before pruning was on, and again later.
Failed WithFailures(const report::CrdMigration& report, Failed failed) {
  for (const report::ObjectFailure& failure : report.failures) {
    failed.push_back({.namespace_ = failure.namespace_,
                      .name = failure.name,
                      .is_held = failure.object_class == report::ObjectClass::kHeld});
  }
  const auto key = [](const rewrite::FailedObject& object) {
    return std::tie(object.namespace_, object.name);
  };
  // The last word on each counts.
  std::ranges::reverse(failed);
  std::ranges::stable_sort(failed, {}, key);
  // The form of ranges has a view that clang 14 cannot read.
  const auto is_same = [&key](const rewrite::FailedObject& a, const rewrite::FailedObject& b) {
    return key(a) == key(b);
  };
  failed.erase(std::unique(failed.begin(), failed.end(), is_same), failed.end());
  return failed;
}

}  // namespace

void RememberFailed(const report::CrdMigration& report, const MigrationOptions& options,
                    const kube::crd::Crd& crd, rewrite::MigrationObserver& observer) {
  if (options.dry_run != report::DryRun::kNone || crd.preserve_unknown_fields) return;
  const bool has_ended =
      report.outcome == report::Outcome::kDone || report.outcome == report::Outcome::kFailures;
  const bool is_whole = has_ended && !IsPartial(options);
  if (!is_whole && !options.retried && report.failures.empty()) return;
  Failed failed;
  if (!is_whole) failed = rewrite::LoadFailedObjects(options.state_dir, crd.uid);
  if (has_ended && options.retried) ForgetRetried(report, options, failed);
  try {
    rewrite::SaveFailedObjects(WithFailures(report, std::move(failed)), options.state_dir, crd.uid);
  } catch (const kube::base::Error& error) {
    observer.OnLine("Warning: " + report.name +
                    ": which objects failed is not remembered for --retry-failed: " + error.what());
  }
}

void RememberProof(VerifiedPass pass, const MigrationOptions& options,
                   const rewrite::MigrationSession& session) {
  const std::string warning = "Warning: " + pass.crd.name + ": that it is verified is not ";
  const report::Verified verified{check::TimeText(options.pruning.now()), pass.seen.size()};
  const check::Proof proof{.crd_uid = pass.crd.uid,
                           .generation = pass.crd.generation,
                           .storage_version = pass.storage_version,
                           .address = session.address,
                           .schema = kube::crd::SchemaText(pass.crd, pass.storage_version),
                           .pruned_since = pass.pruned_since,
                           .verified = verified,
                           .seen = std::move(pass.seen)};
  try {
    check::Save(proof, options.state_dir);
  } catch (const kube::base::Error& error) {
    session.observer.OnLine(warning + "remembered: " + error.what());
  }
  if (!options.record) return;
  const auto recorded =
      check::PatchCrd(session.client, pass.crd_target, check::AnnotationPatch(proof));
  if (recorded) return;
  session.observer.OnLine(warning + "recorded in the CRD: " + recorded.error().message);
}

}  // namespace migrate::migration
