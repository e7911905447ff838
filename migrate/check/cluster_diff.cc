#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/crd/crd_validation.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_objects.h"
#include "migrate/check/object_diff.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/proposals.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {
namespace {

using kube::json::Document;

// As many errors of objects of one list as a person reads.
constexpr std::size_t kErrorsKept = 20;

/// Compares the objects of one list.
class ComparingTaker : public CrdObjectTaker {
 public:
  ComparingTaker(const LiveCrd* crd, const PruningPreview* preview, ChangeTaker* taker,
                 std::size_t workers)
      : CrdObjectTaker(crd->identity, workers),
        check_(*crd->checks.back()),
        preview_(*preview),
        taker_(*taker) {
    for (std::size_t i = 0; i < workers; ++i) patterns_.push_back(kube::crd::MakePatternChecks());
  }

  /// Of objects that are left out, in the order of the list.
  const std::map<std::uint64_t, std::string>& errors() const { return errors_; }
  /// What the server would refuse of the others.
  std::vector<std::string> Notes() const { return refused_.Notes(check_.name()); }

 private:
  void HandleObject(std::size_t worker, Document& object, std::uint64_t number) override {
    const std::string name = FullName(object.root());
    const auto change = preview_.Preview(object.root(), object.arena());
    if (change) {
      refused_.Add(number, name, preview_.Refusal(*change, patterns_[worker]));
      return taker_.Take(*change);
    }
    const std::lock_guard lock(mutex_);
    errors_.emplace(number, LeftOutError(check_, name, change.error()));
    if (errors_.size() > kErrorsKept) errors_.erase(std::prev(errors_.end()));
  }

  const CrdCheck& check_;
  const PruningPreview& preview_;
  ChangeTaker& taker_;
  std::vector<kube::schema::PatternChecks> patterns_;  // by worker
  RefusedObjects refused_;
  std::mutex mutex_;  // guards the next
  std::map<std::uint64_t, std::string> errors_;
};

// The characters with a meaning in a field selector (k8s.io/apimachinery/pkg/fields EscapeValue).
std::string EscapeFieldValue(const std::string& value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// One run of DiffCluster.
class ClusterDiff {
  using Takers = std::deque<std::shared_ptr<ComparingTaker>>;  // by job

 public:
  ClusterDiff(const DiffOptions& options, const kube::client::Session& session, ChangeTaker& taker)
      : options_(options),
        taker_(taker),
        reader_(session,
                {.chunk_size = options.objects.chunk_size, .workers = cluster::WorkerCount()},
                options.on_progress) {}

  DiffReport Run() {
    ReadCrds();
    for (auto& [name, crd] : crds_.crds) Plan(crd);
    AddNotes();
    ReadCrdObjects(wanted_, crds_.target, reader_);
    for (std::size_t i = 0; i < wanted_.size(); ++i) AddEnd(wanted_[i], takers_[i]);
    return std::move(report_);
  }

 private:
  void ReadCrds() {
    cluster::Proposals proposals = cluster::ReadProposals(options_.filenames, options_.recursive);
    if (options_.on_files_read) options_.on_files_read();
    const bool are_none = !options_.filenames.empty() && proposals.AreNone();
    report_.errors = std::move(proposals.errors);
    report_.notes = std::move(proposals.hints);
    if (proposals.objects_left_out > 0) {
      report_.notes.emplace_back(
          "only the CustomResourceDefinitions of the files are looked at; with --local their "
          "objects are, instead of those of the cluster");
    }
    if (are_none) report_.errors.emplace_back(cluster::kNoCrdsFound);
    crds_ = ReadClusterCrds({.names = CrdNamesOf(options_.targets),
                             .selector = options_.crd_selector,
                             .is_limited_to_proposals = !options_.filenames.empty(),
                             .keep_manifests = true},
                            std::move(proposals.crds), reader_);
    for (const report::CrdReport& crd : crds_.unread) AddError(crd.name, crd.error);
    report_.is_stopped = !crds_.is_complete;
  }

  void Plan(LiveCrd& crd) {
    const CrdCheck& check = *crd.checks.back();
    const bool is_proposed = !check.source().empty();
    if (crd.checks.size() > 1) report_.notes.push_back(GivenTwiceNote(crd.identity.name));
    if (!is_proposed && !options_.filenames.empty()) {
      report_.notes.push_back(check.name() + ": " + kNotInFiles);
    }
    const bool shows_all = crd.shape.preserves_unknown_fields || is_proposed;
    if (!shows_all && !options_.preview.mutation) return pruning_.push_back(check.name());
    PreviewOptions preview_options = options_.preview;
    preview_options.foretells_refusals = RefusalNote(check).empty() && !check.manifest().empty();
    auto preview = PruningPreview::Make(check, preview_options);
    if (!preview) return AddError(check.name(), preview.error());
    if (crd.shape.uid.empty()) {
      report_.notes.push_back(check.name() + ": the cluster does not have it, nor objects of it");
      return;
    }
    if (std::ranges::count(crd.identity.served_versions, preview->version()) > 0) {
      crd.read_version = preview->version();
    } else if (!check.facts().converts_nothing) {
      return AddError(check.name(),
                      "a webhook converts its objects, and the cluster does not "
                      "serve version " +
                          preview->version() + ", so nobody can tell");
    }
    if (std::string note = RefusalNote(check); !note.empty()) {
      report_.notes.push_back(std::move(note));
    }
    previews_.push_back(*std::move(preview));
    wanted_.push_back({.crd = &crd, .jobs = JobsFor(crd, previews_.back())});
  }

  std::vector<cluster::ListJob> JobsFor(const LiveCrd& crd, const PruningPreview& preview) {
    Takers& takers = takers_.emplace_back();
    const auto make_taker = [&] {
      return cluster::MakerOf(takers.emplace_back(), &crd, &preview, &taker_, reader_.workers());
    };
    const std::string all = crd.ObjectsTarget(options_.objects.namespace_);
    const std::set<std::string> names = ObjectNamesOf(crd.identity, options_.targets);
    if (names.empty()) {
      return {{cluster::WithSelectors(all, options_.objects), make_taker()}};
    }
    std::vector<cluster::ListJob> jobs;
    for (const std::string& name : names) {
      if (crd.is_namespaced && options_.objects.namespace_.empty()) {
        jobs.emplace_back(
            cluster::WithSelectors(all, "", "metadata.name=" + EscapeFieldValue(name)),
            make_taker());
      } else {
        jobs.emplace_back(all + "/" + kube::client::UrlEscape(name), make_taker(), false);
      }
    }
    return jobs;
  }

  // Of a CRD that was named it is said each time; of many it would be too much.
  void AddNotes() {
    constexpr std::string_view kWhy =
        ": the API shows objects without the fields that pruning removes, so there is nothing to "
        "compare";
    if (options_.targets.empty() && pruning_.size() > 1) {
      report_.notes.push_back(std::to_string(pruning_.size()) +
                              " CustomResourceDefinitions prune already" + std::string(kWhy));
      return;
    }
    for (const std::string& name : pruning_) {
      report_.notes.push_back(name + " prunes already" + std::string(kWhy));
    }
  }

  void AddEnd(const CrdObjects& objects, const Takers& takers) {
    const std::string& name = objects.crd->identity.name;
    const auto failed = std::ranges::find_if(objects.jobs, &cluster::ListJob::HasFailed);
    if (objects.is_stopped) {
      report_.is_stopped = true;
    } else if (failed != objects.jobs.end() && !failed->is_list &&
               (failed->error->status || failed->error->transport) &&
               objects.failure == failed->error->message) {
      report_.errors.push_back(objects.failure);  // names the object itself
    } else if (!objects.failure.empty()) {
      AddError(name, objects.failure);
    } else {
      Count(*objects.crd, takers);
    }
    if (!objects.note.empty()) report_.notes.push_back(name + ": " + objects.note);
  }

  void Count(const LiveCrd& crd, const Takers& takers) {
    const std::set<std::string> names = ObjectNamesOf(crd.identity, options_.targets);
    auto name = names.begin();
    for (const auto& taker : takers) {
      report_.objects += taker->count();
      std::ranges::move(taker->Notes(), std::back_inserter(report_.notes));
      for (const auto& [number, error] : taker->errors()) report_.errors.push_back(error);
      if (names.empty()) continue;
      if (taker->count() == 0) {
        report_.errors.push_back(crd.identity.name + " \"" + *name + "\" not found");
      }
      ++name;
    }
  }

  void AddError(const std::string& crd, const std::string& why) {
    report_.errors.push_back(crd + ": " + why);
  }

  const DiffOptions& options_;
  ChangeTaker& taker_;
  cluster::ClusterReader reader_;
  DiffReport report_{};
  ClusterCrds crds_;
  std::vector<std::string> pruning_;     // CRDs that prune already
  std::deque<PruningPreview> previews_;  // they do not move
  std::vector<CrdObjects> wanted_;       // one for each preview
  std::deque<Takers> takers_;            // one for each of these
};

}  // namespace

DiffReport DiffCluster(const DiffOptions& options, const kube::client::Session& session,
                       ChangeTaker& taker) {
  return ClusterDiff(options, session, taker).Run();
}

}  // namespace migrate::check
