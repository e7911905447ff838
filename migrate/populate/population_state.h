#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/cluster_kinds.h"
#include "migrate/populate/cluster_template.h"
#include "migrate/populate/member_index.h"
#include "migrate/populate/population_input.h"

namespace migrate::populate {

/// Which namespaces are to be looked at, and when. No I/O.
///
/// New ones come first: somebody waits for them. One in which something failed waits a second
/// before the next try, and twice as long each further time, up to five minutes; what changes in
/// between ends the wait.
class DueNamespaces {
 public:
  using TimePoint = kube::base::Clock::TimePoint;

  /// It is new. Not an error if it was there.
  void AddNew(const std::string& name);
  /// Something has changed by which it has to be looked at.
  void Add(const std::string& name);
  /// It is gone.
  void Forget(const std::string& name);

  /// Those that are due, `most` of them at the most, new ones first, then those where something has
  /// changed; they are no longer due.
  std::vector<std::string> Take(std::size_t most, TimePoint now);
  /// One that was taken has been looked at. Does nothing where it has become due meanwhile, or is
  /// gone and was not taken.
  void NoteDone(const std::string& name, bool is_unfinished, TimePoint now);

  /// When the next one is due: `now` or before where some are; absent: none will be by itself.
  std::optional<TimePoint> next() const;
  /// How many are due at `now`.
  std::size_t CountDue(TimePoint now) const;
  /// How many wait for another try.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::set<std::string> new_, changed_;
  std::map<std::string, TimePoint> waiting_;  // for another try
  std::map<std::string, int> failures_;       // one after the other
};

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
