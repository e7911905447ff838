#pragma once

#include <set>
#include <string>
#include <string_view>

#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"

namespace migrate::populate {

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
