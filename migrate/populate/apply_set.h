#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>

#include "kube/go/go_format.h"
#include "kube/json/json.h"

namespace migrate::populate {

struct GroupKind {
  std::string group, kind;

  auto operator<=>(const GroupKind&) const = default;
  /// "Role.rbac.authorization.k8s.io"; of the group without a name "Secret", as apimachinery prints
  /// it.
  std::string ToString() const { return group.empty() ? kind : kind + "." + group; }
};

/// What makes two objects of a namespace the same one, whatever version they are written in.
struct ObjectKey {
  GroupKind type;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
  /// `Role.rbac.authorization.k8s.io "viewer"`, the name as Go quotes it: it may be any text.
  std::string ToString() const { return type.ToString() + " " + kube::go::GoQuote(name); }
};

// The ApplySet of what is made of a template, whose parent the template is: KEP-3659, as kubectl
// has it (k8s.io/kubectl/pkg/cmd/apply/applyset.go).

/// Label of the parent, and of each member: the id.
inline constexpr char kApplySetIdLabel[] = "applyset.kubernetes.io/id";
inline constexpr char kApplySetPartOfLabel[] = "applyset.kubernetes.io/part-of";
// Annotations of the parent.
inline constexpr char kApplySetToolingAnnotation[] = "applyset.kubernetes.io/tooling";
inline constexpr char kApplySetKindsAnnotation[] = "applyset.kubernetes.io/contains-group-kinds";
inline constexpr char kApplySetNamespacesAnnotation[] =
    "applyset.kubernetes.io/additional-namespaces";

/// Who makes these ApplySets; another one in the parent's annotation is another tool.
inline constexpr char kApplySetTool[] = "kubectl-prune";

/// The object that an ApplySet hangs on.
struct ApplySetParent {
  std::string_view name;
  std::string_view namespace_;  ///< empty: it is in none
  std::string_view kind;
  std::string_view group;
};

/// The id of the ApplySet of `parent`, a valid value of a label:
/// "applyset-P6KoU09DSdG-SPfUEFkMgbwTHmHvvCS8cs-V3ADeJdQ-v1".
std::string ApplySetId(const ApplySetParent& parent);

/// That of a NamespaceTemplate.
std::string TemplateApplySetId(std::string_view template_name);

/// What an object says of the ApplySet whose parent it is: what its members may be, and where.
struct ApplySetState {
  std::string id, tooling{};  ///< empty: it does not say
  std::set<GroupKind> types{};
  std::set<std::string> namespaces{};

  bool operator==(const ApplySetState&) const = default;
};

/// Of an object, or its metadata alone.
ApplySetState ReadApplySetState(const kube::json::Value& object);

/// What a template of this name says that has members of `types` in `namespaces`, made by this
/// program of `version`. Where there are more than 1,000 of these it names none, as annotations
/// have an end (256 KiB): whoever looks for members has to look everywhere, which we do anyway.
ApplySetState TemplateApplySetState(std::string_view template_name, std::string_view version,
                                    std::set<GroupKind> types, std::set<std::string> namespaces);

/// Why the template is the parent of somebody else's ApplySet, in kubectl's words; empty: it is
/// not. One that says nothing yet is anybody's.
std::string WhyForeign(const ApplySetState& state, std::string_view template_name);

/// A JSON merge patch that makes a template say `state`, where the server still has it as
/// `resource_version`.
std::string ApplySetPatch(const ApplySetState& state, std::string_view resource_version);

}  // namespace migrate::populate
