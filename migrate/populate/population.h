#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/session.h"
#include "migrate/check/object_diff.h"
#include "migrate/report/population_report.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::populate {

struct PopulationOptions {
  std::vector<std::string> namespaces{};  ///< only these; none: all
  report::DryRun dry_run = report::DryRun::kNone;
  std::string version{};  ///< of this program, "v0.1.0", for who looks at an ApplySet
  rewrite::Pace pace{};   ///< of namespaces, then of deletions
  /// With DryRun::kServer: is given each object as it is, and as the server would have it. May be
  /// the null pointer. Then nothing is sent that kube::client::ReadOnlyTransport refuses.
  check::ChangeTaker* changes = nullptr;
  /// How long what may pass is tried again: a conflict, a webhook that is down.
  kube::base::Clock::Duration patience = std::chrono::minutes(3);
  /// How long an answer is waited for; zero: until it comes. Where it does not come, nothing more
  /// is sent for that namespace.
  kube::base::Clock::Duration answer_limit{};
  /// Whoever asks for it sees what changes, and comes again: what was changed meanwhile is left to
  /// that, and not told.
  bool comes_again = false;
  /// A line for the person who waits: why nothing happens for a while. May be empty.
  std::function<void(const std::string&)> on_line{};
  /// The time of day, RFC 3339, for Events and conditions.
  std::function<std::string()> time_of_day{};
  /// $(CREATOR) counts, whoever may annotate namespaces.
  bool trusts_creator = false;
  /// How many objects are applied or pruned, and how many there are so far. May be empty.
  std::function<void(std::size_t done, std::size_t expected)> on_progress{};
};

/// Brings the namespaces of a cluster to what its NamespaceTemplates say, once.
///
/// What a namespace is to have (Expand) is applied in the order of the templates, many
/// namespaces at once; then what was made of templates and is not wanted any more is deleted. An
/// object is deleted only where it is proven to be made of its template (Membership), and
/// the template is as it was read, or is gone. Nothing of a template is deleted in a namespace
/// where some object of it could not be applied: that may be what comes in its place.
///
/// The members of an ApplySet are found by the kinds that its parent names (KEP-3659). So a
/// template says beforehand what it will have, and what it has no more only once that is deleted,
/// by a run over all namespaces. What was made of a template that is gone is found as far as
/// another one names its kinds.
///
/// What is done and goes wrong becomes Events, in namespaces and of templates that are refused,
/// where it is no dry run.
///
/// What is wrong with one object, template or kind is in the report; everything else is done. Run
/// again it goes on. Throws kube::base::Error where nothing can be done: no NamespaceTemplates, a
/// server that does not answer.
report::PopulationReport Populate(const PopulationOptions& options,
                                  const kube::client::Session& session);

}  // namespace migrate::populate
