#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/cluster_template.h"
#include "migrate/populate/namespace_template.h"
#include "migrate/populate/target_namespace.h"
#include "migrate/report/population_report.h"

namespace migrate::populate {

/// Path of the list of namespaces.
inline constexpr char kNamespacesPath[] = "/api/v1/namespaces";

struct ClusterNamespace {
  TargetNamespace target;
  std::string uid{};
  /// By the API server's clock; the beginning of time where it does not say.
  std::chrono::sys_seconds created{};
  bool is_terminating = false;  ///< takes nothing new, and loses what it has
};

/// A Namespace of a cluster; absent where it is none.
std::optional<ClusterNamespace> ReadClusterNamespace(const kube::json::Value& object);

/// A NamespaceTemplate of a cluster.
struct TemplateEntry {
  ClusterTemplate known;
  std::optional<NamespaceTemplate> usable{};
  TemplateRefusal refusal{};  ///< where it is not usable
};

TemplateEntry ReadTemplateEntry(const kube::json::Value& object);

/// The NamespaceTemplates and the namespaces of a cluster.
struct PopulationInput {
  /// Those that can be used, disabled ones too, sorted by name.
  std::vector<NamespaceTemplate> templates{};
  std::map<std::string, ClusterTemplate> known{};  ///< all there are, by name
  /// Those that are refused, by name, and why.
  std::map<std::string, TemplateRefusal> refused{};
  /// Names of those that are disabled or refused: what was made of them stays as it is.
  std::set<std::string> left_alone{};
  std::map<std::string, ClusterNamespace> namespaces{};  ///< by name
  /// What templates said to have that have gone since: nobody else says so.
  std::set<GroupKind> gone_types{};
  /// Errors name what is left alone.
  std::vector<report::PopulationRemark> remarks{};

  /// One is new, or has changed.
  void PutTemplate(TemplateEntry entry);
  /// One is gone. Not an error if it was not there.
  void RemoveTemplate(const std::string& name);
  /// The null pointer: there is none that can be used.
  const NamespaceTemplate* FindTemplate(const std::string& name) const;
  /// Why a template is left alone, as an error, or a note where it is disabled; absent: it is not.
  std::optional<report::PopulationRemark> WhyLeftAlone(const std::string& name) const;

  /// Some template has $(CREATOR).
  bool UsesCreator() const;
  /// Says why it is not proven that nobody forges $(CREATOR); empty: it is. Without it, it is not.
  /// Templates with it are refused as long as there is a reason. Returns the names of those that
  /// are refused anew, for another reason, or no more.
  std::vector<std::string> SetCreatorGuard(const std::string& why_unguarded);

 private:
  void Forget(const std::string& name);
  void HoldToGuard(NamespaceTemplate& each);

  std::string why_unguarded_ = "nobody has looked for its webhook yet";
};

/// Asks the server why it is not proven that nobody forges $(CREATOR); empty: it is
/// (WhyCreatorUnguarded). Needs the right to list
/// validatingwebhookconfigurations; without it nothing is proven.
std::string ReadCreatorGuard(const kube::client::Session& session);

/// Throws the kube::base::Error for a list of templates that could not be read.
[[noreturn]] void ThrowForTemplates(const kube::client::CallError& error);

/// Reads all templates, and the namespaces that are named; none: all. Where some have $(CREATOR)
/// and it is not trusted, asks for its guard too. The session being stopped, some may be missing.
/// Throws kube::base::Error where they cannot be read, or the cluster has no NamespaceTemplates.
PopulationInput ReadPopulationInput(const std::vector<std::string>& namespaces, bool trusts_creator,
                                    const kube::client::Session& session);

}  // namespace migrate::populate
