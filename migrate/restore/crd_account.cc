#include "migrate/restore/crd_account.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/meta/names.h"
#include "kube/meta/type_meta.h"
#include "migrate/check/crd_guard.h"
#include "migrate/cluster/manifest_files.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"

namespace migrate::restore {
namespace {

using cluster::MetadataText;

// Longer ones no server has (apimachinery pkg/api/validation).
constexpr std::size_t kLongestName = 253;

// path.IsValidPathSegmentName of apimachinery: anything else would be another URL.
bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find_first_of("/%") == std::string_view::npos;
}

// Empty: nothing is wrong with it.
std::string_view WhyNoObject(const ReadObject& object) {
  if (object.kind == "CustomResourceDefinition")
    return "it is a CustomResourceDefinition, and no backup of its objects: name the file with "
           "these, as .ndjson";
  if (object.group.empty() || object.kind.empty())
    return "it is no custom resource: it has no kind, or an apiVersion without a group";
  if (!IsName(object.name)) return "it has no name that an object can have";
  if (!object.namespace_.empty() && !IsName(object.namespace_))
    return "its namespace has no name that a namespace can have";
  return "";
}

// RFC 1952.
bool IsGzip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1f && file.get() == 0x8b;
}

// A file that was copied while it was written, or on a disk that was full.
std::string ErrorText(const std::string& error) {
  const bool is_torn = error.ends_with("unexpected end of JSON input");
  return "cannot read the backup: " + error +
         (is_torn ? ": the file ends within an object, so that it is not the whole backup; take "
                    "another copy of it"
                  : "");
}

ReadObject Describe(const cluster::ManifestObject& object) {
  const auto type = kube::meta::TypeOf(object.value);
  return {.value = object.value,
          .place = object.place,
          .group = type.group_version.group,
          .kind = type.kind,
          .namespace_ = MetadataText(object.value, "namespace"),
          .name = MetadataText(object.value, "name"),
          .uid = MetadataText(object.value, "uid")};
}

}  // namespace

std::string ReadObject::FullName() const { return kube::meta::NamespacedName(namespace_, name); }

std::string ReadObject::Identity() const {
  return std::string(group) + "/" + std::string(kind) + "/" + std::string(namespace_) + "/" +
         std::string(name);
}

std::unique_ptr<kube::json::Document> ReadObject::Copy() const {
  auto copy = std::make_unique<kube::json::Document>();
  copy->root() = kube::json::DeepCopy(value, copy->arena());
  return copy;
}

void ReadBackup(const std::string& path, const std::function<void(const ReadObject&)>& take) {
  // It is read several times.
  if (path == "-") {
    throw kube::base::Error(
        "the backup cannot be the standard input, which can be read only once; name a file");
  }
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw kube::base::Error("\"" + path +
                            "\" is a folder: name one of the backups in it, a file whose name ends "
                            "in .ndjson");
  }
  std::vector<cluster::ManifestFile> files = cluster::ListManifestFiles({path}, false);
  if (files.size() == 1 && files[0].is_regular && IsGzip(path))
    throw kube::base::Error("the backup \"" + path + "\" is compressed: gunzip it first");
  if (files.size() != 1 || !files[0].is_regular) {
    throw kube::base::Error("the backup has to be one file, which \"" + path + "\" is not");
  }
  cluster::ManifestReader reader(std::move(files), /*workers=*/1);
  reader.ReadAll([&](std::size_t, cluster::ManifestObject& object) {
    const ReadObject described = Describe(object);
    const std::string_view why = WhyNoObject(described);
    why.empty() ? take(described) : reader.AddError(object, why);
  });
  const auto errors = reader.TakeErrors();
  if (!errors.empty()) throw kube::base::Error(ErrorText(errors.front().text));
}

// What another run has changed meanwhile is found where the CRD is looked at ahead of the first
// write; objects are read one by one.
std::string RestoreLeases::Take(const std::string& crd_name, const std::string& crd_uid) {
  if (options_.leases == nullptr) return "";
  const auto tell = [this, crd_name](const std::string& line) {
    session_.observer.OnLine(crd_name + ": " + line);
  };
  taken_.push_back(std::make_unique<migration::CrdLease>(
      *options_.leases, migration::RequestOf(options_, crd_name, crd_uid, {}), options_.wait,
      session_, tell));
  const migration::LeaseStart start = taken_.back()->Take();
  if (start.step == migration::LeaseStart::Step::kHeld) return start.message;
  if (start.step == migration::LeaseStart::Step::kUnknown) {
    session_.observer.OnLine("Warning: " + crd_name + ": " + start.message);
  }
  return "";
}

std::optional<std::string> RestoreLeases::CheckLease() {
  for (const auto& lease : taken_) {
    if (auto loss = lease->CheckLease()) return loss;
  }
  return std::nullopt;
}

namespace {

using report::RestoreClass;

// Fields with ever new names.
constexpr std::size_t kMostFields = 10'000;
// A request each.
constexpr std::size_t kMostNamespaces = 20;

template <typename T>
void SortByName(std::vector<T>& objects) {
  std::ranges::sort(objects, {},
                    [](const T& object) { return std::tie(object.namespace_, object.name); });
}

}  // namespace

std::uint64_t IdentityOf(std::string_view namespace_, std::string_view name) {
  return cluster::StableHash(std::string(namespace_) + "/" + std::string(name));
}

CrdAccount::CrdAccount(CrdTarget crd, const std::string& target,
                       const kube::client::Session& session)
    : crd_(std::move(crd)),
      identity_(check::IdentityOf(crd_.crd())),
      guard_(target, check::ShapeOf(crd_.crd()), session) {
  report_.name = crd_.name();
}

bool CrdAccount::IsSelected(const ReadObject& object) const {
  return !selected_ || selected_->contains(IdentityOf(object.namespace_, object.name));
}

void CrdAccount::LookForLoss(const kube::json::Value& object) {
  may_have_lost_ = may_have_lost_ || crd_.MayHaveLost(object);
}

void CrdAccount::Count(const Paths& paths, const std::string& object, FieldCounts& counts) {
  for (const std::string& field : paths.folded) {
    if (counts.size() >= kMostFields && !counts.contains(field)) continue;
    FieldCount& count = counts[field];
    ++count.objects;
    if (count.example.empty() || object < count.example) count.example = object;
  }
}

std::vector<report::RestoredField> CrdAccount::List(const FieldCounts& counts) {
  std::vector<report::RestoredField> fields;
  for (const auto& [path, count] : counts) fields.push_back({path, count.objects, count.example});
  return fields;
}

void CrdAccount::Take(const ObjectRestore& restore, bool names_object) {
  const BackupObject& object = restore.object();
  const RestoreOutcome& outcome = restore.outcome();
  const RestoreClass restore_class = outcome.restore_class;
  ++report_.counts[restore_class];
  const bool is_restored = restore_class == RestoreClass::kRestored ||
                           restore_class == RestoreClass::kAccepted ||
                           restore_class == RestoreClass::kRecreated;
  const std::string name = kube::meta::NamespacedName(object.namespace_, object.name);
  if (is_restored) Count(outcome.taken, name, restored_);
  if (!IsFailure(restore_class)) Count(outcome.kept, name, kept_);
  if (IsFailure(restore_class)) AddFailure(object, outcome);
  if (restore_class == RestoreClass::kRestored || restore_class == RestoreClass::kRecreated) {
    written_[IdentityOf(object.namespace_, object.name)] = {
        cluster::StableHash(outcome.resource_version), restore_class == RestoreClass::kRecreated};
  }
  if (restore_class == RestoreClass::kRecreated) RecordRecreated(object);
  if (!names_object) return;
  report::RestoredObject named{.namespace_ = object.namespace_,
                               .name = object.name,
                               .restore_class = restore_class,
                               .kept = outcome.kept.first,
                               .kept_count = outcome.kept.count};
  if (is_restored) {
    named.restored = outcome.taken.first;
    named.restored_count = outcome.taken.count;
  }
  report_.objects.push_back(std::move(named));
}

void CrdAccount::RecordRecreated(const BackupObject& object) {
  const kube::json::Value& metadata = object.value().At("metadata");
  if (!metadata.At("ownerReferences").empty()) ++recreated_with_owners_;
  if (metadata.Find("deletionTimestamp") != nullptr) ++recreated_while_deleted_;
  const bool is_guess = report_.dry_run == report::DryRun::kClient;
  if (is_guess && !object.namespace_.empty() && new_namespaces_.size() < kMostNamespaces)
    new_namespaces_.insert(object.namespace_);
}

std::vector<std::string> CrdAccount::NotesOfRecreated() const {
  std::vector<std::string> notes;
  if (recreated_with_owners_ > 0) {
    notes.push_back(kube::base::Count(recreated_with_owners_, "object") +
                    " made anew had owners (metadata.ownerReferences): where the uid of one is "
                    "another by now, or it is gone, the garbage collector takes the object away "
                    "again");
  }
  if (recreated_while_deleted_ > 0) {
    notes.push_back(kube::base::Count(recreated_while_deleted_, "object") +
                    " made anew was being deleted when the backup was made "
                    "(metadata.deletionTimestamp)");
  }
  return notes;
}

void CrdAccount::AddFailure(const BackupObject& object, const RestoreOutcome& outcome) {
  report_.failures.push_back({.namespace_ = object.namespace_,
                              .name = object.name,
                              .restore_class = outcome.restore_class,
                              .code = outcome.code,
                              .reason = outcome.reason,
                              .message = outcome.message,
                              .paths = outcome.conflicts.first,
                              .is_namesake = outcome.is_namesake});
}

void CrdAccount::RecordFailure(const ReadObject& object, const std::string& why) {
  ++report_.counts[RestoreClass::kFailed];
  report_.failures.push_back({.namespace_ = std::string(object.namespace_),
                              .name = std::string(object.name),
                              .restore_class = RestoreClass::kFailed,
                              .code = 0,
                              .reason = "",
                              .message = why});
}

const CrdAccount::Written* CrdAccount::FindWritten(const ReadObject& object) const {
  const auto found = written_.find(IdentityOf(object.namespace_, object.name));
  return found == written_.end() ? nullptr : &found->second;
}

// An object that others have written since, or deleted, is theirs.
void CrdAccount::RecordReadBack(const ObjectRestore& restore) {
  const BackupObject& object = restore.object();
  const RestoreOutcome& outcome = restore.outcome();
  ++report_.verification.read;
  if (outcome.restore_class == RestoreClass::kUnchanged ||
      outcome.restore_class == RestoreClass::kRecreated) {
    ++report_.verification.as_restored;
    return;
  }
  const Written& written = written_.at(IdentityOf(object.namespace_, object.name));
  const bool is_gone = outcome.restore_class == RestoreClass::kGone;
  const bool was_read = outcome.code == 0 && !outcome.resource_version.empty();
  if (is_gone || (was_read && cluster::StableHash(outcome.resource_version) != written.version)) {
    ++report_.verification.changed;
    return;
  }
  AddFailure(object, outcome);
}

report::CrdRestore CrdAccount::Finish(bool verifies) {
  report::RestoreCounts& counts = report_.counts;
  const std::uint64_t tried = counts.Total() - counts[RestoreClass::kNotChosen];
  counts[RestoreClass::kNotTried] += chosen_ - tried;
  report_.restored = List(restored_);
  report_.kept = List(kept_);
  for (const report::FieldUse& field : refused_.Report()) {
    report_.refused.push_back(
        {field.path, field.objects, field.examples.empty() ? "" : field.examples.front()});
  }
  SortByName(report_.failures);
  SortByName(report_.objects);
  const report::RestoreVerification& read = report_.verification;
  report_.verified =
      verifies && read.read == written_.size() && read.as_restored + read.changed == read.read;
  const bool is_unverified = verifies && !report_.verified;
  if (report_.outcome == report::Outcome::kDone && (counts.Failures() > 0 || is_unverified))
    report_.outcome = report::Outcome::kFailures;
  return std::move(report_);
}

}  // namespace migrate::restore
