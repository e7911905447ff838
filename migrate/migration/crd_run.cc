#include "migrate/migration/crd_run.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "migrate/check/crd_request.h"
#include "migrate/report/program_name.h"

namespace migrate::migration {

RunCrd::RunCrd(std::string target, const kube::client::Session& session)
    : target_(std::move(target)), session_(session) {}

std::optional<std::string> RunCrd::Read() {
  auto crd = check::GetCrd(session_.client, target_);
  if (!crd) return crd.error().message;
  live_ = *std::move(crd);
  upgrade_.reset();
  change_.reset();
  Expect(check::ShapeOf(*live_));
  return std::nullopt;
}

std::optional<std::string> RunCrd::ReadTurnedOn() {
  check::CrdShape expected = noted_shape();
  ++expected.generation;
  expected.preserves_unknown_fields = false;
  auto crd = check::GetCrd(session_.client, target_);
  if (!crd) {
    return crd.error().message + "\npruning is on; rewrite the objects by the same command";
  }
  if (const auto change = check::CheckCrdUnchanged(expected, *crd)) {
    return WithNextStep(*change, live_->name);
  }
  live_ = *std::move(crd);
  Expect(std::move(expected));
  return std::nullopt;
}

std::string RunCrd::pruning_patch() const {
  return upgrade_ ? upgrade_->patch : check::kTurnPruningOn;
}

check::CrdShape RunCrd::noted_shape() const {
  check::CrdShape shape = expected();
  if (!upgrade_) return shape;
  shape.schemas = upgrade_->schemas;
  shape.kept_fields = upgrade_->kept_fields;
  return shape;
}

std::optional<std::string> RunCrd::CheckCrdUnchanged() {
  if (!change_) change_ = guard_->CheckCrdUnchanged();
  return change_;
}

CrdRun::CrdRun(const MigrationContext& the_context, const check::LiveCrd& the_found)
    : context(the_context),
      options(the_context.options),
      found(the_found),
      crd(context.crds_target + "/" + kube::client::UrlEscape(name()), context.session) {
  report.name = name();
  report.dry_run = options.dry_run;
  report.begins_anew = IsPartial(options) || is_dry_run();
}

bool CrdRun::Fail(std::string why) {
  report.outcome = report::Outcome::kError;
  report.error = std::move(why);
  return false;
}

bool CrdRun::GoOn() {
  if (!session().is_stopped()) return true;
  report.outcome = report::Outcome::kInterrupted;
  return false;
}

void CrdRun::OpenState(kube::base::Clock::TimePoint& verify_from) {
  std::filesystem::path state_dir = options.state_dir;
  if (is_dry_run()) {
    temporary = std::make_unique<cluster::TemporaryFolder>();
    state_dir = temporary->path();
  }
  const auto may_take_over = [this](const std::string& earlier) {
    Line("Warning: " + name() + ": an earlier run has left its state, which knew the cluster as " +
         earlier + "; now it is " + session().address +
         ". A cluster that was made of a snapshot has the same uids, and what was done there was "
         "not done here");
    return session().observer.Confirm("Is it the same cluster, to go on where that run has ended?");
  };
  const auto now = options.pruning.now();
  state = std::make_unique<rewrite::RunState>(
      state_dir, context.cluster,
      rewrite::RunOfCrd{.crd_name = name(),
                        .shape = crd.noted_shape(),
                        .stored_versions = crd.live().stored_versions,
                        .is_partial = IsPartial(options),
                        .address = session().address,
                        .may_take_over = may_take_over},
      now);
  verify_from = std::min(verify_from, session().clock.Now() + state->TimeUntilNoticed(now));
  if (state->goes_on()) Line(name() + ": going on where an earlier run has ended");
  report.stored_before = state->stored_before();
}

void CrdRun::LeaveState() {
  try {
    if (state) state->Close(rewrite::RunState::End::kInTheMiddle);
  } catch (const std::exception&) {  // what stays behind does no harm
  }
}

std::optional<std::string> CrdRun::CheckCrdUnchanged() {
  if (auto loss = CheckLease()) return loss;
  return crd.CheckCrdUnchanged();
}

bool IsPartial(const MigrationOptions& options) {
  return options.retried || options.objects.is_partial();
}

std::string WithNextStep(const std::string& change, const std::string& crd_name) {
  if (change == check::kCrdDeleted) {
    return change + ", and its objects with it: nothing is left to be migrated";
  }
  return change + "; look at it (kubectl get crd " + crd_name + " -o yaml" +
         report::ClusterFlags() + "), then run the same command again";
}

std::string RunAnewAdvice(const report::CrdMigration& report) {
  return std::string("\nrun the same command again: it ") +
         (report.begins_anew ? "starts from the beginning" : "resumes");
}

}  // namespace migrate::migration
