#include "migrate/check/transitional_crds.h"

#include <utility>

#include "kube/base/result.h"
#include "kube/client/answer_meaning.h"
#include "kube/crd/transitional.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_names.h"
#include "migrate/check/crd_request.h"
#include "migrate/cluster/proposals.h"

namespace migrate::check {
namespace {

using kube::client::Meaning;
using kube::json::Document;

void AddTransitional(const cluster::Proposal& proposal, const std::string& crds_target,
                     const kube::client::Session& session, TransitionalCrds& found) {
  const std::string& name = proposal.crd.name;
  const auto live = GetCrd(session.client, crds_target + "/" + kube::client::UrlEscape(name));
  if (!live && MeaningOf(live.error()) == Meaning::kNotFound) return;
  if (!live) return found.errors.push_back(name + ": " + live.error().message);
  auto document = std::make_unique<Document>();
  const auto made = kube::crd::MakeTransitional(proposal.crd, *live, document->arena());
  if (!made) {
    return found.errors.push_back(name + " of " + proposal.source +
                                  " cannot be given its missing versions: " + made.error());
  }
  if (!*made) return;
  document->root() = kube::json::DeepCopy(**made, document->arena());
  found.crds.push_back(std::move(document));
}

}  // namespace

TransitionalCrds FindTransitionalCrds(const std::vector<std::string>& filenames, bool recursive,
                                      const std::vector<std::string>& crd_names,
                                      const kube::client::Session& session) {
  cluster::Proposals proposals = cluster::ReadProposals(filenames, recursive);
  if (proposals.AreNone()) throw kube::base::Error(std::string(cluster::kNoCrdsFound));
  TransitionalCrds found;
  found.errors = std::move(proposals.errors);
  std::vector<CrdIdentity> identities;
  for (const cluster::Proposal& proposal : proposals.crds) {
    identities.push_back(IdentityOf(proposal.crd));
  }
  if (found.errors.empty()) RequireEachNamesOne(crd_names, identities, " in the files");
  std::string crds_target;
  for (std::size_t i = 0; i < identities.size() && !session.is_stopped(); ++i) {
    if (!crd_names.empty() && !IsNamedByAny(identities[i], crd_names)) continue;
    if (crds_target.empty()) crds_target = FindCrdsTarget(session.client);
    AddTransitional(proposals.crds[i], crds_target, session, found);
  }
  return found;
}

}  // namespace migrate::check
