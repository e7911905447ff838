#include <fstream>
#include <map>
#include <utility>

#include "kube/base/result.h"
#include "migrate/check/cluster_check.h"
#include "migrate/check/file_run.h"
#include "migrate/check/suggest_making.h"
#include "migrate/cluster/proposals.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {
namespace {

using kube::suggest::Observations;

/// What one worker saw of one CRD's objects.
struct Seen {
  CrdTally tally;
  Observations observations;
};
using SeenByCrd = std::map<const CrdCheck*, Seen>;

/// The standard input as a file, which can be read again.
class KeptInput {
 public:
  /// Replaces "-" in `filenames`.
  explicit KeptInput(std::vector<std::string>& filenames) {
    for (std::string& name : filenames) {
      if (name != "-") continue;
      if (folder_ == nullptr) Keep();
      name = path_;
    }
  }

  /// What is said of the file, of the standard input.
  std::string Renamed(std::string text) const {
    if (folder_ == nullptr) return text;
    const std::string_view name = cluster::ManifestFile{.path = "-"}.name();
    for (std::size_t at = text.find(path_); at != std::string::npos; at = text.find(path_, at))
      text.replace(at, path_.size(), name);
    return text;
  }

 private:
  void Keep() {
    folder_ = std::make_unique<cluster::TemporaryFolder>("kubectl-prune-suggest-");
    path_ = (folder_->path() / "stdin").string();
    std::ofstream file(path_, std::ios::binary);
    cluster::ReadPieces({.path = "-"}, [&file](std::string_view piece) {
      file << piece;
      return file.good();
    });
    file.close();
    if (!file) throw kube::base::Error("cannot write " + path_);
  }

  std::unique_ptr<cluster::TemporaryFolder> folder_;
  std::string path_;
};

/// One run of SuggestForFiles.
class FileSuggest {
 public:
  explicit FileSuggest(const SuggestOptions& options)
      : options_(options),
        filenames_(options.filenames),
        input_(filenames_),
        run_(cluster::ListManifestFiles(filenames_, options.recursive), cluster::WorkerCount(),
             {.keep_manifest = true, .checks_validity = true}),
        seen_(cluster::WorkerCount()) {}

  SuggestReport Run() {
    run_.CollectCrds();
    run_.ReadObjects([this](std::size_t worker, FileObject& object) {
      for (const CrdSet::Entry* entry : object.crds) {
        Seen& seen = seen_[worker][entry->check.get()];
        entry->check->CheckObject(
            {object.value, object.place, object.source, object.may_hold_nulls}, seen.tally);
        seen.observations.Add(object.value);
      }
    });
    run_.crds().Select(options_.crd_names, {});
    MakeSuggestions();
    AddTroubles();
    if (!report_.crds.empty()) Prove();
    return std::move(report_);
  }

 private:
  void MakeSuggestions() {
    for (const CrdSet::Entry* entry : run_.crds().Sorted()) {
      if (!entry->selected) continue;
      Seen sum;
      for (SeenByCrd& worker : seen_) {
        Seen& seen = worker[entry->check.get()];
        sum.tally.Merge(std::move(seen.tally));
        sum.observations.Merge(std::move(seen.observations));
      }
      CrdSuggestion made =
          MakeSuggestion(*entry->check, sum.observations.root(), {.prefer = options_.prefer},
                         entry->check->Report(sum.tally));
      if (!options_.crd_names.empty() || !made.is_needless())
        report_.crds.push_back(std::move(made));
    }
  }

  void AddTroubles() {
    for (const report::CrdReport& crd : run_.TakeBrokenCrds()) {
      report_.errors.push_back(crd.name + ": " + crd.error);
    }
    std::ranges::move(run_.TakeHints(), std::back_inserter(report_.notes));
    std::ranges::move(run_.TakeErrors(), std::back_inserter(report_.errors));
    if (run_.crds().Sorted().empty() && report_.errors.empty())
      report_.errors.emplace_back(cluster::kNoCrdsFound);
    for (std::string& note : report_.notes) note = input_.Renamed(std::move(note));
    for (std::string& error : report_.errors) error = input_.Renamed(std::move(error));
  }

  void Prove() {
    const SuggestedFile file(report_.crds);
    std::vector<std::string> filenames = filenames_;
    filenames.push_back(file.path());
    std::vector<std::string> names;
    for (const CrdSuggestion& crd : report_.crds) names.push_back(crd.name());
    report::CheckReport check =
        CheckFiles({.crd_names = names, .filenames = filenames, .recursive = options_.recursive});
    check.file_errors.clear();  // told already
    AddProofs(std::move(check), file, report_);
  }

  const SuggestOptions& options_;
  std::vector<std::string> filenames_;
  KeptInput input_;
  FileRun run_;
  std::vector<SeenByCrd> seen_;  // by worker
  SuggestReport report_;
};

}  // namespace

SuggestReport SuggestForFiles(const SuggestOptions& options) { return FileSuggest(options).Run(); }

}  // namespace migrate::check
