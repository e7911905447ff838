#include "migrate/rewrite/rewrite_passes.h"

#include <utility>

#include "kube/base/text.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/pause.h"
#include "migrate/cluster/spool.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
namespace {

constexpr char kRewrite[] = "rewrite";

constexpr int kVerifyingPasses = 3;
constexpr const char* kOrdinals[] = {"second", "third", "fourth"};

std::string NameOfVerifying(int pass) { return "verify" + std::to_string(pass + 1); }

std::uint64_t Failures(const SweepResult& sweep) { return sweep.counts.Failures(); }

class RewritePasses {
 public:
  RewritePasses(const RewriteScope& scope, const SweepOptions& options,
                const std::filesystem::path& folder, const MigrationSession& session,
                RewriteResult& result)
      : scope_(scope), options_(options), folder_(folder), session_(session), result_(result) {}

  void Rewrite() {
    ForgetOutdated();
    if (IsClaimed() && !WaitUntilNoticed()) return;
    result_.sweep = RunFirst();
    TakeEnd(result_.sweep);
  }

  void Verify() {
    if (!verifies() || !result_.is_complete()) return;
    if (IsClaimed()) JudgeClaim();
    if (!result_.verified && WaitToVerify()) RunVerifying();
  }

 private:
  bool verifies() const { return scope_.verify && !scope_.target.dry_run; }

  // What an earlier run has verified to the end proves nothing of what is stored now.
  void ForgetOutdated() {
    if (IsVerified()) ForgetVerified();
    if (IsClaimed() && IsRewritten()) cluster::Spool::Remove(folder_, kRewrite);
    if (!AskWhetherSetBack(cluster::Spool(folder_, kRewrite).newest_resource_version())) return;
    ForgetVerified();
    session_.observer.OnLine(
        scope_.crd_name +
        ": the cluster was set back to what it was before an earlier run; what that "
        "run has rewritten is rewritten again");
    cluster::Spool::Remove(folder_, kRewrite);
  }

  // Whether the last pass of an earlier run came to its end.
  bool IsVerified() const {
    for (int pass = kVerifyingPasses; pass-- > 0;) {
      const cluster::Spool spool(folder_, NameOfVerifying(pass));
      if (!spool.purpose().empty()) return spool.is_complete() && spool.is_answered();
    }
    return false;
  }

  // The first pass came to its end.
  bool IsRewritten() const {
    const cluster::Spool spool(folder_, kRewrite);
    return !spool.purpose().empty() && spool.is_complete() && spool.is_answered();
  }

  void ForgetVerified() {
    for (int pass = 0; pass < kVerifyingPasses; ++pass) {
      cluster::Spool::Remove(folder_, NameOfVerifying(pass));
    }
  }

  // To a snapshot of etcd: with each write of the cluster its resource version grows.
  bool AskWhetherSetBack(std::uint64_t newest_rewritten) {
    if (newest_rewritten == 0) return false;
    const auto list = session_.client.Get(cluster::WithChunk(ListPath(scope_.target), 1, ""));
    if (!list) return false;  // the rewrite meets the same error
    const std::uint64_t now =
        cluster::NumberOf(cluster::ReadPageMetadata((*list)->root()).resource_version);
    return now != 0 && now < newest_rewritten;
  }

  SweepOptions OptionsOf(const std::string& what, std::uint64_t passes_after) const {
    SweepOptions options = options_;
    options.on_progress = [this, what, passes_after](SweepProgress progress) {
      progress.passes_after = passes_after;
      session_.observer.OnProgress(what, progress);
    };
    options.on_line = [this](const std::string& line) {
      session_.observer.OnLine(scope_.crd_name + ": " + line);
    };
    return options;
  }

  SweepResult RunFirst() {
    const std::uint64_t verifying = verifies() && !IsClaimed() ? 1 : 0;
    const SweepOptions options = OptionsOf(scope_.crd_name, verifying + scope_.passes_after);
    if (scope_.named) {
      return SweepNamed(scope_.target, options, folder_, *scope_.named, kRewrite, session_);
    }
    SweepTarget target = scope_.target;
    target.ignores_other_writers = IsClaimed();
    return Sweep(target, options, folder_, kRewrite, session_);
  }

  bool IsClaimed() const { return !scope_.claimed_by.empty(); }

  // What was missing is rewritten by now, and to be verified as always.
  void JudgeClaim() {
    const report::ClassCounts& counts = result_.sweep.counts;
    result_.not_as_claimed = counts[report::ObjectClass::kRewritten];
    if (result_.not_as_claimed > 0) return ReportFalseClaim();
    if (counts.Failures() > 0) return;
    result_.verified = true;
    result_.verifying_pass = kRewrite;
    if (counts.Total() == 0) return;
    session_.observer.OnLine(scope_.verified_words + ": a pass over " +
                             kube::base::Count(counts.Total(), "object") + " rewrote none");
  }

  void ReportFalseClaim() const {
    session_.observer.OnLine("Warning: " + scope_.crd_name + ": " + scope_.claimed_by +
                             " says that it has rewritten all objects, but " +
                             std::to_string(result_.not_as_claimed) + " of " +
                             kube::base::Count(result_.sweep.counts.Total(), "object") +
                             " were not; they are now");
  }

  // False: to be stopped.
  bool WaitToVerify() { return result_.sweep.counts.Total() == 0 || WaitUntilNoticed(); }

  bool WaitUntilNoticed() {
    if (cluster::WaitUntil(scope_.verify_from, session_)) return true;
    result_.is_interrupted = true;
    result_.stopped = "interrupted";
    return false;
  }

  void RunVerifying() {
    SweepOptions options = OptionsOf("verifying " + scope_.crd_name, scope_.passes_after);
    options.is_held = nullptr;  // what is held was not rewritten
    std::string previous = kRewrite;
    for (int pass = 0; pass < kVerifyingPasses; ++pass) {
      const std::string name = NameOfVerifying(pass);
      const SweepResult sweep =
          SweepAgain(scope_.target, options, folder_, previous, name, session_);
      TakeEnd(sweep);
      result_.verifying_pass = name;
      if (!TakePass(sweep, kOrdinals[pass])) return;
      previous = name;
    }
  }

  // False where no other pass is needed, or of use.
  bool TakePass(const SweepResult& sweep, const std::string& ordinal) {
    result_.later_failures.insert(result_.later_failures.end(), sweep.failures.begin(),
                                  sweep.failures.end());
    const std::uint64_t rewritten = sweep.counts[report::ObjectClass::kRewritten];
    const std::uint64_t total = sweep.counts.Total();
    const std::string objects = std::to_string(total) + (total == 1 ? " object" : " objects");
    if (!result_.is_complete()) {
      result_.unverified_because = "the verifying pass ended early";
      return false;
    }
    if (rewritten > 0) {
      result_.unverified_because = "the " + ordinal + " pass over " + objects + " still rewrote " +
                                   std::to_string(rewritten);
      session_.observer.OnLine(scope_.crd_name + ": " + result_.unverified_because);
      return true;
    }
    if (!result_.later_failures.empty() || Failures(sweep) > 0) {
      result_.unverified_because =
          "some objects could not be rewritten once more by the verifying pass";
      return false;
    }
    if (sweep.stale_left > 0) {
      result_.unverified_because = "managedFields of " +
                                   kube::base::Count(sweep.stale_left, "object") +
                                   " still name versions that the CRD does not have";
      return false;
    }
    result_.verified = true;
    result_.unverified_because.clear();
    if (total > 0)
      session_.observer.OnLine(scope_.verified_words + ": a " + ordinal + " pass over " + objects +
                               " rewrote none");
    return false;
  }

  void TakeEnd(const SweepResult& sweep) {
    result_.cleaned += sweep.cleaned;
    result_.emptied.insert(sweep.emptied.begin(), sweep.emptied.end());
    result_.stopped = sweep.stopped;
    result_.is_interrupted = sweep.is_interrupted;
    result_.is_broken = sweep.is_broken;
    result_.list_error = sweep.list_error;
  }

  const RewriteScope& scope_;
  const SweepOptions& options_;
  const std::filesystem::path& folder_;
  const MigrationSession session_;
  RewriteResult& result_;
};

}  // namespace

RewriteResult RewriteObjects(const RewriteScope& scope, const SweepOptions& options,
                             const std::filesystem::path& folder, const MigrationSession& session) {
  RewriteResult result;
  RewritePasses(scope, options, folder, session, result).Rewrite();
  return result;
}

void VerifyRewrite(const RewriteScope& scope, const SweepOptions& options,
                   const std::filesystem::path& folder, const MigrationSession& session,
                   RewriteResult& result) {
  RewritePasses(scope, options, folder, session, result).Verify();
}

RewriteResult RunRewritePasses(const RewriteScope& scope, const SweepOptions& options,
                               const std::filesystem::path& folder,
                               const MigrationSession& session) {
  RewriteResult result = RewriteObjects(scope, options, folder, session);
  VerifyRewrite(scope, options, folder, session, result);
  return result;
}

std::set<std::string> FindEmptied(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder)) return {};
  std::set<std::string> emptied = cluster::Spool(folder, kRewrite).Emptied();
  for (int pass = 0; pass < kVerifyingPasses; ++pass) {
    emptied.merge(cluster::Spool(folder, NameOfVerifying(pass)).Emptied());
  }
  return emptied;
}

}  // namespace migrate::rewrite
