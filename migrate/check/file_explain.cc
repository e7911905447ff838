#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "kube/base/text.h"
#include "kube/meta/names.h"
#include "migrate/check/file_run.h"
#include "migrate/check/rule_explaining.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/proposals.h"

namespace migrate::check {
namespace {

using kube::base::Error;

/// One run of ExplainInFiles.
class FileExplain {
 public:
  explicit FileExplain(const ExplainOptions& options)
      : options_(options),
        // One worker: of two objects of one name the last counts.
        run_(cluster::ListManifestFiles(options.filenames, options.recursive), 1,
             {.keep_manifest = true, .server = {.release = options.release}}) {}

  ObjectExplanation Run() {
    run_.CollectCrds();
    run_.ReadObjects([this](std::size_t, FileObject& object) { Keep(object); });
    const std::vector<std::string> errors = run_.TakeErrors();
    if (!errors.empty()) throw Error(errors.front());
    const CrdSet::Entry& entry = FindCrd();
    const ExplainedCrd crd(*entry.check, options_, options_.release);
    return crd.Explain(FindObject(entry));
  }

 private:
  using Documents = std::map<std::string, std::unique_ptr<kube::json::Document>>;  // by FullName

  void Keep(FileObject& object) {
    if (cluster::MetadataText(object.value, "name") != options_.object_name) return;
    if (!options_.namespace_.empty() &&
        cluster::MetadataText(object.value, "namespace") != options_.namespace_) {
      return;
    }
    auto document = std::make_unique<kube::json::Document>();
    document->root() = kube::json::DeepCopy(object.value, document->arena());
    objects_[object.crds.back()->check->name()].insert_or_assign(FullName(object.value),
                                                                 std::move(document));
  }

  /// The last one of its name.
  const CrdSet::Entry& FindCrd() {
    if (!options_.crd_name.empty()) run_.crds().Select({options_.crd_name}, {});
    const CrdSet::Entry* found = nullptr;
    std::set<std::string> names;
    for (const CrdSet::Entry* entry : run_.crds().Sorted()) {
      if (!entry->selected) continue;
      names.insert(entry->check->name());
      found = entry;
    }
    if (found == nullptr) {
      for (const report::CrdReport& broken : run_.TakeBrokenCrds()) {
        throw Error(broken.name + ": " + broken.error);
      }
      throw Error(std::string(cluster::kNoCrdsFound));
    }
    if (names.size() == 1) return *found;
    throw Error("--explain is about one CRD; name one of " +
                kube::base::Join(std::vector<std::string>(names.begin(), names.end()), ", "));
  }

  kube::json::Value& FindObject(const CrdSet::Entry& entry) {
    Documents& found = objects_[entry.check->name()];
    if (found.empty()) {
      throw Error(entry.check->name() + " \"" +
                  kube::meta::NamespacedName(options_.namespace_, options_.object_name) +
                  "\" not found in the files; name a file that holds it by -f");
    }
    if (found.size() == 1) return found.begin()->second->root();
    std::vector<std::string> names;
    for (const auto& [name, document] : found) names.push_back(name);
    throw Error("--object names several objects; name one of " + kube::base::Join(names, ", "));
  }

  const ExplainOptions& options_;
  FileRun run_;
  std::map<std::string, Documents> objects_;  // those that may be meant, by CRD
};

}  // namespace

ObjectExplanation ExplainInFiles(const ExplainOptions& options) {
  return FileExplain(options).Run();
}

}  // namespace migrate::check
