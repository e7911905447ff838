#include "migrate/proposals.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "migrate/manifest_reader.h"
#include "migrate/worker_pool.h"

namespace migrate {
namespace {

/// Sorts what workers find into Proposals.
class ProposalReader {
 public:
  ProposalReader(const std::vector<std::string>& filenames, bool recursive)
      : reader_(ListManifestFiles(filenames, recursive), WorkerCount()) {}

  Proposals Read() {
    reader_.ReadAll([this](std::size_t, ManifestObject& object) { Take(object); });
    const auto by_place = [](const auto& a, const auto& b) { return a.place < b.place; };
    std::sort(found_.crds.begin(), found_.crds.end(), by_place);
    for (FileError& error : reader_.TakeErrors()) found_.errors.push_back(std::move(error.text));
    return std::move(found_);
  }

 private:
  void Take(const ManifestObject& object) {
    if (!kube::IsCrd(object.value)) {
      const std::lock_guard lock(mutex_);
      ++found_.objects;
      return;
    }
    auto document = std::make_unique<kube::json::Document>();
    document->root() = kube::json::DeepCopy(object.value, document->arena());
    auto crd = kube::ReadCrd(std::move(document));
    if (!crd) return AddBroken(object, crd.error());
    const std::lock_guard lock(mutex_);
    found_.crds.push_back({object.place, SourceOf(object), *std::move(crd)});
  }

  void AddBroken(const ManifestObject& object, const std::string& why) {
    reader_.AddError(object, "cannot read the CustomResourceDefinition: " + why);
    CrdReport report;
    const kube::json::Value* metadata = object.value.Find("metadata");
    if (metadata != nullptr) report.name = metadata->FindText("name");
    report.source = SourceOf(object);
    report.error = why;
    report.is_file_error = true;
    const std::lock_guard lock(mutex_);
    found_.broken.push_back(std::move(report));
  }

  std::string SourceOf(const ManifestObject& object) const {
    return reader_.files()[object.place.file].name();
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

}  // namespace migrate
