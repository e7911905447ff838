#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/cluster/object_watch.h"
#include "migrate/populate/namespace_template.h"
#include "migrate/populate/population_input.h"
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

/// What has become of a cluster's NamespaceTemplates and namespaces, by name, since it was asked
/// last; absent: it is gone.
struct PopulationChanges {
  std::map<std::string, std::optional<TemplateEntry>> templates{};
  std::map<std::string, std::optional<ClusterNamespace>> namespaces{};

  bool empty() const { return templates.empty() && namespaces.empty(); }
};

/// Watches the NamespaceTemplates and namespaces of a cluster, and its
/// NamespaceInitializationConfigurations once it has that kind.
///
/// Needs the rights to list and to watch them. For one thread, which lets the client poll.
class PopulationWatch {
 public:
  /// Takes a line for people, without a line break.
  using LogFunction = std::function<void(const std::string&)>;
  /// What `session` refers to must outlive it.
  /// `on_news` is called whenever there are some for TakeNews, also from within Client::Poll.
  /// Configurations are watched where it `watches_configurations`.
  PopulationWatch(const kube::client::Session& session, const LogFunction& tell,
                  std::function<void()> on_news, bool watches_configurations = false);

  /// Reads both for the first time. False: the session was stopped meanwhile. Throws
  /// kube::base::Error where they cannot be read, or the cluster has no NamespaceTemplates.
  bool Begin();
  /// To be called several times a second (cluster::ListWatch::Advance).
  void Advance();

  /// All that was new, has changed, or is gone since the last call.
  PopulationChanges TakeChanges();
  /// What the next TakeChanges gives.
  const PopulationChanges& changes() const { return changes_; }
  /// The same for somebody else, who asks more often.
  PopulationChanges TakeNews();
  /// All configurations that can be read, by name, where they are others than the last time.
  std::optional<std::vector<InitializationConfiguration>> TakeConfigurations();
  /// Since when some changes of templates or namespaces are not seen; absent: all are.
  std::optional<kube::base::Clock::TimePoint> blind_since() const;

 private:
  cluster::ListWatch::Options TemplateOptions(const LogFunction& tell);
  cluster::ListWatch::Options NamespaceOptions(const LogFunction& tell);
  cluster::ListWatch::Options ConfigurationOptions();
  void LookForConfigurations();

  const kube::client::Session session_;
  const std::function<void()> on_news_;
  const LogFunction tell_;
  PopulationChanges changes_, news_;
  std::set<std::string> templates_, namespaces_;  // names of those that there are
  cluster::ListWatch template_watch_, namespace_watch_;

  const bool watches_configurations_;
  std::optional<cluster::ListWatch> configuration_watch_;  // absent: the kind is not there
  kube::base::Clock::TimePoint configurations_due_{};      // to be looked for again
  bool is_configuration_trouble_told_ = false;
  std::set<std::string> configuration_names_;
  std::map<std::string, InitializationConfiguration> configurations_;
  bool are_configurations_new_ = false;
};

/// Hands on what a watch shows to those who answer webhooks. For the thread of the watch.
class CacheUpdater {
 public:
  /// `known` may be the null pointer: nobody goes by it. All must outlive it.
  CacheUpdater(KnownPopulation* known, PopulationWatch& watch, const kube::base::Clock& clock)
      : known_(known), watch_(watch), clock_(clock) {}

  /// The watch has read all there is.
  void Begin();
  /// To be called several times a second: all that is new, and whether changes are seen at all.
  void Feed();
  /// Something is new. Not each is handed on by itself, as that costs as much as there is. May be
  /// called from within Client::Poll, so that handlers know while something is waited for.
  void FeedSoon();

 private:
  void HandOn();

  KnownPopulation* const known_;
  PopulationWatch& watch_;
  const kube::base::Clock& clock_;
  bool has_begun_ = false;
  kube::base::Clock::TimePoint fed_at_{};
};

}  // namespace migrate::populate
