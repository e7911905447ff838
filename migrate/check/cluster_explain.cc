#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/rule_explaining.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/proposals.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::base::Error;
using kube::client::Session;
using kube::json::Document;

constexpr char kInterrupted[] = "interrupted: nothing was explained";

/// The CRDs that are meant, with their checks.
ClusterCrds ReadCrds(const ExplainOptions& options, const Session& session) {
  cluster::Proposals proposals = cluster::ReadProposals(options.filenames, options.recursive);
  if (!proposals.errors.empty()) throw Error(proposals.errors.front());
  if (!options.filenames.empty() && proposals.AreNone()) {
    throw Error(std::string(cluster::kNoCrdsFound));
  }
  const cluster::ProgressFunction nobody;
  cluster::ClusterReader reader(session, {.workers = cluster::WorkerCount()}, nobody);
  std::vector<std::string> names;
  if (!options.crd_name.empty()) names.push_back(options.crd_name);
  ClusterCrds crds = ReadClusterCrds({.names = names,
                                      .is_limited_to_proposals = !options.filenames.empty(),
                                      .keep_manifests = true,
                                      .checks_validity = true},
                                     std::move(proposals.crds), reader);
  if (!crds.is_complete) throw Error(kInterrupted);
  for (const report::CrdReport& crd : crds.unread) throw Error(crd.name + ": " + crd.error);
  return crds;
}

LiveCrd& TheOnly(ClusterCrds& crds) {
  if (crds.crds.size() == 1) return crds.crds.begin()->second;
  std::vector<std::string> names;
  for (const auto& [name, crd] : crds.crds) names.push_back(name);
  if (names.empty()) throw Error("there is no such CRD");
  throw Error("--explain is about one CRD; name one of " + kube::base::Join(names, ", "));
}

std::unique_ptr<Document> Get(const std::string& target, const Session& session) {
  auto answer = session.client.Get(target);
  if (!answer) throw Error(WithVersionAdvice(answer.error().message));
  return *std::move(answer);
}

/// The object of that name in whatever namespace has it. Changes `document` to hold it.
void TakeTheOnlyItem(Document& document, const std::string& crd, const std::string& name) {
  const kube::json::Value* items =
      std::as_const(document.root()).Find("items", kube::json::Type::kArray);
  std::vector<std::string> names;
  const kube::json::Value* found = nullptr;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const kube::json::Value& item = items->elements()[i];
    if (NameOfItem(item) != name) continue;  // what a selector is to a server that knows none
    names.push_back(FullName(item));
    found = &item;
  }
  if (names.empty()) {
    throw Error(crd + " \"" + name + "\" not found in any namespace; \"kubectl get " + crd + " -A" +
                report::ClusterFlags() + "\" lists those that there are");
  }
  if (names.size() > 1) {
    throw Error("--object names several objects; name one of " + kube::base::Join(names, ", "));
  }
  const kube::json::Value item = *found;
  document.root() = item;
}

std::unique_ptr<Document> ReadObject(const LiveCrd& crd, const ExplainOptions& options,
                                     const Session& session) {
  const std::string target = crd.ObjectsTarget(options.namespace_);
  if (!crd.is_namespaced || !options.namespace_.empty()) {
    return Get(target + "/" + kube::client::UrlEscape(options.object_name), session);
  }
  auto list =
      Get(cluster::WithSelectors(target, "", "metadata.name=" + options.object_name), session);
  TakeTheOnlyItem(*list, crd.identity.name, options.object_name);
  return list;
}

/// In which version the object is read; the rest is made of that.
void ChooseReadVersion(const CrdCheck& check, const std::string& version, LiveCrd& crd) {
  if (crd.shape.uid.empty()) {
    throw Error(crd.identity.name +
                ": the cluster does not have it, nor objects of it; objects of files are read with "
                "--local");
  }
  if (std::ranges::count(crd.identity.served_versions, version) > 0) {
    crd.read_version = version;
  } else if (crd.read_version.empty()) {
    throw Error(crd.identity.name + ": the cluster serves no version of it");
  } else if (!check.facts().converts_nothing) {
    throw Error(crd.identity.name +
                ": a webhook converts its objects, and the cluster does not "
                "serve version " +
                version + ", so nobody can tell");
  }
}

}  // namespace

ObjectExplanation ExplainInCluster(const ExplainOptions& options, const Session& session) {
  ClusterCrds crds = ReadCrds(options, session);
  LiveCrd& live = TheOnly(crds);
  const CrdCheck& check = *live.checks.back();
  const ExplainedCrd crd(check, options, crds.release.value_or(kube::base::kNewestRelease));
  ChooseReadVersion(check, crd.version(), live);
  const std::unique_ptr<Document> object = ReadObject(live, options, session);
  return crd.Explain(object->root());
}

}  // namespace migrate::check
