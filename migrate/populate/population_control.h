#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/populate/known_population.h"
#include "migrate/populate/population.h"
#include "migrate/populate/population_counts.h"
#include "migrate/populate/population_notes.h"
#include "migrate/populate/population_state.h"

namespace migrate::populate {

struct ControlOptions {
  /// Of each round; all namespaces, and no dry run. Its time_of_day is that of Events.
  PopulationOptions population{};
  /// How often all is applied again, so that what others have changed is set back; zero: never.
  std::chrono::seconds resync{};
  /// Namespaces that have what they are to have get the label that says so.
  bool marks_populated = false;
  /// As InitializationOptions: from which age on they take objects whether they have it or not.
  std::chrono::seconds initialization_timeout{30};
  std::function<std::chrono::sys_seconds()> now{};
  /// Whether this replica populates; the others only watch. Is asked several times a second while a
  /// round lasts, so that it may stop the session of the round.
  std::function<bool()> leads = [] { return true; };
  /// Takes a line for people, without a line break.
  std::function<void(const std::string&)> tell{};
};

/// Keeps the namespaces of a cluster as NamespaceTemplates say.
///
/// It watches both. A namespace that is new, or whose labels or creator change, is looked at; a
/// template that is new, changes or goes has all looked at that it selects, has selected, or has
/// something in. To look at a namespace is to do there what Populate does. What fails is tried
/// again (DueNamespaces). Changes and failures become Events in the namespace; templates say what
/// they have, and how that fares, once no namespace is due.
///
/// One that begins to lead takes nothing for granted: it lists what was made of templates, and
/// looks at all namespaces. What others do to objects is not watched: it is set back when the
/// namespace is looked at next.
///
/// For one thread, which lets the client poll.
class PopulationControl {
 public:
  /// `round_session` is of the same client as `session`, and also stopped when another replica
  /// leads. `counts` and `known`, which may be the null pointer, are kept up to date. All must
  /// outlive it.
  PopulationControl(ControlOptions options, PopulationCounts& counts, KnownPopulation* known,
                    const kube::client::Session& session,
                    const kube::client::Session& round_session);

  /// Reads templates and namespaces. False: the session was stopped meanwhile. Throws
  /// kube::base::Error where they cannot be read, or the cluster has no NamespaceTemplates.
  bool Begin();
  /// Looks at what is due, some hundred namespaces at the most. To be called several times a
  /// second, and at once as long as is_busy().
  void Advance();
  bool is_busy() const;

 private:
  void TakeChanges();
  void HandleTemplate(const std::string& name, std::optional<TemplateEntry> entry);
  void HandleNamespace(const std::string& name, std::optional<ClusterNamespace> found);
  void AddSelected(const std::string& template_name);
  bool IsOverdue(const ClusterNamespace& found) const;
  void LookAtClosed();
  std::string WhyClosed(const ClusterNamespace& found) const;
  void LookAtGuard();
  void ReportLeftAlone();
  void Look();
  bool IsChanged(const std::string& namespace_, const std::string& template_name) const;
  void PublishCounts();
  void BeginToLead();
  void LookAtAllAnew();
  void LookAt(const std::vector<std::string>& names);
  bool ReadKinds(const std::vector<std::string>& names);
  bool AreEventsDue() const;
  bool IsNoteDue() const;
  bool HasLookedAtAll() const;
  void NoteSoon();
  void Note();

  const ControlOptions options_;
  PopulationCounts& counts_;
  const kube::client::Session session_, round_session_;
  PopulationWatch watch_;
  CacheUpdater feed_;
  PopulationNotes notes_;
  PopulationState state_;
  DueNamespaces due_;
  std::set<std::string> closed_;  // namespaces that may not take objects of everybody yet

  bool is_leading_ = false;
  std::set<std::string> groups_;  // of which state_.kinds were read
  kube::base::Clock::TimePoint kinds_read_{}, resync_due_{};
  /// Templates are to say what they have, from then on; absent: they do.
  std::optional<kube::base::Clock::TimePoint> note_due_;
  bool is_kinds_trouble_told_ = false;       // while it lasts
  std::set<std::string> changed_templates_;  // of which it is to be told why they are left alone
  bool are_refusals_new_ = false;            // some template is refused, or no more
  bool is_guarded_ = false;                  // $(CREATOR), when it was asked for last
  kube::base::Clock::TimePoint guard_due_{};
};

}  // namespace migrate::populate
