#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/clock.h"
#include "kube/base/mutex.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/leader_election.h"
#include "kube/client/lease_lock.h"
#include "kube/client/session.h"

namespace migrate::migration {

/// Who holds a Lease, so that programs can tell candidates apart and people know whom to ask.
struct Holder {
  std::string user;          ///< of the system; may hold anything
  std::string host;          ///< machine or pod
  std::int64_t process = 0;  ///< its number there
  std::uint64_t number = 0;  ///< by chance: in pods each program is process 1

  bool operator==(const Holder&) const = default;
};

/// As a Lease names it: "alice@bastion/4711/00000000075bcd15". Of the names only the first 100
/// characters; what could be taken for a separator, and whatever is not printed, becomes "_".
std::string IdentityOf(const Holder& holder);

/// Absent where `identity` is none that IdentityOf makes, as another program holds the Lease.
std::optional<Holder> ReadHolder(std::string_view identity);

/// For people: "alice@bastion (process 4711)"; of another program the identity, quoted and
/// shortened.
std::string DescribeHolder(std::string_view identity);

/// How it stands with a Lease that somebody wants to hold for a while, but not twice: who has lost
/// it cannot know what others have done since.
enum class LeaseState : std::uint8_t {
  kSought,       ///< it is not known yet whether somebody has it
  kOthers,       ///< somebody else has it
  kOurs,         ///< until LeaseView::ours_until
  kDoubtful,     ///< was ours, and could not be renewed; nobody else was seen to have it
  kLost,         ///< was ours, and somebody else may have had it since. The end
  kUnavailable,  ///< cannot be had or seen: rights, namespace or API are missing. The end
};

struct LeaseView {
  LeaseState standing = LeaseState::kSought;
  kube::base::Clock::TimePoint ours_until{};  ///< with kOurs
  kube::client::LeaseRecord record{};         ///< as seen last; with kOthers that of the other one
  std::string reason{};                       ///< why, with the last three, for people
};

/// What an election shows at one moment (kube::client::LeaderElection).
struct Observation {
  bool is_leader = false;
  kube::base::Clock::TimePoint leader_until{};
  kube::client::LeaseRecord record{};
  bool is_free = false;  ///< nobody held it any more when it was read, whoever `record` names
  std::optional<kube::client::Meaning> problem{};  ///< of the last try; absent: it ended well
  std::string problem_text{};
};

/// Whether the Lease is held, of what an election shows: candidates win and lose again and again
/// there. No I/O.
///
/// A leader that was not able to renew holds the Lease in doubt, and goes on with it where it is
/// the leader again before anybody else was. Where the server says that we may not renew, or
/// nothing else for two minutes, it is over. What was never had is unavailable where the server
/// says so, or says nothing that could be used for half a minute.
class LeaseTracker {
 public:
  /// `predecessors` have ended, and are nobody, whatever a Lease says.
  LeaseTracker(std::string identity, std::vector<std::string> predecessors,
               kube::base::Clock::TimePoint now)
      : identity_(std::move(identity)), predecessors_(std::move(predecessors)), well_at_(now) {}

  /// To be called several times a second.
  void Look(const Observation& glimpse, kube::base::Clock::TimePoint now);
  /// The end, whatever comes: nobody looks after the Lease any more.
  void Break(const std::string& why);

  const LeaseView& view() const { return view_; }

 private:
  bool IsOver() const;
  bool IsAnother(const std::string& holder) const;
  bool WasOurs() const { return acquired_.has_value(); }
  void RecordAsLeader(const Observation& glimpse);
  void RecordAsCandidate(const Observation& glimpse, kube::base::Clock::TimePoint now);
  void RecordAsDisplaced(const Observation& glimpse, kube::base::Clock::TimePoint now);
  void End(LeaseState standing, std::string why);

  const std::string identity_;
  const std::vector<std::string> predecessors_;
  LeaseView view_;
  std::optional<kube::client::LeaseRecord>
      acquired_;                          // as of the first moment in which it was ours
  kube::base::Clock::TimePoint well_at_;  // as of when there was nothing to doubt
};

/// A Lease that is wanted.
struct LeaseRequest {
  std::string namespace_, name;
  std::string identity;                     ///< IdentityOf this run
  std::vector<std::string> predecessors{};  ///< LeaderElectionOptions::predecessors
  std::string crd_name{}, crd_uid{};        ///< the CRD with which it goes
};

/// Keeps Leases for those who do other things meanwhile. All methods return at once; of several
/// threads each may call them.
class Leases {
 public:
  using Number = std::uint64_t;

  virtual ~Leases() = default;
  /// Begins to seek it, and goes on until it is given back.
  virtual Number Seek(LeaseRequest request) = 0;
  /// How it stands. By the clock: what is ours becomes doubtful by itself.
  virtual LeaseView Look(Number lease) = 0;
  /// Whatever only its holder may do has to have ended. No error where it is not held. Not looked
  /// at any more.
  virtual void GiveBack(Number lease) = 0;
};

/// Keeps Leases by elections, with the client of one thread, which calls Advance and lets the
/// client poll, out of which the others wake it. A holder renews every five seconds; one that could
/// not for 20 may not write any more, and after 30 another one takes its place.
class LeaseKeeper : public Leases {
 public:
  using TimeOfDay = std::function<std::chrono::system_clock::time_point()>;

  /// What `session` refers to must outlive it. `now` is what is written into Leases, for people.
  explicit LeaseKeeper(const kube::client::Session& session,
                       TimeOfDay now = std::chrono::system_clock::now);
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  ~LeaseKeeper() override;

  Number Seek(LeaseRequest request) override;
  LeaseView Look(Number lease) override;
  void GiveBack(Number lease) override;

  // For the thread of the client alone:

  /// To be called several times a second, and after Client::Wake, which the methods above call.
  /// Takes up what is sought, and gives back what is to be given back, for which it waits a few
  /// seconds at most, also what has come meanwhile: a wait uses up a Wake. Throws what Client::Poll
  /// throws.
  void Advance();
  /// Gives all back.
  void End();
  /// Nobody keeps them any more: `why`. What is sought from now on is not available.
  void Break(const std::string& why);

 private:
  struct Kept;
  using KeptMap = std::map<Number, std::unique_ptr<Kept>>;

  std::vector<Kept*> TakeUp();
  void AdvanceOne(Kept& kept);
  std::vector<std::unique_ptr<Kept>> TakeGivenBack(bool all);
  bool Release(bool all);

  const kube::client::Session session_;
  const TimeOfDay now_;
  kube::base::Mutex mutex_;  // the elections are of the one thread
  KeptMap kept_ GUARDED_BY(mutex_);
  Number last_ GUARDED_BY(mutex_) = 0;
  std::string broken_because_ GUARDED_BY(mutex_);  // empty: it is not
};

}  // namespace migrate::migration
