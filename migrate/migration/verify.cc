#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/crd_request.h"
#include "migrate/check/proof.h"
#include "migrate/cluster/spool.h"
#include "migrate/migration/after_pruning_on.h"
#include "migrate/migration/steps.h"
#include "migrate/rewrite/retried_objects.h"

namespace migrate::migration {
namespace {

using report::Outcome;

// What was not tried is listed to its end, if that is possible.
std::string Unlisted(const rewrite::RewriteResult& result) {
  if (!result.list_error) return "";
  return "\nsome objects are not even counted: " + result.list_error->message;
}

void RecordOutcome(const rewrite::RewriteResult& result, CrdRun& run) {
  report::CrdMigration& report = run.report;
  std::optional<std::string> loss, change;
  if (!result.is_interrupted) {
    loss = run.CheckLease();
    if (!loss) change = run.crd.CheckCrdUnchanged();
  }
  if (result.is_interrupted) {
    report.outcome = Outcome::kInterrupted;
    const bool is_pruning_on =
        run.options.enable_pruning && !run.crd.live().preserve_unknown_fields;
    if (is_pruning_on) report.error = kInterruptedAfterPruningOn;
  } else if (loss) {
    run.Fail(*loss + RunAnewAdvice(report));
  } else if (change) {
    run.Fail(WithNextStep(*change, report.name));
  } else if (result.is_broken) {
    run.Fail(*result.stopped + RunAnewAdvice(report));
  } else if (result.stopped) {
    report.outcome = Outcome::kFailures;
    report.error = *result.stopped + Unlisted(result);
  } else if (result.list_error) {
    run.Fail(check::WithVersionAdvice(result.list_error->message) + RunAnewAdvice(report));
  } else if (report.counts.Failures() > 0 || !result.unverified_because.empty()) {
    report.outcome = Outcome::kFailures;
  }
}

void Record(rewrite::RewriteResult& result, report::CrdMigration& report) {
  report.counts = result.sweep.counts;
  report.generations_moved = result.sweep.generations_moved;
  if (report.engine) report.engine->not_rewritten = result.not_as_claimed;
  report.AddCleaned(result.cleaned);
  report.managed_fields_emptied.merge(result.emptied);
  for (std::vector<report::ObjectFailure>* failures :
       {&result.sweep.failures, &result.later_failures}) {
    std::move(failures->begin(), failures->end(), std::back_inserter(report.failures));
  }
  report.verified = result.verified && report.counts.Failures() == 0;
}

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

// With `record` it is written into an annotation of the CRD, too.
void RememberProof(const CrdRun& run, std::uint64_t pruned_since, std::vector<std::uint64_t> seen) {
  const MigrationOptions& options = run.options;
  const kube::crd::Crd& crd = run.crd.live();
  const std::string warning = "Warning: " + crd.name + ": that it is verified is not ";
  const report::Verified verified{check::TimeText(options.pruning.now()), seen.size()};
  const check::Proof proof{.crd_uid = crd.uid,
                           .generation = crd.generation,
                           .storage_version = run.report.storage_version,
                           .address = run.session().address,
                           .schema = kube::crd::SchemaText(crd, run.report.storage_version),
                           .pruned_since = pruned_since,
                           .verified = verified,
                           .seen = std::move(seen)};
  try {
    check::Save(proof, options.state_dir);
  } catch (const kube::base::Error& error) {
    run.Line(warning + "remembered: " + error.what());
  }
  if (!options.record) return;
  const auto recorded =
      check::PatchCrd(run.session().client, run.crd.target(), check::AnnotationPatch(proof));
  if (!recorded) run.Line(warning + "recorded in the CRD: " + recorded.error().message);
}

}  // namespace

Verified Verify(CrdRun& run, const PreparedCrd& prepared, Rewritten rewritten) {
  rewrite::RewriteResult& result = rewritten.result;
  rewrite::VerifyRewrite(prepared.scope, prepared.sweep_options, rewritten.folder, run.session(),
                         result);
  if (rewritten.mutation) run.report.mutation = rewritten.mutation->facts();
  Record(result, run.report);
  RecordOutcome(result, run);
  if (rewritten.pruned_since && run.report.verified) {
    RememberProof(run, *rewritten.pruned_since,
                  check::SeenBy(cluster::Spool(rewritten.folder, result.verifying_pass)));
  }
  return {.is_complete = result.is_complete(),
          .unverified_because = std::move(result.unverified_because)};
}

void RememberFailed(const CrdRun& run) {
  const report::CrdMigration& report = run.report;
  const MigrationOptions& options = run.options;
  if (!run.crd.is_read() || run.is_dry_run()) return;
  const kube::crd::Crd& crd = run.crd.live();
  if (crd.preserve_unknown_fields) return;
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
    run.Line("Warning: " + report.name +
             ": which objects failed is not remembered for --retry-failed: " + error.what());
  }
}

}  // namespace migrate::migration
