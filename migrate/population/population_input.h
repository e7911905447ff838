#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "migrate/populate/namespace_template.h"
#include "migrate/populate/target_namespace.h"
#include "migrate/population/cluster_template.h"
#include "migrate/report/population_report.h"

namespace migrate::population {

struct ClusterNamespace {
  populate::TargetNamespace target;
  bool is_terminating = false;  ///< takes nothing new, and loses what it has
};

/// The NamespaceTemplates and the namespaces of a cluster.
struct PopulationInput {
  /// Those that can be used, disabled ones too.
  std::vector<populate::NamespaceTemplate> templates{};
  std::map<std::string, ClusterTemplate> known{};  ///< all there are, by name
  /// Names of those that are disabled, cannot be used, or belong to another tool's ApplySet: what
  /// was made of them stays as it is.
  std::set<std::string> left_alone{};
  std::map<std::string, ClusterNamespace> namespaces{};  ///< by name
  /// Errors name what is left alone.
  std::vector<report::PopulationRemark> remarks{};
};

/// Reads all templates, and the namespaces that are named; none: all. The session being stopped,
/// some may be missing. Throws kube::base::Error where they cannot be read, or the cluster has no
/// NamespaceTemplates.
PopulationInput ReadPopulationInput(const std::vector<std::string>& namespaces,
                                    std::int64_t chunk_size, const kube::client::Session& session);

}  // namespace migrate::population
