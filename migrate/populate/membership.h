#pragma once

#include <optional>
#include <string>

#include "kube/json/json.h"

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

}  // namespace migrate::populate
