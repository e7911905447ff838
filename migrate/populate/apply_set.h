#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "kube/go/go_format.h"

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

}  // namespace migrate::populate
