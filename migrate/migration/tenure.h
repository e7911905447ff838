#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/lease_record.h"

namespace migrate::migration {

/// How it stands with a Lease that somebody wants to hold for a while, but not twice: who has lost
/// it cannot know what others have done since.
enum class Standing : std::uint8_t {
  kSought,       ///< it is not known yet whether somebody has it
  kOthers,       ///< somebody else has it
  kOurs,         ///< until LeaseView::ours_until
  kDoubtful,     ///< was ours, and could not be renewed; nobody else was seen to have it
  kLost,         ///< was ours, and somebody else may have had it since. The end
  kUnavailable,  ///< cannot be had or seen: rights, namespace or API are missing. The end
};

struct LeaseView {
  Standing standing = Standing::kSought;
  kube::base::Clock::TimePoint ours_until{};  ///< with kOurs
  kube::client::LeaseRecord record{};         ///< as seen last; with kOthers that of the other one
  std::string reason{};                       ///< why, with the last three, for people
};

/// What an election shows at one moment (kube::client::LeaderElection).
struct Glimpse {
  bool is_leader = false;
  kube::base::Clock::TimePoint leader_until{};
  kube::client::LeaseRecord record{};
  bool is_free = false;  ///< nobody held it any more when it was read, whoever `record` names
  std::optional<kube::client::Meaning> problem{};  ///< of the last try; absent: it ended well
  std::string problem_text{};
};

/// Makes one tenure of what an election shows, in which candidates win and lose again and again. No
/// I/O.
///
/// A leader that was not able to renew has a doubtful tenure, and goes on with it where it is the
/// leader again before anybody else was. Where the server says that we may not renew, or nothing
/// else for two minutes, it is over. What was never had is unavailable where the server says so, or
/// says nothing that could be used for half a minute.
class Tenure {
 public:
  /// `predecessors` have ended, and are nobody, whatever a Lease says.
  Tenure(std::string identity, std::vector<std::string> predecessors,
         kube::base::Clock::TimePoint now)
      : identity_(std::move(identity)), predecessors_(std::move(predecessors)), well_at_(now) {}

  /// To be called several times a second.
  void Look(const Glimpse& glimpse, kube::base::Clock::TimePoint now);
  /// The end, whatever comes: nobody looks after the Lease any more.
  void Break(const std::string& why);

  const LeaseView& view() const { return view_; }

 private:
  bool IsOver() const;
  bool IsAnother(const std::string& holder) const;
  bool WasOurs() const { return acquired_.has_value(); }
  void TakeAsLeader(const Glimpse& glimpse);
  void TakeAsCandidate(const Glimpse& glimpse, kube::base::Clock::TimePoint now);
  void TakeAsDisplaced(const Glimpse& glimpse, kube::base::Clock::TimePoint now);
  void End(Standing standing, std::string why);

  const std::string identity_;
  const std::vector<std::string> predecessors_;
  LeaseView view_;
  std::optional<kube::client::LeaseRecord>
      acquired_;                          // as of the first moment in which it was ours
  kube::base::Clock::TimePoint well_at_;  // as of when there was nothing to doubt
};

}  // namespace migrate::migration
