#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/populate/namespace_template.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {

/// As an API server notes it. In seconds it holds whatever a server may say.
using TimePoint = std::chrono::sys_seconds;

/// Now, by the system's clock.
TimePoint TimeOfDay();

/// A Namespace of the cluster.
struct KnownNamespace {
  TargetNamespace target;
  TimePoint created{};  ///< by the API server's clock; the beginning of time where it does not say
};

/// What a cluster has at a moment. Immutable: stays as it is while another one takes its place.
struct Population {
  using Templates = std::map<std::string, std::shared_ptr<const NamespaceTemplate>, std::less<>>;
  using Namespaces = std::map<std::string, std::shared_ptr<const KnownNamespace>, std::less<>>;
  using Configurations = std::vector<InitializationConfiguration>;

  std::shared_ptr<const Templates> templates;    ///< by name
  std::shared_ptr<const Namespaces> namespaces;  ///< by name
  /// By name; never the null pointer.
  std::shared_ptr<const Configurations> configurations = std::make_shared<const Configurations>();
  /// Since when changes of the cluster are not known any more; absent: they are.
  std::optional<TimePoint> stale_since{};

  /// The null pointer if it is not known.
  std::shared_ptr<const KnownNamespace> FindNamespace(std::string_view name) const;
};

/// The Namespaces and NamespaceTemplates of the cluster, as handlers go by them: they ask nobody.
/// Whoever watches them says here what becomes of them.
///
/// current is for several threads at once; the rest is for the one that knows what the cluster has.
class KnownPopulation {
 public:
  /// What is known now; absent before the first Replace.
  std::optional<Population> current() const;

  /// All that there is from now on, and it is current.
  void Replace(Population::Templates templates, Population::Namespaces namespaces);
  /// What there is becomes what `change` makes of it. Not before the first Replace. Costs as much
  /// as there is, so that many changes had better be made at once.
  void Change(const std::function<void(Population::Templates&, Population::Namespaces&)>& change);
  /// These are all NamespaceInitializationConfigurations. Not before the first Replace.
  void SetConfigurations(Population::Configurations configurations);
  /// Changes are known again.
  void NoteCurrent();
  /// Changes are not known from `time` on, until NoteCurrent or Replace. Said again it changes
  /// nothing.
  void NoteStale(TimePoint time);

 private:
  void Swap(std::optional<Population> next);

  mutable std::mutex mutex_;  // guards what follows
  std::optional<Population> current_;
};

}  // namespace migrate::populate
