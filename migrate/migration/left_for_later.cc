#include "migrate/migration/left_for_later.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/base/error.h"
#include "migrate/crds/crd_request.h"
#include "migrate/migration/migration_end.h"
#include "migrate/proof/proof.h"
#include "migrate/state/failed_objects.h"
#include "migrate/sweep/retried_objects.h"

namespace migrate::migration {
namespace {

using Failed = std::vector<state::FailedObject>;

void ForgetRetried(const report::CrdMigration& report, const MigrationOptions& options,
                   Failed& failed) {
  const auto retried = sweep::RetriedOf(report.name, *options.retried);
  std::erase_if(failed, [&retried](const state::FailedObject& object) {
    return std::ranges::any_of(retried, [&object](const sweep::write::ObjectName& tried) {
      return tried.namespace_ == object.namespace_ && tried.name == object.name;
    });
  });
}

// Each once; an object may have failed before the switch and behind it.
Failed WithFailures(const report::CrdMigration& report, Failed failed) {
  for (const report::ObjectFailure& failure : report.failures) {
    failed.push_back({.namespace_ = failure.namespace_,
                      .name = failure.name,
                      .is_held = failure.object_class == report::ObjectClass::kHeld});
  }
  const auto key = [](const state::FailedObject& object) {
    return std::tie(object.namespace_, object.name);
  };
  // The last word on each counts.
  std::ranges::reverse(failed);
  std::ranges::stable_sort(failed, {}, key);
  const auto rest = std::ranges::unique(failed, {}, key);
  failed.erase(rest.begin(), rest.end());
  return failed;
}

}  // namespace

void RememberFailed(const report::CrdMigration& report, const MigrationOptions& options,
                    const kube::crd::Crd& crd, sweep::MigrationObserver& observer) {
  if (options.dry_run != report::DryRun::kNone || crd.preserve_unknown_fields) return;
  const bool has_ended =
      report.outcome == report::Outcome::kDone || report.outcome == report::Outcome::kFailures;
  const bool is_whole = has_ended && !IsPartial(options);
  if (!is_whole && !options.retried && report.failures.empty()) return;
  Failed failed;
  if (!is_whole) failed = state::LoadFailedObjects(options.state_dir, crd.uid);
  if (has_ended && options.retried) ForgetRetried(report, options, failed);
  try {
    state::SaveFailedObjects(WithFailures(report, std::move(failed)), options.state_dir, crd.uid);
  } catch (const kube::base::Error& error) {
    observer.OnLine("Warning: " + report.name +
                    ": which objects failed is not remembered for --retry-failed: " + error.what());
  }
}

void RememberProof(VerifiedPass pass, const MigrationOptions& options,
                   const sweep::MigrationSession& session) {
  const std::string warning = "Warning: " + pass.crd.name + ": that it is verified is not ";
  const report::Verified verified{proof::TimeText(options.pruning.now()), pass.seen.size()};
  const proof::Proof proof{.crd_uid = pass.crd.uid,
                           .generation = pass.crd.generation,
                           .storage_version = pass.storage_version,
                           .address = session.address,
                           .schema = kube::crd::SchemaText(pass.crd, pass.storage_version),
                           .pruned_since = pass.pruned_since,
                           .verified = verified,
                           .seen = std::move(pass.seen)};
  try {
    proof::Save(proof, options.state_dir);
  } catch (const kube::base::Error& error) {
    session.observer.OnLine(warning + "remembered: " + error.what());
  }
  if (!options.record) return;
  const auto recorded =
      crds::PatchCrd(session.client, pass.crd_target, proof::AnnotationPatch(proof));
  if (recorded) return;
  session.observer.OnLine(warning + "recorded in the CRD: " + recorded.error().message);
}

}  // namespace migrate::migration
