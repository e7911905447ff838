#include "migrate/cluster/proposals.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "kube/meta/type_meta.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::cluster {

kube::base::Result<kube::crd::Crd, report::CrdReport> ReadManifestCrd(const ManifestObject& object,
                                                                      ManifestReader& reader) {
  auto crd = kube::crd::ReadCopiedCrd(object.value);
  if (crd) return *std::move(crd);
  reader.AddError(object, "cannot read the CustomResourceDefinition: " + crd.error());
  report::CrdReport report;
  report.name = MetadataText(object.value, "name");
  report.source = reader.SourceOf(object.place);
  report.error = std::move(crd).error();
  report.is_file_error = true;
  return kube::base::Unexpected(std::move(report));
}

namespace {

constexpr std::size_t kMostObjectBytes = std::size_t{256} << 20;

// Those of API servers, of servers behind them, and of configuration files that no server has.
// Others below k8s.io are of CRDs, such as those of the Gateway API.
constexpr auto kNotCustom = std::to_array<std::string_view>({
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apiserver.config.k8s.io",
    "apiserver.k8s.io",
    "audit.k8s.io",
    "auditregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "client.authentication.k8s.io",
    "coordination.k8s.io",
    "custom.metrics.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "external.metrics.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "imagepolicy.k8s.io",
    "internal.apiserver.k8s.io",
    "kubeadm.k8s.io",
    "kubelet.config.k8s.io",
    "kubeproxy.config.k8s.io",
    "kubescheduler.config.k8s.io",
    "kustomize.config.k8s.io",
    "metrics.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "settings.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
});

bool MayBeCustom(const kube::json::Value& object) {
  const std::string_view group = kube::meta::TypeOf(object).group_version.group;
  return group.find('.') != group.npos && std::ranges::count(kNotCustom, group) == 0;
}

/// Sorts what workers find into Proposals.
class ProposalReader {
 public:
  ProposalReader(const std::vector<std::string>& filenames, bool recursive,
                 KeepObjects keep_objects)
      : most_object_bytes_(keep_objects == KeepObjects::kYes ? kMostObjectBytes : 0),
        reader_(ListManifestFiles(filenames, recursive), WorkerCount()) {}

  Proposals Read() {
    reader_.ReadAll([this](std::size_t, ManifestObject& object) { Take(object); });
    const auto by_place = [](const auto& a, const auto& b) { return a.place < b.place; };
    std::sort(found_.crds.begin(), found_.crds.end(), by_place);
    std::sort(found_.objects.begin(), found_.objects.end(), by_place);
    for (FileError& error : reader_.TakeErrors()) found_.errors.push_back(std::move(error.text));
    found_.hints = reader_.TakeHints();
    return std::move(found_);
  }

 private:
  void Take(const ManifestObject& object) {
    if (!kube::crd::IsCrd(object.value)) return HandleObject(object);
    auto crd = ReadManifestCrd(object, reader_);
    const std::lock_guard lock(mutex_);
    if (crd) {
      found_.crds.push_back(
          {object.place, std::string(reader_.SourceOf(object.place)), *std::move(crd)});
    } else {
      found_.broken.push_back(std::move(crd).error());
    }
  }

  void HandleObject(const ManifestObject& object) {
    if (!MayBeCustom(object.value)) {
      const std::lock_guard lock(mutex_);
      found_.has_others = true;
      return;
    }
    std::string json;
    if (most_object_bytes_ > 0) {
      json = kube::json::Print(object.value, kube::json::KeyOrder::kAsWritten);
    }
    const std::lock_guard lock(mutex_);
    if (json.empty() || json.size() > most_object_bytes_ - object_bytes_) {
      ++found_.objects_left_out;
      return;
    }
    object_bytes_ += json.size();
    found_.objects.push_back(
        {object.place, std::string(reader_.SourceOf(object.place)), std::move(json)});
  }

  const std::size_t most_object_bytes_;
  ManifestReader reader_;
  std::mutex mutex_;  // guards what follows while workers run
  std::size_t object_bytes_ = 0;
  Proposals found_;
};

}  // namespace

Proposals ReadProposals(const std::vector<std::string>& filenames, bool recursive,
                        KeepObjects keep_objects) {
  if (filenames.empty()) return {};
  return ProposalReader(filenames, recursive, keep_objects).Read();
}

}  // namespace migrate::cluster
