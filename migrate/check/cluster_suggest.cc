#include <deque>
#include <memory>
#include <utility>

#include "kube/base/text.h"
#include "kube/suggest/observed_shape.h"
#include "migrate/check/cluster_check.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/suggest_making.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/proposals.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {
namespace {

using kube::json::Document;
using kube::suggest::Observations;

/// Looks at what the objects of one CRD hold, and what they would lose.
class ObservingTaker : public CrdObjectTaker {
 public:
  ObservingTaker(const LiveCrd* crd, std::size_t workers)
      : CrdObjectTaker(crd->identity, workers),
        check_(*crd->checks.back()),
        tallies_(workers),
        observations_(workers) {}

  report::CrdReport Evidence() {
    CrdTally sum;
    for (CrdTally& tally : tallies_) sum.Merge(std::move(tally));
    return check_.Report(sum);
  }
  Observations Seen() {
    Observations sum;
    for (Observations& observations : observations_) sum.Merge(std::move(observations));
    return sum;
  }

 private:
  void HandleObject(std::size_t worker, Document& object, std::uint64_t number) override {
    check_.CheckObject({object.root(), {0, number, 0}, "", object.may_hold_nulls()},
                       tallies_[worker]);
    observations_[worker].Add(object.root());
  }

  const CrdCheck& check_;
  std::vector<CrdTally> tallies_;           // by worker
  std::vector<Observations> observations_;  // by worker
};

/// One run of SuggestForCluster.
class ClusterSuggest {
 public:
  ClusterSuggest(const SuggestOptions& options, const kube::client::Session& session)
      : options_(options),
        session_(session),
        reader_(session,
                {.chunk_size = options.objects.chunk_size, .workers = cluster::WorkerCount()},
                options.on_progress) {}

  SuggestReport Run() {
    ReadCrds();
    std::vector<CrdObjects> wanted;
    std::deque<std::shared_ptr<ObservingTaker>> takers;  // of those
    for (const auto& [name, crd] : crds_.crds) {
      if (crd.reads_objects) {
        wanted.push_back({.crd = &crd, .jobs = {ObjectsOf(crd, takers.emplace_back())}});
      } else if (crd.shape.uid.empty()) {
        AddSuggestion(crd, {}, crd.checks.back()->Report({}));
      }
    }
    ReadCrdObjects(wanted, crds_.target, reader_);
    for (std::size_t i = 0; i < wanted.size(); ++i) AddObjects(wanted[i], takers[i].get());
    if (!report_.is_stopped && !report_.crds.empty()) Prove();
    return std::move(report_);
  }

 private:
  void ReadCrds() {
    cluster::Proposals proposals = cluster::ReadProposals(options_.filenames, options_.recursive);
    if (options_.on_files_read) options_.on_files_read();
    const bool are_none = !options_.filenames.empty() && proposals.AreNone();
    report_.errors = std::move(proposals.errors);
    report_.notes = std::move(proposals.hints);
    if (are_none) report_.errors.emplace_back(cluster::kNoCrdsFound);
    crds_ = ReadClusterCrds({.names = options_.crd_names,
                             .selector = options_.crd_selector,
                             .is_limited_to_proposals = !options_.filenames.empty(),
                             .keep_manifests = true},
                            std::move(proposals.crds), reader_);
    for (const report::CrdReport& crd : crds_.unread) AddError(crd.name, crd.error);
    report_.is_stopped = !crds_.is_complete;
  }

  cluster::ListJob ObjectsOf(const LiveCrd& crd, std::shared_ptr<ObservingTaker>& taker) const {
    return {
        cluster::WithSelectors(crd.ObjectsTarget(options_.objects.namespace_), options_.objects),
        cluster::MakerOf(taker, &crd, reader_.workers())};
  }

  void AddObjects(const CrdObjects& objects, ObservingTaker* taker) {
    const std::string& name = objects.crd->identity.name;
    if (objects.is_stopped) {
      report_.is_stopped = true;
      return;
    }
    if (!objects.failure.empty()) return AddError(name, objects.failure);
    AddSuggestion(*objects.crd, taker->Seen(), taker->Evidence());
    if (!objects.note.empty()) report_.notes.push_back(name + ": " + objects.note);
  }

  void AddSuggestion(const LiveCrd& live, const Observations& seen, report::CrdReport evidence) {
    const CrdCheck& check = *live.checks.back();
    if (live.checks.size() > 1) {
      report_.notes.push_back(live.identity.name + ": the files give it twice, the last counts");
    }
    const bool converts = !check.facts().converts_nothing;
    if (converts) {
      report_.notes.push_back(live.identity.name +
                              ": a webhook converts its objects, so that only version " +
                              live.read_version + " gets the fields that were seen");
    }
    CrdSuggestion made = MakeSuggestion(check, seen.root(),
                                        {.prefer = options_.prefer,
                                         .only_version = converts ? live.read_version : "",
                                         .is_live = check.source().empty()},
                                        std::move(evidence));
    const bool is_wanted = !options_.crd_names.empty() || !options_.filenames.empty();
    if (is_wanted || !made.is_needless()) report_.crds.push_back(std::move(made));
  }

  void Prove() {
    const SuggestedFile file(report_.crds);
    std::vector<std::string> names;
    for (const CrdSuggestion& crd : report_.crds) names.push_back(crd.name());
    AddProofs(CheckCluster({.crd_names = names,
                            .filenames = {file.path()},
                            .objects = options_.objects,
                            .on_progress = options_.on_progress},
                           session_),
              file, report_);
    report_.is_stopped |= session_.is_stopped();
  }

  void AddError(const std::string& crd, const std::string& why) {
    report_.errors.push_back(crd + ": " + why);
  }

  const SuggestOptions& options_;
  const kube::client::Session session_;
  cluster::ClusterReader reader_;
  SuggestReport report_;
  ClusterCrds crds_;
};

}  // namespace

SuggestReport SuggestForCluster(const SuggestOptions& options,
                                const kube::client::Session& session) {
  return ClusterSuggest(options, session).Run();
}

}  // namespace migrate::check
