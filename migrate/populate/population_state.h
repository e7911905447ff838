#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "migrate/populate/apply_set.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/cluster_template.h"
#include "migrate/populate/member_index.h"
#include "migrate/populate/population_input.h"

namespace migrate::populate {

/// What became of a namespace when it was looked at last.
struct NamespaceOutcome {
  /// As far as one template goes.
  struct OfTemplate {
    bool selects = false;
    std::set<GroupKind> types{};  ///< of what there is, or may be
    std::vector<StatusFailure> failures{};
  };

  std::map<std::string, OfTemplate> templates{};  ///< by name
  /// Those for which there was no answer; they are sent last the next time.
  std::set<ObjectKey> unanswered{};
  /// Something could not be applied or pruned that another try may.
  bool is_unfinished = false;
};

/// What populating goes by, and what it knows by now.
struct PopulationState {
  PopulationInput input{};
  ClusterKinds kinds{};
  MemberIndex members{};
  std::map<std::string, NamespaceOutcome> outcomes{};  ///< by namespace
};

/// What the ApplySet of a template is to have (KEP-3659).
struct ApplySetExtent {
  std::set<GroupKind> types{};
  std::set<std::string> namespaces{};  ///< where there is something, or may be
};

/// By all outcomes, and with the kinds of it of which it is not known what there is.
ApplySetExtent ExtentOf(const std::string& template_name, const PopulationState& state);

/// The API groups of what templates have now, and of what they say that they had.
std::set<std::string> GroupsOf(const PopulationInput& input);

}  // namespace migrate::populate
