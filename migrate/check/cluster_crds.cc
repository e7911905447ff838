#include "migrate/check/cluster_crds.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "kube/base/result.h"
#include "kube/client/answer_meaning.h"
#include "migrate/check/apply_effect.h"
#include "migrate/cluster/object_metadata.h"

namespace migrate::check {
namespace {

using kube::json::Value;

constexpr std::string_view kApis = "/apis/";

}  // namespace

std::string ApiVersionOfTarget(std::string_view target) {
  if (target.starts_with(kApis)) target.remove_prefix(kApis.size());
  return std::string(target.substr(0, target.rfind('/')));
}

std::string NameOfItem(const Value& item) {
  return std::string(cluster::MetadataText(item, "name"));
}

kube::base::Result<kube::crd::Crd, std::string> ReadListedCrd(const Value& item,
                                                              const std::string& api_version) {
  auto document = std::make_unique<kube::json::Document>();
  Value& root = document->root();
  root = kube::json::DeepCopy(item, document->arena());
  if (root.is_object()) {
    root.Set("apiVersion", Value::String(document->arena().Copy(api_version)), document->arena());
    root.Set("kind", Value::String("CustomResourceDefinition"), document->arena());
  }
  return kube::crd::ReadCrd(std::move(document));
}

namespace {

using kube::client::CallError;
using kube::client::Meaning;
using kube::json::Document;

bool IsFullName(const std::string& name) { return name.find('.') != std::string::npos; }

bool HasVersion(const Value& group, std::string_view version) {
  return std::ranges::any_of(group.At("versions").elements(),
                             [&](const Value& v) { return v.FindText("version") == version; });
}

report::CrdReport UnreadReport(const std::string& name, const std::string& why) {
  report::CrdReport report;
  report.name = name;
  report.error = why;
  return report;
}

// Of a current server only v1; of one without either, v1 is the better message.
kube::base::Result<std::string, std::string> AskCrdsTarget(kube::client::Client& client) {
  const std::string group_target = "/apis/apiextensions.k8s.io";
  const auto group = client.Get(group_target);
  std::string version = "v1";
  if (group) {
    version = HasVersion((*group)->root(), "v1") ? "v1" : "v1beta1";
  } else if (const Meaning meaning = MeaningOf(group.error()); IsUnanswered(meaning) ||
                                                               meaning == Meaning::kForeign ||
                                                               meaning == Meaning::kUnauthorized) {
    return kube::base::Unexpected(group.error().message);
  }
  return group_target + "/" + version + "/customresourcedefinitions";
}

class CrdReader {
 public:
  CrdReader(const ClusterCrdOptions& options, std::vector<cluster::Proposal> proposals,
            cluster::ClusterReader& reader)
      : options_(options), reader_(reader) {
    for (cluster::Proposal& proposal : proposals) {
      proposals_[proposal.crd.name].push_back(std::move(proposal));
    }
  }

  ClusterCrds Read() {
    if (FindTarget()) {
      if (options_.checks_validity || options_.keep_manifests || !proposals_.empty())
        found_.release = AskRelease(reader_.client());
      ReadAll();
      if (options_.finds_beside && options_.names.empty() && options_.selector.empty())
        FindBeside();
    }
    // What is missing then is not new.
    found_.is_complete = !reader_.is_stopped();
    if (found_.is_complete) {
      if (!options_.selector.empty()) FindLeftOut();
      AddNewCrds();
      RequireEachNamesOne(options_.names, identities_,
                          options_.selector.empty() ? "" : " among those of --crd-selector");
      RequireNoneNamesTwo(options_.ignored, identities_);
    }
    return std::move(found_);
  }

 private:
  // False if the run was stopped meanwhile.
  bool FindTarget() {
    auto target = AskCrdsTarget(reader_.client());
    if (reader_.is_stopped()) return false;
    if (!target) throw kube::base::Error(target.error());
    found_.target = *std::move(target);
    api_version_ = ApiVersionOfTarget(found_.target);
    return true;
  }

  // One by one where all are named in full: that needs the least of rights and of bytes.
  void ReadAll() {
    const bool are_proposed = options_.names.empty() && options_.is_limited_to_proposals;
    const std::set<std::string> names = are_proposed ? ProposedNames() : GivenNames();
    if (are_proposed && names.empty()) return;
    const bool by_name =
        !names.empty() && options_.selector.empty() && std::ranges::all_of(names, IsFullName);
    const bool all_found = by_name && ReadByName(names);
    // A name that was not found may still be "widget.demo.example.com".
    if (!by_name || (!all_found && !are_proposed)) ListAll();
  }

  std::set<std::string> GivenNames() const {
    std::set<std::string> names;
    for (const std::string& name : options_.names) names.insert(CrdNameOf(name));
    return names;
  }

  std::set<std::string> ProposedNames() const {
    std::set<std::string> names;
    for (const auto& [name, proposals] : proposals_) {
      if (!name.empty()) names.insert(name);
    }
    return names;
  }

  // False if there is no CRD of some name.
  bool ReadByName(const std::set<std::string>& names) {
    const std::vector<cluster::ListJob> jobs = ReadEach(names, [this](const std::string& name) {
      return cluster::HandleEach([this, name](Document& item) { TakeNamed(name, item.root()); });
    });
    bool all_found = true;
    auto name = names.begin();
    for (const cluster::ListJob& job : jobs) {
      if (job.error) all_found &= HandleError(*name, *job.error);
      ++name;
    }
    return all_found;
  }

  void FindBeside() {
    std::set<std::string> groups;
    for (const std::string& name : ProposedNames()) {
      groups.insert(name.substr(std::min(name.find('.') + 1, name.size())));
    }
    if (groups.empty()) return;
    const auto all = reader_.client().Get("/apis");
    if (!all) return;
    std::set<std::string> found;
    std::vector<cluster::ListJob> jobs;
    for (const Value& group : (*all)->root().At("groups").elements()) {
      const std::string name(group.FindText("name"));
      if (!groups.contains(name)) continue;
      for (const Value& version : group.At("versions").elements()) {
        jobs.emplace_back("/apis/" + kube::client::UrlEscape(name) + "/" +
                              kube::client::UrlEscape(version.FindText("version")),
                          cluster::HandleEach([this, name, &found](Document& item) {
                            TakeResources(item.root(), name, found);
                          }),
                          false);
      }
    }
    reader_.Read(jobs);
    for (const std::string& name : found) {
      const bool is_ignored = std::ranges::count(options_.ignored, name) > 0;
      if (!is_ignored && !proposals_.contains(name)) found_.beside.push_back(name);
    }
  }

  // Subresources have the name of theirs before a slash.
  void TakeResources(const Value& list, const std::string& group, std::set<std::string>& found) {
    const std::lock_guard lock(mutex_);
    for (const Value& resource : list.At("resources").elements()) {
      const std::string name(resource.FindText("name"));
      if (!name.empty() && name.find('/') == std::string::npos) found.insert(name + "." + group);
    }
  }

  std::vector<cluster::ListJob> ReadEach(
      const std::set<std::string>& names,
      const std::function<cluster::TakerMaker(const std::string& name)>& maker) {
    std::vector<cluster::ListJob> jobs;
    for (const std::string& name : names) {
      jobs.emplace_back(found_.target + "/" + kube::client::UrlEscape(name), maker(name), false);
    }
    reader_.Read(jobs, "CRDs");
    return jobs;
  }

  // False if there is no such CRD.
  bool HandleError(const std::string& name, const CallError& error) {
    const Meaning meaning = MeaningOf(error);
    if (meaning == Meaning::kNotFound) return false;
    if (IsUnanswered(meaning)) throw kube::base::Error(error.message);
    identities_.push_back({name, "", {}});
    found_.unread.push_back(UnreadReport(name, error.message));
    found_.unread.back().is_interrupted = reader_.is_stopped();
    seen_.insert(name);
    return true;
  }

  void ListAll() {
    std::string target = found_.target;
    if (!options_.selector.empty()) {
      target += "?labelSelector=" + kube::client::UrlEscape(options_.selector);
    }
    std::vector<cluster::ListJob> jobs;
    jobs.emplace_back(target,
                      cluster::HandleEach([this](Document& item) { HandleCrd(item.root()); }));
    reader_.Read(jobs, "CRDs");
    if (jobs[0].error && !reader_.is_stopped()) throw kube::base::Error(jobs[0].error->message);
  }

  // What is asked for by its name may be answered by anything.
  void TakeNamed(const std::string& name, const Value& item) {
    if (NameOfItem(item) == name) return HandleCrd(item);
    if (NoteName(name)) {
      TakeUnreadable(name, "the server's answer is no CustomResourceDefinition of this name");
    }
  }

  void HandleCrd(const Value& item) {
    const std::string name = NameOfItem(item);
    if (!NoteName(name)) return;
    auto crd = ReadListedCrd(item, api_version_);
    if (!crd) return TakeUnreadable(name, crd.error());
    LiveCrd live = DescribeLiveCrd(*crd);
    const bool is_wanted = IsWanted(live.identity);
    if (is_wanted) AddChecks(live, *std::move(crd));
    const std::lock_guard lock(mutex_);
    identities_.push_back(live.identity);
    if (is_wanted) found_.crds.emplace(name, std::move(live));
  }

  // True the first time: CRDs may come twice, by their name and in the list, or in a list that was
  // begun anew.
  bool NoteName(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return seen_.insert(name).second;
  }

  void TakeUnreadable(const std::string& name, const std::string& why) {
    const CrdIdentity identity{name, "", {}};
    if (!IsWanted(identity)) return;
    const std::lock_guard lock(mutex_);
    identities_.push_back(identity);
    found_.unread.push_back(UnreadReport(name, why));
  }

  bool IsWanted(const CrdIdentity& identity) const {
    if (IsNamedByAny(identity, options_.ignored)) return false;
    if (!options_.names.empty()) return IsNamedByAny(identity, options_.names);
    return !options_.is_limited_to_proposals || proposals_.contains(identity.name);
  }

  // Workers do this at once, each for a CRD of another name.
  void AddChecks(LiveCrd& live, kube::crd::Crd crd) {
    bool matters = ObjectsMatter(crd) || !options_.names.empty() || options_.all_objects;
    if (const auto proposals = proposals_.find(crd.name); proposals != proposals_.end()) {
      for (cluster::Proposal& proposal : proposals->second) AddProposal(live, proposal, &crd);
      matters = true;
    } else {
      const CrdCheckOptions options{.keep_paths = options_.keep_paths,
                                    .opened = options_.opened,
                                    .keep_manifest = options_.keep_manifests && matters,
                                    .origin = CrdCheckOptions::Origin::kServer,
                                    .checks_validity = options_.checks_validity,
                                    .server = RulesOf(found_.release),
                                    .proof = FindProof(crd)};
      live.checks.push_back(std::make_unique<CrdCheck>(std::move(crd), "", options));
    }
    live.reads_objects = matters && !options_.skip_objects;
  }

  std::shared_ptr<const ObjectProof> FindProof(const kube::crd::Crd& crd) const {
    return options_.find_proof ? options_.find_proof(crd) : nullptr;
  }

  void AddProposal(LiveCrd& live, cluster::Proposal& proposal,
                   const kube::crd::Crd* replaced) const {
    const CrdCheckOptions options{.keep_paths = options_.keep_paths,
                                  .opened = options_.opened,
                                  .keep_manifest = options_.keep_manifests,
                                  .origin = CrdCheckOptions::Origin::kProposal,
                                  .replaced = replaced,
                                  .checks_validity = options_.checks_validity,
                                  .server = RulesOf(found_.release),
                                  .proof = replaced == nullptr ? nullptr : FindProof(*replaced)};
    live.manifests.push_back(kube::json::Print(proposal.crd.document->root()));
    if (replaced != nullptr) TakeConversionThatStays(proposal.crd, *replaced);
    live.checks.push_back(
        std::make_unique<CrdCheck>(std::move(proposal.crd), std::move(proposal.source), options));
    live.applies.push_back(*live.checks.back()->facts().report.apply);
  }

  // A proposal whose CRD was not in the list may be for one that the selector left out.
  void FindLeftOut() {
    std::set<std::string> names = ProposedNames();
    std::erase_if(names, [this](const std::string& name) {
      const std::vector<cluster::Proposal>& proposals = proposals_.at(name);
      return seen_.contains(name) ||
             std::ranges::none_of(proposals, [this](const cluster::Proposal& p) {
               return IsWanted(IdentityOf(p.crd));
             });
    });
    const std::vector<cluster::ListJob> jobs =
        ReadEach(names, [](const std::string&) { return cluster::HandleEach([](Document&) {}); });
    auto name = names.begin();
    for (const cluster::ListJob& job : jobs) {
      if (!job.error) seen_.insert(*name);
      if (job.error) HandleError(*name, *job.error);
      ++name;
    }
  }

  // Proposals that the server has no CRD for.
  void AddNewCrds() {
    for (auto& [name, proposals] : proposals_) {
      if (seen_.contains(name)) continue;
      for (cluster::Proposal& proposal : proposals) {
        CrdIdentity identity = IdentityOf(proposal.crd);
        if (!IsWanted(identity)) continue;
        identities_.push_back(identity);
        LiveCrd& live = found_.crds[name];
        live.identity = std::move(identity);
        AddProposal(live, proposal, nullptr);
      }
    }
  }

  const ClusterCrdOptions& options_;
  cluster::ClusterReader& reader_;
  std::string api_version_;
  std::map<std::string, std::vector<cluster::Proposal>>
      proposals_;     // by name; the map itself stays
  std::mutex mutex_;  // guards what follows while workers run
  std::set<std::string> seen_;
  std::vector<CrdIdentity> identities_;
  ClusterCrds found_;
};

}  // namespace

std::optional<kube::base::Release> AskRelease(kube::client::Client& client) {
  const auto version = client.Get("/version");
  if (!version) return std::nullopt;
  const Value& root = (*version)->root();
  return kube::base::ParseRelease(std::string(root.FindText("major")) + "." +
                                  std::string(root.FindText("minor")));
}

std::string FindCrdsTarget(kube::client::Client& client) {
  auto target = AskCrdsTarget(client);
  if (!target) throw kube::base::Error(target.error());
  return *std::move(target);
}

ClusterCrds ReadClusterCrds(const ClusterCrdOptions& options,
                            std::vector<cluster::Proposal> proposals,
                            cluster::ClusterReader& reader) {
  return CrdReader(options, std::move(proposals), reader).Read();
}

}  // namespace migrate::check
