#include "migrate/guard/guarded_crds.h"

#include <utility>

#include "kube/base/error.h"
#include "migrate/check/crd_names.h"

namespace migrate::guard {
namespace {

// Of all versions: in which one a request is written shows the request.
kube::admission::Resource ResourceOf(const GuardedCrd& crd) {
  return {.group = crd.group(), .version = "*", .plural = crd.plural()};
}

}  // namespace

GuardedCrds::GuardedCrds(GuardSelection selection, std::vector<cluster::Proposal> proposals)
    : selection_(std::move(selection)) {
  for (cluster::Proposal& proposal : proposals) {
    const std::string name = proposal.crd.name;
    // What is there already is left where it is.
    const auto [known, is_new] = proposals_.try_emplace(name, std::move(proposal));
    if (!is_new) {
      throw kube::base::Error(known->second.source + " and " + proposal.source + " both give \"" +
                              name + "\"; requests can be held against one of them only");
    }
  }
}

bool GuardedCrds::IsWanted(const kube::crd::Crd& live) const {
  const bool is_proposed = proposals_.contains(live.name);
  if (!selection_.names.empty()) {
    return check::IsNamedByAny(check::IdentityOf(live), selection_.names);
  }
  return is_proposed || (selection_.all && live.preserve_unknown_fields);
}

GuardedCrds::Pointer GuardedCrds::Make(const kube::crd::Crd& live) const {
  if (!IsWanted(live)) return nullptr;
  const std::shared_ptr<const Crds> known_crds = crds();
  const auto known = known_crds->find(live.name);
  if (known != known_crds->end() && known->second->uid() == live.uid &&
      known->second->generation() == live.generation) {
    return known->second;
  }
  const auto proposal = proposals_.find(live.name);
  return std::make_shared<const GuardedCrd>(
      live, proposal == proposals_.end() ? nullptr : &proposal->second, selection_.keeps_rules);
}

void GuardedCrds::Replace(std::map<std::string, Pointer> crds) {
  std::erase_if(crds, [](const auto& entry) { return entry.second == nullptr; });
  Swap(std::move(crds));
}

void GuardedCrds::Put(const std::string& name, Pointer crd) {
  Crds changed = *crds();
  if (crd == nullptr) {
    changed.erase(name);
  } else {
    changed[name] = std::move(crd);
  }
  Swap(std::move(changed));
}

void GuardedCrds::Swap(Crds crds) {
  auto next = std::make_shared<const Crds>(std::move(crds));
  const std::lock_guard lock(mutex_);
  if (*next == *crds_) return;
  crds_.swap(next);
  ++revision_;
}

std::shared_ptr<const GuardedCrds::Crds> GuardedCrds::crds() const {
  const std::lock_guard lock(mutex_);
  return crds_;
}

std::uint64_t GuardedCrds::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

// The API server takes a CRD of no other name than PLURAL.GROUP.
GuardedCrds::Pointer GuardedCrds::Find(std::string_view group, std::string_view plural) const {
  const std::shared_ptr<const Crds> now = crds();
  const auto found = now->find(std::string(plural).append(".").append(group));
  return found == now->end() ? nullptr : found->second;
}

std::vector<kube::admission::Resource> GuardedCrds::resources() const {
  std::vector<kube::admission::Resource> resources;
  for (const auto& [name, crd] : *crds()) resources.push_back(ResourceOf(*crd));
  return resources;
}

std::vector<report::GuardedUse> GuardedCrds::Report() const {
  std::vector<report::GuardedUse> report;
  for (const auto& [name, crd] : *crds()) report.push_back(crd->report());
  return report;
}

std::vector<std::string> GuardedCrds::UnguardedProposals() const {
  const std::shared_ptr<const Crds> now = crds();
  std::vector<std::string> names;
  for (const auto& [name, proposal] : proposals_) {
    if (!now->contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace migrate::guard
