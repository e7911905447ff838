#include "plugin/report/upgrade_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::base::Count;
using kube::base::Join;
using migrate::report::CrdReport;
using migrate::report::UpgradeStep;

bool IsApplied(const CrdReport& crd) {
  return crd.apply && crd.apply->accepted && crd.apply->is_unchanged;
}

/// The step that applies the files of `plans`.
class ApplyStep {
 public:
  // `has_others`: files hold more than CRDs, of which nobody knows whether the cluster has it.
  ApplyStep(const std::vector<CrdPlan>& plans, bool has_others, const PlanFiles& files)
      : files_(files), has_others_(has_others) {
    for (const CrdPlan& plan : plans) {
      if (plan.is_stuck) stuck_.insert(plan.crd->source);
    }
    for (const CrdPlan& plan : plans) {
      if (!stuck_.contains(plan.crd->source)) Add(plan);
    }
  }

  bool is_possible() const { return !free_.empty(); }
  // What is chosen file by file brings nothing where each CRD is there as it is.
  bool is_done() const { return !stuck_.empty() && due_.empty(); }
  // The cluster has each CRD of the files.
  bool is_there() const { return is_possible() && stuck_.empty() && due_.empty(); }
  bool Takes(const CrdPlan& plan) const { return free_.contains(plan.crd->source); }

  UpgradeStep Step() const {
    std::string command = "kubectl apply";
    if (managers_.size() == 1) {
      command += ServerSideFlags(*managers_.begin());
    } else if (is_server_side_ || !managers_.empty()) {
      command += ServerSideFlags("");
    }
    command += migrate::report::ClusterFlags();
    return {stuck_.empty() ? "apply the files" : "apply the files that nothing holds up",
            command + Flags(), Reason(), Needs(), Effect()};
  }

 private:
  void Add(const CrdPlan& plan) {
    const CrdReport& crd = *plan.crd;
    free_.insert(crd.source);
    ++(IsApplied(crd) ? there_ : lacking_);
    if (has_others_ || !IsApplied(crd)) due_.insert(crd.source);
    is_server_side_ |= plan.needs_server_side;
    if (!plan.manager.empty()) managers_.insert(plan.manager);
    is_in_two_releases_ |= plan.needs_two_releases;
    if (plan.brings_webhook) needs_.insert("the conversion webhook of " + crd.name + " is up");
    is_blind_ |= crd.replaced && crd.objects_skipped;
    if (IsApplied(crd)) return;
    if (!crd.replaced) ++fresh_;
    if (std::string paused = PausedOwner(crd); !paused.empty()) needs_.insert(std::move(paused));
    const bool prunes_already = crd.replaced && !crd.replaced->preserve_unknown_fields;
    if (prunes_already) hidden_ += crd.objects_losing_fields;
  }

  std::string Flags() const {
    std::string flags;
    if (stuck_.empty() && files_.recursive) flags += " -R";
    if (stuck_.empty()) {
      for (const std::string& name : files_.filenames) {
        flags += " -f " + terminal::ShellWord(name);
      }
      return flags;
    }
    for (const std::string& source : due_) flags += FileFlag(source);
    return flags;
  }

  std::string Needs() const {
    return Join(std::vector<std::string>(needs_.begin(), needs_.end()), "; ");
  }

  std::string Effect() const {
    std::vector<std::string> parts;
    if (fresh_ > 0) parts.push_back("creates " + Count(fresh_, "CRD"));
    if (lacking_ > fresh_) parts.push_back("changes " + Count(lacking_ - fresh_, "CRD"));
    if (has_others_) parts.emplace_back("creates or changes what else the files hold");
    if (hidden_ > 0) {
      parts.push_back("hides fields of " + Count(hidden_, "object") +
                      " until a write removes them");
    }
    return Join(parts, ", ");
  }

  std::string Reason() const {
    std::vector<std::string> reasons;
    if (there_ > 0 && lacking_ > 0) {
      reasons.push_back(std::to_string(there_) + " of " + Count(there_ + lacking_, "CRD") +
                        (there_ == 1 ? " is" : " are") + " in the cluster as in the files");
    }
    if (is_blind_) reasons.emplace_back("objects were not looked at, which may lose fields");
    if (is_server_side_) {
      reasons.emplace_back(
          "a CRD is too long for client-side apply, which keeps it in an annotation; as that does, "
          "it overrules other managers");
    }
    if (!managers_.empty()) {
      reasons.emplace_back("as " + Join(managers_, ", ") + " does, who applies it server-side");
    }
    if (!stuck_.empty()) reasons.emplace_back("what other files hold beside CRDs is left to you");
    if (is_in_two_releases_) {
      reasons.emplace_back(
          "where Helm or GitOps apply, it is a release of its own, behind the steps before it");
    }
    return Join(reasons, "; ");
  }

  const PlanFiles& files_;
  const bool has_others_;
  std::set<std::string> stuck_, free_, due_;  // files; the last are a part of those before
  std::set<std::string> managers_, needs_;
  std::size_t there_ = 0, lacking_ = 0, fresh_ = 0;  // CRDs; the last are a part of lacking_
  std::uint64_t hidden_ = 0;  // objects whose fields the new schemas do not show
  bool is_server_side_ = false, is_in_two_releases_ = false, is_blind_ = false;
};

void AppendStep(std::vector<UpgradeStep>& all, const std::vector<CrdPlan>& plans,
                std::vector<UpgradeStep> CrdPlan::*steps, const ApplyStep* apply = nullptr) {
  for (const CrdPlan& plan : plans) {
    if (apply != nullptr && !apply->Takes(plan)) continue;
    std::ranges::copy(plan.*steps, std::back_inserter(all));
  }
}

// Of each proposal.
std::vector<CrdPlan> FindCrdPlans(const migrate::report::CheckReport& report) {
  std::map<std::string_view, std::size_t> names;
  for (const CrdReport& crd : report.crds) ++names[crd.name];
  std::vector<CrdPlan> plans;
  for (const CrdReport& crd : report.crds) {
    if (!crd.source.empty() && (crd.apply || !crd.error.empty())) {
      plans.push_back(FindCrdPlan(crd, /*is_alone=*/names[crd.name] == 1,
                                  /*is_whole=*/report.object_filter.empty()));
    }
  }
  return plans;
}

using migrate::report::DoneStep;

// That all objects have been rewritten since the CRD is as the file has it.
bool IsMigrated(const CrdPlan& plan) {
  return IsApplied(*plan.crd) && plan.crd->verified && !plan.crd->migration_needed &&
         plan.before.empty() && plan.behind.empty();
}

// What the cluster shows of steps that are not in the plan any more.
std::vector<DoneStep> FindDoneSteps(const migrate::report::CheckReport& report,
                                    const std::vector<CrdPlan>& plans, const ApplyStep& apply) {
  std::vector<DoneStep> done;
  if (!report.file_errors.empty() || report.not_all_crds_read) return done;
  if (apply.is_there()) {
    done.push_back({"apply the files", "the cluster has their CRDs as they are in the files"});
  }
  std::vector<const CrdReport*> migrated;
  for (const CrdPlan& plan : plans) {
    if (IsMigrated(plan)) migrated.push_back(plan.crd);
  }
  if (migrated.size() == 1) {
    done.push_back({"migrate " + migrated[0]->name, migrated[0]->verified->Words()});
  } else if (!migrated.empty()) {
    done.push_back(
        {"migrate " + Count(migrated.size(), "CRD"), "a pass over all objects has verified each"});
  }
  return done;
}

}  // namespace

bool IsApplied(const migrate::report::CheckReport& report) {
  if (!report.file_errors.empty() || report.not_all_crds_read) return false;
  bool is_any = false;
  for (const CrdReport& crd : report.crds) {
    if (crd.source.empty()) continue;
    if (!IsApplied(crd)) return false;
    is_any = true;
  }
  return is_any && !report.has_others_in_files;
}

UpgradePlan FindUpgradePlan(const migrate::report::CheckReport& report, const PlanFiles& files) {
  const std::vector<CrdPlan> plans = FindCrdPlans(report);
  if (plans.empty()) return {};
  const ApplyStep apply(plans, report.has_others_in_files, files);
  UpgradePlan plan;
  std::vector<UpgradeStep>& steps = plan.steps;
  AppendStep(steps, plans, &CrdPlan::fix);
  AppendStep(steps, plans, &CrdPlan::decisions);
  AppendStep(steps, plans, &CrdPlan::before, &apply);
  if (apply.is_possible() && !apply.is_done() && !IsApplied(report)) steps.push_back(apply.Step());
  AppendStep(steps, plans, &CrdPlan::behind, &apply);
  AppendStep(steps, plans, &CrdPlan::later, &apply);
  if (!steps.empty()) plan.done = FindDoneSteps(report, plans, apply);
  return plan;
}

}  // namespace plugin::report
