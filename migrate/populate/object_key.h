#pragma once

#include <compare>
#include <string>

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

}  // namespace migrate::populate
