#include "migrate/check/bundle_objects.h"

#include <memory>
#include <utility>

#include "kube/crd/crd.h"
#include "kube/meta/type_meta.h"
#include "migrate/check/crd_check.h"

namespace migrate::check {
namespace {

using kube::json::Document;

std::string KindOfObject(std::string_view kind, std::string_view group) {
  return std::string(kind).append(".").append(group);
}

/// What is in the files for one CRD.
struct Bundled {
  std::vector<std::unique_ptr<CrdCheck>> checks{};  // made with the first object
  std::vector<CrdTally> tallies{};
};

/// One run of CheckBundleObjects.
class BundleChecker {
 public:
  BundleChecker(const std::map<std::string, LiveCrd>& crds, const std::set<std::string>& kinds,
                const std::optional<kube::base::Release>& release)
      : crds_(crds), kinds_(kinds), release_(release) {
    for (const auto& [name, crd] : crds) {
      if (crd.manifests.empty()) continue;
      names_[KindOfObject(crd.identity.names.kind, crd.identity.group)] = name;
    }
  }

  void Take(const cluster::ProposedObject& object) {
    Document document;
    if (document.Parse(object.json)) return;  // as it was printed by us
    const auto type = kube::meta::TypeOf(document.root());
    const std::string kind = KindOfObject(type.kind, type.group_version.group);
    const auto name = names_.find(kind);
    if (name == names_.end()) {
      found_.without_crd += kinds_.contains(kind) ? 0 : 1;
      return;
    }
    Bundled& bundled = BundledOf(name->second);
    for (std::size_t i = 0; i < bundled.checks.size(); ++i) {
      if (bundled.checks[i] == nullptr) continue;
      bundled.checks[i]->CheckObject({document.root(), object.place, object.source},
                                     bundled.tallies[i]);
    }
  }

  BundleObjects Result() {
    for (const auto& [name, bundled] : bundled_) {
      BundleObjects::OfCrd& reports = found_.crds[name];
      for (std::size_t i = 0; i < bundled.checks.size(); ++i) {
        reports.push_back(ReportOf(bundled.checks[i].get(), bundled.tallies[i]));
      }
    }
    return std::move(found_);
  }

 private:
  Bundled& BundledOf(const std::string& name) {
    const auto [found, is_new] = bundled_.try_emplace(name);
    if (!is_new) return found->second;
    for (const std::string& manifest : crds_.at(name).manifests) {
      found->second.checks.push_back(MakeCheck(manifest));
      found->second.tallies.emplace_back();
    }
    return found->second;
  }

  // Pruning is on by then, whatever the file says of it.
  std::unique_ptr<CrdCheck> MakeCheck(const std::string& manifest) const {
    auto document = std::make_unique<Document>();
    if (document->Parse(manifest)) return nullptr;
    auto crd = kube::crd::ReadCrd(std::move(document));
    if (!crd) return nullptr;
    return std::make_unique<CrdCheck>(
        *std::move(crd), "",
        CrdCheckOptions{.checks_validity = true, .creates = true, .server = {.release = release_}});
  }

  static report::FileObjectsReport ReportOf(const CrdCheck* check, const CrdTally& tally) {
    report::FileObjectsReport report;
    if (check == nullptr) return report;
    report::CrdReport checked = check->Report(tally);
    report.objects = checked.object_count;
    for (report::VersionReport& version : checked.versions) {
      if (!version.storage) continue;
      report.objects_losing_fields = version.objects_losing_fields;
      report.pruned_fields = std::move(version.pruned_fields);
      if (version.validity) report.validity = *std::move(version.validity);
    }
    report.errors = std::move(checked.object_errors);
    return report;
  }

  const std::map<std::string, LiveCrd>& crds_;
  const std::set<std::string>& kinds_;
  const std::optional<kube::base::Release>& release_;
  std::map<std::string, std::string> names_;  // by "Kind.group"
  std::map<std::string, Bundled> bundled_;    // by name
  BundleObjects found_;
};

}  // namespace

std::set<std::string> KindsOf(const cluster::Proposals& proposals) {
  std::set<std::string> kinds;
  for (const cluster::Proposal& proposal : proposals.crds) {
    kinds.insert(KindOfObject(proposal.crd.names.kind, proposal.crd.group));
  }
  return kinds;
}

BundleObjects CheckBundleObjects(const std::vector<cluster::ProposedObject>& objects,
                                 const std::map<std::string, LiveCrd>& crds,
                                 const std::set<std::string>& kinds,
                                 const std::optional<kube::base::Release>& release) {
  BundleChecker checker(crds, kinds, release);
  for (const cluster::ProposedObject& object : objects) checker.Take(object);
  return checker.Result();
}

}  // namespace migrate::check
