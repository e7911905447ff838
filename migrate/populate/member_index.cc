#include "migrate/populate/member_index.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "kube/client/client.h"
#include "kube/json/json.h"
#include "migrate/cluster/list_reader.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/pager.h"
#include "migrate/cluster/stale_entries.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

/// Takes the members of one attempt to read a list.
class MemberTaker : public cluster::ItemTaker {
 public:
  explicit MemberTaker(const ServedKind* kind) : kind_(std::make_shared<const ServedKind>(*kind)) {}

  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const auto metadata = cluster::ReadObjectMetadata(item.root());
    auto membership = ReadMembership(item.root());
    if (!metadata || !membership) return;
    const std::lock_guard lock(mutex_);
    members.push_back({.kind = kind_,
                       .namespace_ = metadata->namespace_,
                       .name = metadata->name,
                       .uid = metadata->uid,
                       .resource_version = metadata->resource_version,
                       .membership = *std::move(membership)});
  }

  std::vector<Member> members;

 private:
  const std::shared_ptr<const ServedKind> kind_;
  std::mutex mutex_;
};

}  // namespace

std::vector<MembersOfKind> ReadMembers(const std::vector<ServedKind>& kinds,
                                       const std::vector<std::string>& namespaces,
                                       const kube::client::Session& session) {
  const std::vector<std::string> all = {""};
  const std::vector<std::string>& places = namespaces.empty() ? all : namespaces;
  std::vector<cluster::ListJob> jobs;
  std::deque<std::shared_ptr<MemberTaker>> takers;  // by job
  for (const ServedKind& kind : kinds) {
    for (const std::string& place : places) {
      jobs.emplace_back(cluster::WithSelectors(kind.ListPath(place), kTemplateNameLabel, ""),
                        cluster::MakerOf(takers.emplace_back(), &kind));
      jobs.back().metadata_only = true;
    }
  }
  if (!jobs.empty()) cluster::ReadLists(jobs, session, {});
  std::vector<MembersOfKind> result;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i % places.size() == 0) result.push_back({.kind = kinds[i / places.size()]});
    MembersOfKind& of_kind = result.back();
    if (jobs[i].error) {
      of_kind.error = kube::client::ServerMessage(*jobs[i].error);
      continue;
    }
    std::ranges::move(takers[i]->members, std::back_inserter(of_kind.members));
  }
  for (MembersOfKind& of_kind : result) {
    std::ranges::sort(of_kind.members, {}, [](const Member& member) {
      return std::tie(member.namespace_, member.name);
    });
  }
  return result;
}

namespace {

using kube::json::Value;

// fieldsV1 has a member for each field (sigs.k8s.io/structured-merge-diff fieldpath).
bool OwnsTemplateLabel(const Value& entry) {
  const Value& labels = entry.At("fieldsV1").At("f:metadata").At("f:labels");
  return labels.Find(std::string("f:") + kTemplateNameLabel) != nullptr;
}

bool WasAppliedByUs(const Value& object) {
  return std::ranges::any_of(cluster::EntriesOf(object), [](const Value& entry) {
    return entry.FindText("manager") == kFieldManager && entry.FindText("operation") == "Apply" &&
           OwnsTemplateLabel(entry);
  });
}

}  // namespace

std::optional<Membership> ReadMembership(const Value& object) {
  const Value& metadata = object.At("metadata");
  const Value& labels = metadata.At("labels");
  Membership membership;
  membership.template_name = labels.FindText(kTemplateNameLabel);
  if (membership.template_name.empty()) return std::nullopt;
  membership.is_being_deleted = metadata.At("deletionTimestamp").is_string();
  membership.is_proven =
      labels.FindText(kApplySetPartOfLabel) == TemplateApplySetId(membership.template_name) &&
      WasAppliedByUs(object);
  return membership;
}

ObjectKey KeyOf(const Member& member) { return {member.kind->type, member.name}; }

void MemberIndex::Read(const std::set<GroupKind>& types, const ClusterKinds& kinds,
                       const std::vector<std::string>& namespaces,
                       const kube::client::Session& session) {
  unlisted_.clear();
  std::vector<ServedKind> wanted;
  for (const GroupKind& type : types) {
    if (listed_.contains(type)) continue;
    const auto kind = kinds.FindPreferred(type);
    if (kind && kind->is_namespaced) wanted.push_back(*kind);
    const bool is_unreadable = !kind && kind.error().why == KindError::Why::kUnreadable;
    if (is_unreadable) unlisted_.emplace(type, kind.error().message);
  }
  for (MembersOfKind& of_kind : ReadMembers(wanted, namespaces, session)) {
    if (session.is_stopped()) return;
    Take(of_kind);
  }
}

// Of a kind that could not be listed to its end what came is as good as it was.
void MemberIndex::Take(MembersOfKind& of_kind) {
  const GroupKind& type = of_kind.kind.type;
  if (!of_kind.error.empty()) {
    unlisted_.emplace(type, of_kind.error);
  } else {
    listed_.insert(type);
    for (auto& [namespace_, members] : namespaces_) {
      std::erase_if(members, [&type](const auto& entry) { return entry.first.type == type; });
    }
  }
  for (Member& member : of_kind.members) {
    newly_seen_.insert(member.namespace_);
    Put(std::move(member));
  }
}

std::set<std::string> MemberIndex::TakeNewlySeen() { return std::exchange(newly_seen_, {}); }

void MemberIndex::ListAnew() { listed_.clear(); }

const MemberIndex::OfNamespace& MemberIndex::Of(const std::string& namespace_) const {
  static const OfNamespace kNone;
  const auto found = namespaces_.find(namespace_);
  return found == namespaces_.end() ? kNone : found->second;
}

const Member* MemberIndex::Find(const std::string& namespace_, const ObjectKey& key) const {
  const OfNamespace& members = Of(namespace_);
  const auto found = members.find(key);
  return found == members.end() ? nullptr : &found->second;
}

void MemberIndex::Put(Member member) {
  Share(member.kind);
  ObjectKey key = KeyOf(member);
  OfNamespace& members = namespaces_[member.namespace_];
  members.insert_or_assign(std::move(key), std::move(member));
}

void MemberIndex::Share(std::shared_ptr<const ServedKind>& kind) {
  std::shared_ptr<const ServedKind>& known = kinds_[kind->type];
  if (known != nullptr && *known == *kind) {
    kind = known;
  } else {
    known = kind;
  }
}

void MemberIndex::Remove(const std::string& namespace_, const ObjectKey& key) {
  const auto found = namespaces_.find(namespace_);
  if (found != namespaces_.end()) found->second.erase(key);
}

void MemberIndex::RemoveNamespace(const std::string& namespace_) { namespaces_.erase(namespace_); }

bool MemberIndex::HasAny(const std::string& namespace_, const std::string& template_name) const {
  return std::ranges::any_of(Of(namespace_), [&template_name](const auto& entry) {
    return entry.second.membership.template_name == template_name;
  });
}

}  // namespace migrate::populate
