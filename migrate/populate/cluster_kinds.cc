#include "migrate/populate/cluster_kinds.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/client/client.h"
#include "kube/go/go_format.h"
#include "kube/meta/type_meta.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {
namespace {

struct KnownKind {
  std::string_view group, kind;
};

constexpr KnownKind kKnownKinds[] = {
    {"", "ComponentStatus"},
    {"", "Namespace"},
    {"", "Node"},
    {"", "PersistentVolume"},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicy"},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration"},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy"},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration"},
    {"apiextensions.k8s.io", "CustomResourceDefinition"},
    {"apiregistration.k8s.io", "APIService"},
    {"authentication.k8s.io", "SelfSubjectReview"},
    {"authentication.k8s.io", "TokenReview"},
    {"authorization.k8s.io", "SelfSubjectAccessReview"},
    {"authorization.k8s.io", "SelfSubjectRulesReview"},
    {"authorization.k8s.io", "SubjectAccessReview"},
    {"certificates.k8s.io", "CertificateSigningRequest"},
    {"certificates.k8s.io", "ClusterTrustBundle"},
    {"extensions", "PodSecurityPolicy"},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema"},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"},
    {"internal.apiserver.k8s.io", "StorageVersion"},
    {"networking.k8s.io", "ClusterCIDR"},
    {"networking.k8s.io", "IPAddress"},
    {"networking.k8s.io", "IngressClass"},
    {"networking.k8s.io", "ServiceCIDR"},
    {"node.k8s.io", "RuntimeClass"},
    {"policy", "PodSecurityPolicy"},
    {"policy", kTemplateKind},  // as it is written in files
    {kGroup, kTemplateKind},
    {"rbac.authorization.k8s.io", "ClusterRole"},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding"},
    {"resource.k8s.io", "DeviceClass"},
    {"resource.k8s.io", "DeviceTaintRule"},
    {"resource.k8s.io", "ResourceClass"},
    {"resource.k8s.io", "ResourcePoolStatusRequest"},
    {"resource.k8s.io", "ResourceSlice"},
    {"scheduling.k8s.io", "PriorityClass"},
    {"storage.k8s.io", "CSIDriver"},
    {"storage.k8s.io", "CSINode"},
    {"storage.k8s.io", "StorageClass"},
    {"storage.k8s.io", "VolumeAttachment"},
    {"storage.k8s.io", "VolumeAttributesClass"},
    {"storagemigration.k8s.io", "StorageVersionMigration"},
};

}  // namespace

bool IsKnownClusterScoped(const GroupKind& type) {
  return std::ranges::any_of(kKnownKinds, [&type](const KnownKind& known) {
    return known.group == type.group && known.kind == type.kind;
  });
}

namespace {

using kube::client::UrlEscape;
using kube::json::Value;

std::string VersionPath(const std::string& group, const std::string& version) {
  return group.empty() ? "/api/" + UrlEscape(version)
                       : "/apis/" + UrlEscape(group) + "/" + UrlEscape(version);
}

// NoKindMatchError of apimachinery pkg/api/meta.
std::string NoMatch(const GroupKind& type, const std::string& version) {
  const kube::meta::GroupVersion group_version{type.group, version};
  const std::string where = version.empty() ? type.group : group_version.ToString();
  return "no matches for kind " + kube::go::GoQuote(type.kind) +
         (version.empty() ? " in group " : " in version ") + kube::go::GoQuote(where);
}

std::string Unreadable(const std::string& group, const std::string& version,
                       const std::string& why) {
  return "cannot find out which kinds " + kube::meta::GroupVersion{group, version}.ToString() +
         " has: " + why;
}

}  // namespace

std::string ServedKind::ListPath(const std::string& namespace_) const {
  std::string path = VersionPath(type.group, version);
  if (!namespace_.empty()) path += "/namespaces/" + UrlEscape(namespace_);
  return path + "/" + UrlEscape(plural);
}

std::string ServedKind::ObjectPath(const std::string& namespace_, const std::string& name) const {
  return ListPath(namespace_) + "/" + UrlEscape(name);
}

std::string ServedKind::ObjectText(std::string_view name) const {
  return plural + (type.group.empty() ? "" : "." + type.group) + " \"" + std::string(name) + "\"";
}

kube::base::Result<ClusterKinds, std::string> ClusterKinds::Read(
    const std::set<std::string>& groups, const kube::client::Session& session) {
  ClusterKinds kinds;
  std::string why = kinds.ReadGroups(groups, session);
  if (!why.empty()) return kube::base::Unexpected(std::move(why));
  kinds.ReadKinds(session);
  return kinds;
}

std::string ClusterKinds::ReadGroups(const std::set<std::string>& groups,
                                     const kube::client::Session& session) {
  // The group without a name is older than the list of groups.
  if (groups.contains("")) groups_[""] = {{.name = "v1", .path = VersionPath("", "v1")}};
  if (groups.empty() || *groups.rbegin() == "") return "";
  const auto list = session.client.Get("/apis");
  if (session.is_stopped()) return "";
  if (!list) return list.error().message;
  for (const Value& group : (*list)->root().At("groups").elements()) {
    const std::string name(group.FindText("name"));
    if (name.empty() || !groups.contains(name)) continue;
    Versions& versions = groups_[name];
    for (const Value& each : group.At("versions").elements()) {
      const std::string version(each.FindText("version"));
      versions.push_back({.name = version, .path = VersionPath(name, version)});
    }
    const Value* preferred = group.Find("preferredVersion");
    if (preferred == nullptr) continue;
    const std::string_view first = preferred->FindText("version");
    std::stable_partition(versions.begin(), versions.end(),
                          [first](const Version& version) { return version.name == first; });
  }
  return "";
}

void ClusterKinds::ReadKinds(const kube::client::Session& session) {
  std::vector<kube::client::ApiRequest> requests;
  for (const auto& [group, versions] : groups_) {
    for (const Version& version : versions) {
      requests.emplace_back();
      requests.back().target = version.path;
    }
  }
  const auto lists = session.client.SendAll(std::move(requests));
  std::size_t next = 0;
  for (auto& [group, versions] : groups_) {
    for (Version& version : versions) {
      const auto& list = lists[next++];
      if (list) {
        AddKinds(group, version, (*list)->root());
      } else {
        version.error = Unreadable(group, version.name, kube::client::ServerMessage(list.error()));
      }
    }
  }
}

void ClusterKinds::AddKinds(const std::string& group, Version& version, const Value& list) {
  if (!list.At("resources").is_array()) {
    version.error = Unreadable(group, version.name, "the server's answer is no list of resources");
    return;
  }
  for (const Value& resource : list.At("resources").elements()) {
    const std::string plural(resource.FindText("name"));
    const std::string kind(resource.FindText("kind"));
    // What has a slash is a subresource, and may be of the kind of another group.
    if (plural.empty() || kind.empty() || plural.find('/') != plural.npos) continue;
    version.kinds.try_emplace(kind,
                              ServedKind{.type = {group, kind},
                                         .version = version.name,
                                         .plural = plural,
                                         .is_namespaced = resource.At("namespaced").is_true()});
  }
}

KindResult ClusterKinds::Find(const GroupKind& type, const std::string& version) const {
  const KindError unknown{KindError::Why::kUnknown, NoMatch(type, version)};
  const auto group = groups_.find(type.group);
  if (group == groups_.end()) return kube::base::Unexpected(unknown);
  const auto found = std::ranges::find(group->second, version, &Version::name);
  if (found == group->second.end()) return kube::base::Unexpected(unknown);
  if (!found->error.empty()) {
    return kube::base::Unexpected(KindError{KindError::Why::kUnreadable, found->error});
  }
  const auto kind = found->kinds.find(type.kind);
  if (kind == found->kinds.end()) return kube::base::Unexpected(unknown);
  return kind->second;
}

KindResult ClusterKinds::FindPreferred(const GroupKind& type) const {
  KindError error{KindError::Why::kUnknown, NoMatch(type, "")};
  const auto group = groups_.find(type.group);
  if (group == groups_.end()) return kube::base::Unexpected(error);
  for (const Version& version : group->second) {
    auto found = Find(type, version.name);
    if (found) return found;
    if (found.error().why == KindError::Why::kUnreadable) error = found.error();
  }
  return kube::base::Unexpected(error);
}

bool ClusterKinds::IsClusterScoped(const GroupKind& type) const {
  const auto found = FindPreferred(type);
  return found ? !found->is_namespaced : IsKnownClusterScoped(type);
}

}  // namespace migrate::populate
