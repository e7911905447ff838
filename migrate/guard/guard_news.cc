#include "migrate/guard/guard_news.h"

#include <chrono>
#include <utility>

#include "kube/base/text.h"
#include "migrate/report/program_name.h"

namespace migrate::guard {
namespace {

constexpr std::chrono::minutes kAskingPatience(1);

}  // namespace

GuardNews::GuardNews(const GuardedCrds& crds, const WriterTally& tally,
                     const kube::base::Clock& clock, LogFunction tell)
    : crds_(crds), tally_(tally), clock_(clock), tell_(std::move(tell)) {}

void GuardNews::Begin() {
  ReportCrds();
  for (const std::string& name : crds_.UnguardedProposals()) {
    tell_("note: " + name + " of the files is not guarded: it is not in the cluster, or not named");
  }
  if (told_crds_.empty()) tell_("note: there is nothing to guard yet");
  asking_due_ = clock_.Now() + kAskingPatience;
  has_begun_ = true;
}

void GuardNews::Advance() {
  if (crds_.revision() != revision_) ReportCrds();
  ReportAsking();
  if (tally_.left_out() > 0 && !std::exchange(is_left_out_told_, true)) {
    tell_(
        "note: there are more writers and fields than have places in the report; its summary "
        "counts the others");
  }
}

void GuardNews::ReportCrds() {
  revision_ = crds_.revision();
  std::map<std::string, report::GuardedUse> crds;
  for (report::GuardedUse& crd : crds_.Report()) {
    const auto known = told_crds_.find(crd.name);
    if (known == told_crds_.end() || known->second != crd) ReportCrd(crd);
    const std::string name = crd.name;
    crds.emplace(name, std::move(crd));
  }
  for (const auto& [name, crd] : told_crds_) {
    if (!crds.contains(name)) tell_("no longer guarding " + name);
  }
  told_crds_ = std::move(crds);
}

void GuardNews::ReportCrd(const report::GuardedUse& crd) {
  if (!told_crds_.contains(crd.name)) {
    tell_("guarding " + crd.name + (crd.source.empty() ? "" : " by the schemas of " + crd.source) +
          (has_begun_ ? " from now on" : ""));
  }
  if (!crd.unusable_versions.empty()) {
    tell_("note: nothing can be pruned by the schema of " +
          kube::base::Join(crd.unusable_versions, ", ") + " of " + crd.name +
          ", so its requests are let pass; see why by: " + report::OwnCommand("check " + crd.name));
  }
  if (!crd.preserve_unknown_fields && crd.source.empty()) {
    tell_("note: " + crd.name +
          " prunes already: what its schema lacks is gone before anybody is asked");
  }
}

void GuardNews::ReportAsking() {
  if (is_asking_told_) return;
  if (tally_.requests() > 0) {
    is_asking_told_ = true;
    return tell_("the API server asks");
  }
  if (clock_.Now() < asking_due_) return;
  asking_due_ = kube::base::Clock::TimePoint::max();
  tell_(
      "note: nobody has asked for a minute: either nothing was written, or the API server does not "
      "reach this address; a try: kubectl label an object with --dry-run=server");
}

}  // namespace migrate::guard
