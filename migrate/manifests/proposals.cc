#include "migrate/manifests/proposals.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "migrate/lists/worker_pool.h"
#include "migrate/manifests/manifest_crd.h"
#include "migrate/manifests/manifest_reader.h"

namespace migrate::manifests {
namespace {

/// Sorts what workers find into Proposals.
class ProposalReader {
 public:
  ProposalReader(const std::vector<std::string>& filenames, bool recursive)
      : reader_(ListManifestFiles(filenames, recursive), lists::WorkerCount()) {}

  Proposals Read() {
    reader_.ReadAll([this](std::size_t, ManifestObject& object) { Take(object); });
    const auto by_place = [](const auto& a, const auto& b) { return a.place < b.place; };
    std::sort(found_.crds.begin(), found_.crds.end(), by_place);
    for (FileError& error : reader_.TakeErrors()) found_.errors.push_back(std::move(error.text));
    found_.hints = reader_.TakeHints();
    return std::move(found_);
  }

 private:
  void Take(const ManifestObject& object) {
    if (!kube::crd::IsCrd(object.value)) {
      const std::lock_guard lock(mutex_);
      ++found_.objects;
      return;
    }
    auto crd = ReadManifestCrd(object, reader_);
    const std::lock_guard lock(mutex_);
    if (crd) {
      found_.crds.push_back(
          {object.place, std::string(reader_.SourceOf(object.place)), *std::move(crd)});
    } else {
      found_.broken.push_back(std::move(crd).error());
    }
  }

  ManifestReader reader_;
  std::mutex mutex_;  // guards found_ while workers run
  Proposals found_;
};

}  // namespace

Proposals ReadProposals(const std::vector<std::string>& filenames, bool recursive) {
  if (filenames.empty()) return {};
  return ProposalReader(filenames, recursive).Read();
}

}  // namespace migrate::manifests
