#include "migrate/check/file_run.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "kube/meta/type_meta.h"
#include "kube/schema/object_meta.h"
#include "migrate/check/plain_metadata.h"
#include "migrate/cluster/manifest_crd.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {
namespace {

using kube::json::Value;

constexpr std::string_view kCrdWord = "CustomResourceDefinition";

// Text of any sort is a YAML string.
std::string DescribeNoObject(const Value& value) {
  const std::string what = "not an object but " + std::string(kube::json::TypeName(value.type()));
  return value.text().starts_with('<') ? what + "; is this HTML?" : what;
}

// Why the server would not decode the object's metadata.
std::optional<std::string> FindMetadataError(const Value& value) {
  if (HasPlainMetadata(value)) return std::nullopt;
  kube::json::Arena arena;
  const auto metadata = kube::schema::GetObjectMeta(value, false, arena);
  if (metadata) return std::nullopt;
  return FullName(value) + " cannot be decoded: " + metadata.error();
}

}  // namespace

FileRun::FileRun(std::vector<cluster::ManifestFile> files, std::size_t workers,
                 const CrdCheckOptions& options)
    : reader_(std::move(files), workers), options_(options), unknown_kinds_(workers) {
  for (std::size_t i = 0; i < reader_.files().size(); ++i) {
    crds_may_come_late_ |= !reader_.IsSmall(i);
  }
}

void FileRun::CollectCrds() {
  reader_.ReadMentioning(kCrdWord, [this](std::size_t, cluster::ManifestObject& object) {
    if (!kube::crd::IsCrd(object.value)) return;
    TakeCrd(object);
    if (&object.value == &object.document.root()) reader_.LeaveOut(object.place);
    const std::lock_guard lock(mutex_);
    taken_.insert(object.place);
  });
}

void FileRun::ReadObjects(const Handler& handler) {
  reader_.ReadAll([this, &handler](std::size_t worker, cluster::ManifestObject& object) {
    Take(worker, object, handler);
  });
  const auto take_deferred = [this, &handler](std::size_t worker) {
    deferred_.ForEach([&](Value& value, const report::Place& place) {
      const kube::meta::GroupVersionKind type = kube::meta::TypeOf(value);
      HandOut(worker, value, place, type, crds_.Find(type.group_version.group, type.kind), true,
              handler);
    });
  };
  cluster::RunWorkers(1, take_deferred, [] {});
}

void FileRun::TakeCrd(const cluster::ManifestObject& object) {
  auto crd = cluster::ReadManifestCrd(object, reader_);
  if (!crd) {
    const std::lock_guard lock(mutex_);
    broken_crds_.emplace_back(object.place, std::move(crd).error());
    return;
  }
  CrdIdentity identity = IdentityOf(*crd);
  auto check = std::make_unique<CrdCheck>(std::move(*crd),
                                          std::string(reader_.SourceOf(object.place)), options_);
  crds_.Add(object.place, std::move(check), std::move(identity));
}

void FileRun::TakeLateCrd(const cluster::ManifestObject& object) {
  const kube::json::Value* spec = object.value.Find("spec");
  const kube::json::Value* names = spec == nullptr ? nullptr : spec->Find("names");
  const bool known =
      names != nullptr && !crds_.Find(spec->FindText("group"), names->FindText("kind")).empty();
  TakeCrd(object);
  if (known || !crds_may_come_late_) {
    reader_.AddError(object,
                     "this CustomResourceDefinition was found late: objects read by then were not "
                     "checked against it; give it in a file of its own");
  }
}

void FileRun::Take(std::size_t worker, cluster::ManifestObject& object, const Handler& handler) {
  if (kube::crd::IsCrd(object.value)) {
    if (!taken_.contains(object.place)) TakeLateCrd(object);
    return;
  }
  if (!object.value.is_object()) return reader_.AddError(object, DescribeNoObject(object.value));
  const kube::meta::GroupVersionKind type = kube::meta::TypeOf(object.value);
  if (type.kind.empty()) return reader_.AddError(object, "Object 'Kind' is missing");
  // Named, but checked all the same: what pruning does has nothing to do with metadata.
  if (const auto error = FindMetadataError(object.value)) reader_.AddError(object, *error);
  const std::string_view group = type.group_version.group;
  const Crds crds = crds_.Find(group, type.kind);
  if (crds.empty() && crds_may_come_late_ && !group.empty()) {
    deferred_.Add(object.value, object.place);
  } else {
    HandOut(worker, object.value, object.place, type, crds, object.document.may_hold_nulls(),
            handler);
  }
}

void FileRun::HandOut(std::size_t worker, Value& value, const report::Place& place,
                      const kube::meta::GroupVersionKind& type, const Crds& crds,
                      bool may_hold_nulls, const Handler& handler) {
  if (crds.empty()) {
    ++unknown_kinds_[worker][{type.group_version.ToString(), std::string(type.kind)}];
    return;
  }
  FileObject object{value, place, reader_.SourceOf(place), crds, may_hold_nulls};
  handler(worker, object);
}

std::vector<report::CrdReport> FileRun::TakeBrokenCrds() {
  std::sort(broken_crds_.begin(), broken_crds_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<report::CrdReport> reports;
  for (auto& [place, report] : broken_crds_) reports.push_back(std::move(report));
  return reports;
}

std::vector<report::UnknownKind> FileRun::UnknownKinds() const {
  std::map<std::pair<std::string, std::string>, std::uint64_t> sum;
  for (const auto& kinds : unknown_kinds_) {
    for (const auto& [kind, objects] : kinds) sum[kind] += objects;
  }
  std::vector<report::UnknownKind> kinds;
  for (const auto& [kind, objects] : sum) kinds.push_back({kind.first, kind.second, objects});
  return kinds;
}

std::vector<std::string> FileRun::TakeErrors() {
  std::vector<std::string> texts;
  for (cluster::FileError& error : reader_.TakeErrors()) texts.push_back(std::move(error.text));
  return texts;
}

}  // namespace migrate::check
