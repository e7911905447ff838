#include "migrate/guard/guarded_crds.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "migrate/check/apply_effect.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_names.h"
#include "migrate/cluster/list_reader.h"

namespace migrate::guard {
namespace {

// A request is not to be warned of for what it does not change, whatever the server does.
constexpr check::ServerRules kLenient{.ratchets = true};

std::unique_ptr<const check::CrdCheck> MakeCheck(const kube::crd::Crd& live,
                                                 const cluster::Proposal* proposal) {
  using Origin = check::CrdCheckOptions::Origin;
  if (proposal == nullptr) {
    return std::make_unique<const check::CrdCheck>(
        kube::crd::CopyCrd(live), "", check::CrdCheckOptions{.origin = Origin::kServer});
  }
  kube::crd::Crd proposed = kube::crd::CopyCrd(proposal->crd);
  check::TakeConversionThatStays(proposed, live);
  return std::make_unique<const check::CrdCheck>(
      std::move(proposed), proposal->source,
      check::CrdCheckOptions{.origin = Origin::kProposal, .replaced = &live});
}

// Until their schemas are fixed the server refuses to turn pruning on.
std::vector<std::string> UnusableVersions(const check::CrdCheck& check) {
  std::vector<std::string> names;
  const std::vector<report::VersionReport>& versions = check.facts().report.versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const bool can_prune = check.facts().versions[i].is_convertible && versions[i].structural &&
                           check.server().FindSchema(versions[i].name) != nullptr;
    if (!can_prune) names.push_back(versions[i].name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

// What requests name is the cluster's, whatever is proposed.
GuardedCrd::GuardedCrd(const kube::crd::Crd& live, const cluster::Proposal* proposal,
                       bool keeps_schemas)
    : check_(MakeCheck(live, proposal)),
      live_schemas_(keeps_schemas ? std::make_unique<const check::ObjectSchemas>(live, kLenient)
                                  : nullptr),
      proposed_schemas_(proposal == nullptr ? nullptr
                                            : std::make_unique<const check::ObjectSchemas>(
                                                  proposal->crd, kLenient)),
      group_(live.group),
      plural_(live.names.plural),
      kind_(live.names.kind),
      uid_(live.uid),
      generation_(live.generation),
      report_{.name = live.name,
              .source = check_->source(),
              .preserve_unknown_fields = live.preserve_unknown_fields,
              .unusable_versions = UnusableVersions(*check_)} {}

std::vector<VersionSchema> GuardedCrd::SchemasOf(std::string_view version) const {
  const report::CrdReport& report = check_->facts().report;
  std::vector<VersionSchema> schemas;
  AddVersion(schemas, version);
  if (!report.converts_by_webhook && version != report.storage_version) {
    AddVersion(schemas, report.storage_version);
  }
  return schemas;
}

// Where the cluster's CRD prunes, a field that is still there is in its schema.
std::string_view GuardedCrd::WhenRemoved() const {
  if (report_.preserve_unknown_fields) return " will be removed when pruning is turned on";
  return report_.source.empty() ? " is removed" : " will be removed when its new CRD is applied";
}

void GuardedCrd::AddVersion(std::vector<VersionSchema>& schemas, std::string_view version) const {
  const kube::schema::StructuralSchema* schema = check_->server().FindSchema(version);
  if (schema == nullptr || std::ranges::binary_search(report_.unusable_versions, version)) return;
  schemas.push_back({std::string(version), schema});
}

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
      live, proposal == proposals_.end() ? nullptr : &proposal->second, selection_.keeps_schemas);
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

namespace {

using kube::json::Document;
using kube::json::Value;

// A CRD may be half a megabyte, and a page is not to be more than some.
constexpr std::int64_t kChunkSize = 20;

}  // namespace

/// Takes the CRDs of one attempt to read the list, and keeps of each no more than is needed.
class CrdWatch::Taker : public cluster::ItemTaker {
 public:
  explicit Taker(const CrdWatch* watch) : watch_(*watch) {}

  void Handle(std::size_t, Document& item, std::uint64_t) override {
    if (!item.root().is_object()) return;
    const std::string name = check::NameOfItem(item.root());
    const auto crd = check::ReadListedCrd(item.root(), watch_.api_version_);
    GuardedCrds::Pointer guarded = crd ? watch_.guarded_.Make(*crd) : nullptr;
    const std::lock_guard lock(mutex_);
    identities.push_back(crd ? check::IdentityOf(*crd) : check::CrdIdentity{name, "", {}});
    if (!crd) unreadable.push_back(name + ": " + crd.error());
    if (guarded != nullptr) found[name] = std::move(guarded);
  }

  std::map<std::string, GuardedCrds::Pointer> found;
  std::vector<check::CrdIdentity> identities;
  std::vector<std::string> unreadable;

 private:
  const CrdWatch& watch_;
  std::mutex mutex_;
};

CrdWatch::CrdWatch(GuardedCrds& guarded, std::string target, const kube::client::Session& session,
                   LogFunction tell)
    : guarded_(guarded),
      api_version_(check::ApiVersionOfTarget(target)),
      session_(session),
      tell_(std::move(tell)),
      watch_({.target = std::move(target),
              .what = "CustomResourceDefinitions",
              .chunk_size = kChunkSize,
              .make_taker = cluster::MakerOf(taker_, this),
              .on_list = [this] { HandleList(); },
              .on_event = [this](cluster::WatchEventType type,
                                 const Value& object) { HandleEvent(type, object); },
              .tell = tell_},
             session) {}

bool CrdWatch::Begin() {
  const auto problem = watch_.Begin();
  if (session_.is_stopped()) return false;
  if (problem) throw kube::base::Error(problem->message);
  return true;
}

void CrdWatch::HandleList() {
  const std::shared_ptr<Taker> taker = std::move(taker_);
  // A name that nobody answers to is a mistake at the beginning, and a deleted CRD later.
  if (!std::exchange(has_begun_, true)) {
    check::RequireEachNamesOne(guarded_.selection().names, taker->identities);
    for (const std::string& problem : taker->unreadable) tell_("cannot read the CRD " + problem);
  }
  guarded_.Replace(std::move(taker->found));
}

void CrdWatch::HandleEvent(cluster::WatchEventType type, const Value& object) {
  const std::string name = check::NameOfItem(object);
  if (type == cluster::WatchEventType::kDeleted) return guarded_.Remove(name);
  const auto crd = kube::crd::ReadCopiedCrd(object);
  // What was known of it holds until it can be read again.
  if (!crd) return tell_("cannot read the CRD " + name + ": " + crd.error());
  guarded_.Put(name, guarded_.Make(*crd));
}

}  // namespace migrate::guard
