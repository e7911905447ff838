#include "migrate/migration/rewrite_end.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "migrate/check/crd_objects.h"
#include "migrate/migration/after_pruning_on.h"
#include "migrate/migration/migration_end.h"

namespace migrate::migration {
namespace {

using report::Outcome;

// What was not tried is listed to its end, if that is possible.
std::string Unlisted(const rewrite::RewriteResult& result) {
  if (!result.list_error) return "";
  return "\nsome objects are not even counted: " + result.list_error->message;
}

void End(Outcome outcome, std::string error, report::CrdMigration& report) {
  report.outcome = outcome;
  report.error = std::move(error);
}

void TakeOutcome(const rewrite::RewriteResult& result, const CrdAfterRewrite& crd,
                 report::CrdMigration& report) {
  if (result.is_interrupted) {
    report.outcome = Outcome::kInterrupted;
    if (crd.is_pruning_on) report.error = kInterruptedAfterPruningOn;
  } else if (crd.loss) {
    End(Outcome::kError, *crd.loss + RunAnewAdvice(report), report);
  } else if (crd.change) {
    End(Outcome::kError, WithNextStep(*crd.change, report.name), report);
  } else if (result.is_broken) {
    End(Outcome::kError, *result.stopped + RunAnewAdvice(report), report);
  } else if (result.stopped) {
    End(Outcome::kFailures, *result.stopped + Unlisted(result), report);
  } else if (result.list_error) {
    End(Outcome::kError,
        check::WithVersionAdvice(result.list_error->message) + RunAnewAdvice(report), report);
  } else if (report.counts.Failures() > 0 || !result.unverified_because.empty()) {
    report.outcome = Outcome::kFailures;
  }
}

}  // namespace

void EndRewrite(rewrite::RewriteResult result, const CrdAfterRewrite& crd,
                report::CrdMigration& report) {
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
  TakeOutcome(result, crd, report);
}

}  // namespace migrate::migration
