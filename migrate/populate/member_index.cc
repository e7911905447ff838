#include "migrate/populate/member_index.h"

#include <algorithm>
#include <utility>

namespace migrate::populate {

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
