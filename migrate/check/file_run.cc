#include "migrate/check/file_run.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "kube/base/result.h"
#include "kube/meta/type_meta.h"
#include "kube/schema/object_meta.h"
#include "migrate/cluster/proposals.h"
#include "migrate/cluster/worker_pool.h"

namespace migrate::check {

void CrdSet::Add(const report::Place& place, std::unique_ptr<CrdCheck> check,
                 CrdIdentity identity) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.emplace_back(Entry{place, std::move(check), std::move(identity)});
  std::vector<Entry*>& same_kind = by_kind_[entry.check->kind()];
  const auto later = std::find_if(same_kind.begin(), same_kind.end(),
                                  [&place](const Entry* other) { return place < other->place; });
  same_kind.insert(later, &entry);
}

std::vector<const CrdSet::Entry*> CrdSet::Find(std::string_view group,
                                               std::string_view kind) const {
  const std::shared_lock lock(mutex_);
  std::vector<const Entry*> entries;
  const auto found = by_kind_.find(kind);
  if (found == by_kind_.end()) return entries;
  for (const Entry* entry : found->second) {
    if (entry->check->group() == group) entries.push_back(entry);
  }
  return entries;
}

void CrdSet::Select(const std::vector<std::string>& names,
                    const std::vector<std::string>& ignored) {
  const std::lock_guard lock(mutex_);
  std::vector<CrdIdentity> identities;
  for (Entry& entry : entries_) {
    identities.push_back(entry.identity);
    entry.selected = (names.empty() || IsNamedByAny(entry.identity, names)) &&
                     !IsNamedByAny(entry.identity, ignored);
  }
  RequireEachNamesOne(names, identities);
  RequireNoneNamesTwo(ignored, identities);
}

std::vector<const CrdSet::Entry*> CrdSet::Sorted() const {
  const std::shared_lock lock(mutex_);
  std::vector<const Entry*> entries;
  for (const Entry& entry : entries_) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) {
    return std::tie(a->check->name(), a->place) < std::tie(b->check->name(), b->place);
  });
  return entries;
}

namespace {

struct Header {
  report::Place place;
  std::uint64_t size;
};

[[noreturn]] void ThrowSpillError() {
  throw kube::base::Error("cannot keep objects that come before their CRD in a temporary file: " +
                          std::string(std::strerror(errno)) + "; name the file with the CRD first");
}

}  // namespace

void DeferredObjects::Add(const kube::json::Value& object, const report::Place& place) {
  const std::string text = kube::json::Print(object, kube::json::KeyOrder::kAsWritten);
  const Header header{place, text.size()};
  const std::lock_guard lock(mutex_);
  if (spill_ == nullptr) spill_.reset(std::tmpfile());
  if (spill_ == nullptr || std::fwrite(&header, sizeof header, 1, spill_.get()) != 1 ||
      std::fwrite(text.data(), 1, text.size(), spill_.get()) != text.size()) {
    ThrowSpillError();
  }
  ++count_;
}

void DeferredObjects::ForEach(
    const std::function<void(kube::json::Value&, const report::Place&)>& take) {
  if (spill_ == nullptr) return;
  if (std::fflush(spill_.get()) != 0) ThrowSpillError();
  std::rewind(spill_.get());
  kube::json::Document document;
  std::string text;
  for (std::uint64_t i = 0; i < count_; ++i) {
    Header header;
    if (std::fread(&header, sizeof header, 1, spill_.get()) != 1) ThrowSpillError();
    text.resize(header.size);
    if (std::fread(text.data(), 1, text.size(), spill_.get()) != text.size()) ThrowSpillError();
    if (document.Parse(text)) ThrowSpillError();
    take(document.root(), header.place);
  }
}

namespace {

using kube::json::Member;
using kube::json::Value;

bool IsString(const Value& value) { return value.is_string(); }

bool HoldsStrings(const Value& map) {
  return map.is_object() &&
         std::all_of(map.members().begin(), map.members().end(),
                     [](const Member& member) { return IsString(member.value); });
}

bool IsListOfStrings(const Value& list) {
  return list.is_array() && std::all_of(list.elements().begin(), list.elements().end(), IsString);
}

// "2006-01-02T15:04:05Z" with a month, a day and hours that every calendar has.
bool IsPlainTime(const Value& value) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  const std::string_view text = value.text();
  if (!value.is_string() || text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == 'd' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0
                                      : text[i] == kForm[i];
    if (!fits) return false;
  }
  const auto number = [text](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  return number(5) >= 1 && number(5) <= 12 && number(8) >= 1 && number(8) <= 28 &&
         number(11) < 24 && number(14) < 60 && number(17) < 60;
}

// FieldsV1 as servers write it.
bool HoldsOnlyObjects(const Value& value) {
  return value.is_object() &&
         std::all_of(value.members().begin(), value.members().end(),
                     [](const Member& member) { return HoldsOnlyObjects(member.value); });
}

bool IsPlainOwnership(const Value& entry) {
  return entry.is_object() &&
         std::all_of(entry.members().begin(), entry.members().end(), [](const Member& member) {
           const std::string_view key = member.key.text();
           if (key == "fieldsV1") return HoldsOnlyObjects(member.value);
           if (key == "time") return IsPlainTime(member.value);
           return IsString(member.value);
         });
}

bool IsPlainField(const Member& member) {
  const std::string_view key = member.key.text();
  if (key == "managedFields") {
    return member.value.is_array() &&
           std::ranges::all_of(member.value.elements(), IsPlainOwnership);
  }
  if (key == "labels" || key == "annotations") return HoldsStrings(member.value);
  if (key == "creationTimestamp") return member.value.is_null() || IsPlainTime(member.value);
  if (key == "generation") return kube::json::AsInt64(member.value).has_value();
  if (key == "finalizers") return IsListOfStrings(member.value);
  constexpr std::string_view kStrings[] = {"name",     "namespace",       "uid",
                                           "selfLink", "resourceVersion", "generateName"};
  return std::find(std::begin(kStrings), std::end(kStrings), key) != std::end(kStrings) &&
         IsString(member.value);
}

}  // namespace

bool HasPlainMetadata(const Value& object) {
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) return true;
  return metadata->is_object() &&
         std::all_of(metadata->members().begin(), metadata->members().end(), IsPlainField);
}

namespace {

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
    HandleCrd(object);
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

void FileRun::HandleCrd(const cluster::ManifestObject& object) {
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

void FileRun::HandleLateCrd(const cluster::ManifestObject& object) {
  const kube::json::Value& spec = object.value.At("spec");
  const bool known = !crds_.Find(spec.FindText("group"), spec.At("names").FindText("kind")).empty();
  HandleCrd(object);
  if (known || !crds_may_come_late_) {
    reader_.AddError(object,
                     "this CustomResourceDefinition was found late: objects read by then were not "
                     "checked against it; give it in a file of its own");
  }
}

void FileRun::Take(std::size_t worker, cluster::ManifestObject& object, const Handler& handler) {
  if (kube::crd::IsCrd(object.value)) {
    if (!taken_.contains(object.place)) HandleLateCrd(object);
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
