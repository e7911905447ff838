#include "migrate/restore/crd_account.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kube/base/text.h"
#include "migrate/check/crd_shape.h"
#include "migrate/cluster/file_name.h"

namespace migrate::restore {
namespace {

using report::RestoreClass;

// Fields with ever new names.
constexpr std::size_t kMostFields = 10'000;
// A request each.
constexpr std::size_t kMostNamespaces = 20;

std::string FullNameOf(const BackupObject& object) {
  return (object.namespace_.empty() ? "" : object.namespace_ + "/") + object.name;
}

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
  if (is_restored) Count(outcome.taken, FullNameOf(object), restored_);
  if (!IsFailure(restore_class)) Count(outcome.kept, FullNameOf(object), kept_);
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
  const kube::json::Value* metadata = object.value().Find("metadata");
  if (metadata == nullptr) return;
  const kube::json::Value* owners = metadata->Find("ownerReferences");
  if (owners != nullptr && !owners->empty()) ++recreated_with_owners_;
  if (metadata->Find("deletionTimestamp") != nullptr) ++recreated_while_deleted_;
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
