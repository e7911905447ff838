#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/membership.h"

namespace migrate::populate {

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

}  // namespace migrate::populate
