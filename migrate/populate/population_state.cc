#include "migrate/populate/population_state.h"

#include "kube/json/json.h"
#include "kube/meta/type_meta.h"

namespace migrate::populate {

ApplySetExtent ExtentOf(const std::string& template_name, const PopulationState& state) {
  ApplySetExtent extent;
  for (const auto& [namespace_, outcome] : state.outcomes) {
    const auto found = outcome.templates.find(template_name);
    if (found == outcome.templates.end() || found->second.types.empty()) continue;
    extent.namespaces.insert(namespace_);
    extent.types.insert(found->second.types.begin(), found->second.types.end());
  }
  const auto known = state.input.known.find(template_name);
  if (known == state.input.known.end()) return extent;
  const ApplySetState& noted = known->second.apply_set;
  bool has_unlisted = false;
  for (const GroupKind& type : noted.types) {
    if (!state.members.unlisted().contains(type)) continue;
    has_unlisted = true;
    extent.types.insert(type);
  }
  if (has_unlisted) extent.namespaces.insert(noted.namespaces.begin(), noted.namespaces.end());
  return extent;
}

// The apiVersion of an object may hold a variable, of which no server knows the group.
std::set<std::string> GroupsOf(const PopulationInput& input) {
  std::set<std::string> groups;
  for (const NamespaceTemplate& each : input.templates) {
    for (const kube::json::Value& object : each.objects) {
      groups.emplace(kube::meta::TypeOf(object).group_version.group);
    }
  }
  for (const auto& [name, known] : input.known) {
    for (const GroupKind& type : known.apply_set.types) groups.insert(type.group);
  }
  for (const GroupKind& type : input.gone_types) groups.insert(type.group);
  return groups;
}

}  // namespace migrate::populate
