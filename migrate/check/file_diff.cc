#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kube/base/release.h"
#include "kube/crd/crd_validation.h"
#include "migrate/check/file_run.h"
#include "migrate/check/object_diff.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/proposals.h"

namespace migrate::check {
namespace {

/// One run of DiffFiles.
class FileDiff {
 public:
  FileDiff(const DiffOptions& options, ChangeTaker& taker)
      : options_(options),
        taker_(taker),
        // One worker: of two objects of one name the last counts.
        run_(cluster::ListManifestFiles(options.filenames, options.recursive), 1,
             {.keep_manifest = true, .server = {.release = kube::base::kNewestRelease}}) {}

  DiffReport Run() {
    const std::vector<std::string> names = CrdNamesOf(options_.targets);
    run_.CollectCrds();
    if (!run_.crds_may_come_late()) run_.crds().Select(names, {});
    run_.ReadObjects([this](std::size_t, FileObject& object) { Compare(object); });
    run_.crds().Select(names, {});
    AddCrdErrors();
    AddMissing();
    AddTroubles();
    if (report_.errors.empty() && run_.crds().Sorted().empty()) {
      report_.errors.emplace_back(cluster::kNoCrdsFound);
    }
    return std::move(report_);
  }

 private:
  using Preview = kube::base::Result<PruningPreview, std::string>;

  void Compare(FileObject& object) {
    const CrdSet::Entry& crd = *object.crds.back();
    const std::vector<std::string> names = CrdNamesOf(options_.targets);
    if (!names.empty() && !IsNamedByAny(crd.identity, names)) return;
    const std::string name(cluster::MetadataText(object.value, "name"));
    const std::set<std::string> wanted = ObjectNamesOf(crd.identity, options_.targets);
    if (!wanted.empty() && !wanted.contains(name)) return;
    if (!wanted.empty()) found_.emplace(crd.check->name(), name);
    const Preview& preview = PreviewOf(*crd.check);
    if (preview) Compare(*crd.check, *preview, object.value);
  }

  void Compare(const CrdCheck& check, const PruningPreview& preview, kube::json::Value& object) {
    const std::string name = FullName(object);
    kube::json::Arena arena;
    const auto change = preview.Preview(object, arena);
    if (!change) return report_.errors.push_back(LeftOutError(check, name, change.error()));
    ++report_.objects;
    // Of one object that comes twice the last counts.
    refusals_[check.name()][name] = {report_.objects, preview.Refusal(*change, patterns_)};
    taker_.Take(*change);
  }

  const Preview& PreviewOf(const CrdCheck& check) {
    const auto found = previews_.find(&check);
    if (found != previews_.end()) return found->second;
    PreviewOptions options = options_.preview;
    options.foretells_refusals = RefusalNote(check).empty();
    return previews_.emplace(&check, PruningPreview::Make(check, options)).first->second;
  }

  // The last of several counts.
  std::map<std::string, const CrdSet::Entry*> SelectedCrds() {
    std::map<std::string, const CrdSet::Entry*> crds;
    for (const CrdSet::Entry* crd : run_.crds().Sorted()) {
      if (!crd->selected) continue;
      const auto [place, is_first] = crds.insert_or_assign(crd->check->name(), crd);
      if (!is_first) twice_.insert(place->first);
    }
    return crds;
  }

  void AddCrdErrors() {
    for (const auto& [name, crd] : SelectedCrds()) {
      const Preview& preview = PreviewOf(*crd->check);
      if (!preview) report_.errors.push_back(name + ": " + preview.error());
      const std::string note = preview ? RefusalNote(*crd->check) : "";
      if (!note.empty()) report_.notes.push_back(note);
    }
    for (const auto& [name, objects] : refusals_) {
      RefusedObjects refused;
      for (const auto& [object, refusal] : objects)
        refused.Add(refusal.first, object, refusal.second);
      std::ranges::move(refused.Notes(name), std::back_inserter(report_.notes));
    }
    for (const std::string& name : twice_) report_.notes.push_back(GivenTwiceNote(name));
  }

  void AddMissing() {
    for (const auto& [crd_name, crd] : SelectedCrds()) {
      for (const std::string& name : ObjectNamesOf(crd->identity, options_.targets)) {
        if (found_.contains({crd_name, name})) continue;
        report_.errors.push_back(crd_name + " \"" + name + "\" not found in the files");
      }
    }
  }

  void AddTroubles() {
    for (const report::UnknownKind& unknown : run_.UnknownKinds()) {
      report_.notes.push_back(std::to_string(unknown.objects) + " of kind " + unknown.kind + " (" +
                              unknown.api_version +
                              ") left out: no CustomResourceDefinition for it is given");
    }
    std::ranges::move(run_.TakeHints(), std::back_inserter(report_.notes));
    std::vector<std::string> errors = run_.TakeErrors();
    std::move(errors.begin(), errors.end(), std::back_inserter(report_.errors));
  }

  const DiffOptions& options_;
  ChangeTaker& taker_;
  FileRun run_;
  DiffReport report_{};
  std::map<const CrdCheck*, Preview> previews_;
  kube::schema::PatternChecks patterns_ = kube::crd::MakePatternChecks();
  // By CRD and object: its number, and what would be refused.
  std::map<std::string, std::map<std::string, std::pair<std::uint64_t, std::string>>> refusals_;
  std::set<std::string> twice_;                          // CRDs
  std::set<std::pair<std::string, std::string>> found_;  // CRD and name of an object
};

}  // namespace

DiffReport DiffFiles(const DiffOptions& options, ChangeTaker& taker) {
  return FileDiff(options, taker).Run();
}

}  // namespace migrate::check
