#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/cluster_kinds.h"

namespace migrate::populate {

/// What an object says of the template that it was made of.
struct Membership {
  std::string template_name;  ///< of its label; may be any text, and no template's name
  /// It is a member of the template's ApplySet, and managedFields tell that it was applied with
  /// that label by kubectl-prune-populate. What somebody has copied with its labels is not.
  bool is_proven = false;
  bool is_being_deleted = false;
};

/// Of an object, or its metadata alone; absent where it has no label of a template.
std::optional<Membership> ReadMembership(const kube::json::Value& object);

/// An object with the label of a template.
struct Member {
  std::shared_ptr<const ServedKind> kind;  ///< never null; shared, as there may be very many
  std::string namespace_, name, uid, resource_version;
  Membership membership;
};

/// Those of a kind.
struct MembersOfKind {
  ServedKind kind;
  std::vector<Member> members{};  ///< by namespace and name
  std::string error{};            ///< why they cannot be listed; empty: these are all
};

/// Lists the metadata of the members of all templates, each kind once, in these namespaces; none:
/// in all. The result is in the order of `kinds`.
std::vector<MembersOfKind> ReadMembers(const std::vector<ServedKind>& kinds,
                                       const std::vector<std::string>& namespaces,
                                       const kube::client::Session& session);

/// What there is in namespaces that was made of templates: as it was listed, and as whoever applies
/// and deletes since has noted it here. What others do is not seen before the next list, so that an
/// entry may be old: it is deleted as what it was, and proven anew where it is something else.
class MemberIndex {
 public:
  using OfNamespace = std::map<ObjectKey, Member>;

  /// Lists the kinds of `types` that were not listed yet, those that could not be listed among
  /// them, in these namespaces; none: in all. A kind that the cluster does not have has no members.
  /// The session being stopped, some may be missing.
  void Read(const std::set<GroupKind>& types, const ClusterKinds& kinds,
            const std::vector<std::string>& namespaces, const kube::client::Session& session);
  /// The namespaces with something of a kind that was listed for the first time since the last
  /// call: whoever has looked at them did not know of it.
  std::set<std::string> TakeNewlySeen();
  /// Each kind is listed anew, by the next Read that names it; until then all is as it is.
  void ListAnew();

  /// Those of a namespace.
  const OfNamespace& Of(const std::string& namespace_) const;
  /// The null pointer: none is known.
  const Member* Find(const std::string& namespace_, const ObjectKey& key) const;
  void Put(Member member);
  void Remove(const std::string& namespace_, const ObjectKey& key);
  void RemoveNamespace(const std::string& namespace_);
  /// True if some object there was made of the template.
  bool HasAny(const std::string& namespace_, const std::string& template_name) const;

  /// Kinds of which it is not known what there is, and why.
  const std::map<GroupKind, std::string>& unlisted() const { return unlisted_; }

 private:
  void Take(MembersOfKind& of_kind);
  void Share(std::shared_ptr<const ServedKind>& kind);

  std::map<std::string, OfNamespace> namespaces_;
  std::map<GroupKind, std::shared_ptr<const ServedKind>> kinds_;  // as last put
  std::set<GroupKind> listed_;
  std::set<std::string> newly_seen_;
  std::map<GroupKind, std::string> unlisted_;
};

/// What makes it the same as another one in its namespace.
ObjectKey KeyOf(const Member& member);

}  // namespace migrate::populate
