#include "plugin/report/upgrade_plan.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "kube/base/text.h"
#include "plugin/terminal/wording.h"

namespace plugin::report {
namespace {

using kube::base::Join;
using migrate::report::CrdReport;
using migrate::report::UpgradeStep;

bool IsApplied(const CrdReport& crd) {
  return crd.apply && crd.apply->accepted && crd.apply->is_unchanged;
}

/// The step that applies the files of `ways`.
class ApplyStep {
 public:
  // `has_others`: files hold more than CRDs, of which nobody knows whether the cluster has it.
  ApplyStep(const std::vector<CrdPlan>& ways, bool has_others, const WayFiles& files)
      : files_(files) {
    for (const CrdPlan& way : ways) {
      (way.is_stuck ? stuck_ : free_).insert(way.crd->source);
      if (way.is_stuck) continue;
      if (has_others || !IsApplied(*way.crd)) due_.insert(way.crd->source);
      is_server_side_ |= way.needs_server_side;
      if (!way.manager.empty()) managers_.insert(way.manager);
      is_in_two_releases_ |= way.needs_two_releases;
      if (way.brings_webhook) webhooks_.insert(way.crd->name);
      is_blind_ |= way.crd->replaced && way.crd->objects_skipped;
    }
    for (const std::string& source : stuck_) {
      free_.erase(source);
      due_.erase(source);
    }
  }

  bool is_possible() const { return !free_.empty(); }
  // What is chosen file by file brings nothing where each CRD is there as it is.
  bool is_done() const { return !stuck_.empty() && due_.empty(); }
  bool Takes(const CrdPlan& way) const { return free_.contains(way.crd->source); }

  UpgradeStep Step() const {
    std::string command = "kubectl apply";
    if (managers_.size() == 1) {
      command += ServerSideFlags(*managers_.begin());
    } else if (is_server_side_ || !managers_.empty()) {
      command += ServerSideFlags("");
    }
    command += files_.connection;
    return {stuck_.empty() ? "apply the files" : "apply the files that nothing holds up",
            command + Flags(), Reason()};
  }

 private:
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

  std::string Reason() const {
    std::vector<std::string> reasons;
    if (!webhooks_.empty()) {
      reasons.push_back("have the conversion webhook of " + Join(webhooks_, ", ") + " up before");
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

  const WayFiles& files_;
  std::set<std::string> stuck_, free_, due_, managers_, webhooks_;  // due_ is a part of free_
  bool is_server_side_ = false, is_in_two_releases_ = false, is_blind_ = false;
};

void AppendStep(std::vector<UpgradeStep>& all, const std::vector<CrdPlan>& ways,
                std::vector<UpgradeStep> CrdPlan::*steps, const ApplyStep* apply = nullptr) {
  for (const CrdPlan& way : ways) {
    if (apply != nullptr && !apply->Takes(way)) continue;
    std::ranges::copy(way.*steps, std::back_inserter(all));
  }
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

std::vector<UpgradeStep> FindUpgradePlan(const migrate::report::CheckReport& report,
                                         const WayFiles& files) {
  std::vector<CrdPlan> ways;
  for (const CrdReport& crd : report.crds) {
    if (!crd.source.empty() && (crd.apply || !crd.error.empty())) {
      const auto same = std::ranges::count_if(
          report.crds, [&crd](const CrdReport& one) { return one.name == crd.name; });
      ways.push_back(FindCrdPlan(crd, same == 1, files));
    }
  }
  if (ways.empty()) return {};
  const ApplyStep apply(ways, report.has_others_in_files, files);
  std::vector<UpgradeStep> steps;
  AppendStep(steps, ways, &CrdPlan::mend);
  AppendStep(steps, ways, &CrdPlan::decisions);
  AppendStep(steps, ways, &CrdPlan::before, &apply);
  if (apply.is_possible() && !apply.is_done() && !IsApplied(report)) steps.push_back(apply.Step());
  AppendStep(steps, ways, &CrdPlan::behind, &apply);
  AppendStep(steps, ways, &CrdPlan::later, &apply);
  return steps;
}

}  // namespace plugin::report
