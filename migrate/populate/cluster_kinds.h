#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"

namespace migrate::populate {

/// True for kinds of Kubernetes (1.36) whose objects are in no namespace, whatever their version,
/// and for NamespaceTemplates. What else there is only a cluster can tell.
bool IsKnownClusterScoped(const GroupKind& type);

/// A kind as a cluster serves it in one version.
struct ServedKind {
  GroupKind type;
  std::string version, plural;
  bool is_namespaced = true;

  bool operator==(const ServedKind&) const = default;
  /// Path of the list of its objects in a namespace; empty: in all.
  std::string ListPath(const std::string& namespace_) const;
  std::string ObjectPath(const std::string& namespace_, const std::string& name) const;
  /// An object as the API server words it: `roles.rbac.authorization.k8s.io "viewer"`.
  std::string ObjectText(std::string_view name) const;
};

/// Why it is not known where objects of a kind are.
struct KindError {
  enum class Why : std::uint8_t {
    kUnknown,     ///< the cluster has no such kind
    kUnreadable,  ///< the cluster does not say whether it has: an aggregated API that is down
  };

  Why why = Why::kUnknown;
  std::string message{};
};

using KindResult = kube::base::Result<ServedKind, KindError>;

/// Which kinds a cluster has, by its discovery (/api/v1, /apis, /apis/GROUP/VERSION). A group is
/// read once; one that cannot be read hides its own kinds alone.
class ClusterKinds {
 public:
  /// Knows of no kind.
  ClusterKinds() = default;
  /// Reads these groups and no others. The session being stopped, some may be missing. The error:
  /// why the groups themselves cannot be read.
  static kube::base::Result<ClusterKinds, std::string> Read(const std::set<std::string>& groups,
                                                            const kube::client::Session& session);

  /// The kind in this version, which is that of an apiVersion.
  KindResult Find(const GroupKind& type, const std::string& version) const;
  /// The kind in the first version that has it, the group's preferred one before all others.
  KindResult FindPreferred(const GroupKind& type) const;
  /// True for a kind whose objects are in no namespace, also where only Kubernetes is known to have
  /// it so.
  bool IsClusterScoped(const GroupKind& type) const;

 private:
  struct Version {
    std::string name, path;
    std::map<std::string, ServedKind> kinds{};  // by kind
    std::string error{};                        // why they cannot be read; empty: they were
  };
  using Versions = std::vector<Version>;

  // Why not; empty: they were.
  std::string ReadGroups(const std::set<std::string>& groups, const kube::client::Session& session);
  void ReadKinds(const kube::client::Session& session);
  static void AddKinds(const std::string& group, Version& version, const kube::json::Value& list);

  std::map<std::string, Versions> groups_;  // those that the cluster has, the preferred one first
};

}  // namespace migrate::populate
