#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/answer_meaning.h"
#include "kube/client/lease_lock.h"
#include "kube/client/session.h"

namespace kube::client {

struct LeaderElectionOptions {
  std::string namespace_, name;  ///< of the Lease
  std::string identity;          ///< of this candidate, which no other one has
  /// Candidates that are known to have ended, whatever a Lease says: theirs is taken at once.
  std::vector<std::string> predecessors{};
  std::optional<LeaseOwner> owner{};  ///< with which the Lease goes, if we make it; absent: none
  /// How long others have to see nothing of a leader before they take its place; how long after its
  /// last renewal a leader takes itself for one; how often a leader renews, and a candidate looks.
  std::chrono::seconds lease_duration{15}, renew_deadline{10}, retry_period{2};
  /// The time of day, which is written into the Lease for people. Nothing is decided by it.
  std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

/// Takes part in the election of one leader among programs that share a Lease, by the rules of
/// client-go (tools/leaderelection), whose programs may take part too.
///
/// A leader is displaced only after lease_duration, as its Lease says, without any change of the
/// Lease, by our own clock: clocks of several machines are never compared. Who was not able to
/// renew for renew_deadline is no longer the leader by its own clock, which is sooner. Each write
/// holds only where the Lease is what was read before it.
///
/// Needs the rights to get, create and update Leases in the namespace. For one thread, which lets
/// the client poll: answers come within Client::Poll.
class LeaderElection {
 public:
  /// Takes a line for people, without a line break.
  using LogFunction = std::function<void(const std::string&)>;

  /// Throws kube::base::Error, in client-go's words, where the times do not fit each other. What
  /// `session` refers to must outlive it.
  LeaderElection(LeaderElectionOptions options, const Session& session, LogFunction tell);
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  /// To be called several times a second: begins a call where one is due, and gives up one that
  /// hangs; never waits. Where the session is stopped a leader goes on to renew, and nobody becomes
  /// one.
  void Advance();

  /// True from a successful write of the Lease until renew_deadline after it was sent, or until
  /// another holder is seen. Becomes false by itself, also while a call hangs.
  bool is_leader() const;
  /// Until when is_leader() stays true where nothing comes between; the beginning of time where it
  /// is false already.
  base::Clock::TimePoint leader_until() const;
  /// Whom the Lease names, as seen last; empty: nobody, or nothing was seen.
  const std::string& holder() const { return observed_.holder_identity; }
  /// The Lease as it was seen, or written by ourselves, last; an empty one: nothing was seen.
  const LeaseRecord& observed() const { return observed_; }
  /// When that was read nobody held it any more, whoever it names.
  bool is_free() const { return is_free_; }
  /// What kept the last try from ending well, for people; empty: nothing.
  const std::string& problem() const { return last_problem_; }
  /// The same for a program; absent also where somebody else was faster, which is none.
  std::optional<Meaning> problem_meaning() const { return problem_meaning_; }

  /// At the end: gives the Lease back, where it is ours, so that another one need not wait. Waits a
  /// few seconds at most, also where the session is stopped. What fails is only told. Before it,
  /// whatever only a leader may do has to have ended. Advance does nothing more.
  void Release();

 private:
  using CallError = client::CallError;

  bool MayLead() const;
  void Try();
  void OnAnswer(const std::optional<CallError>& error);
  void OnFailure(const CallError& error);
  void OnRead();
  void Write();
  void OnWritten();
  void OnReleaseAnswer(const std::optional<CallError>& error);
  void PollToEnd();
  void ReportNotReleased(const CallError& error) const;
  void EndTry();
  void NoteProblem(const CallError& error);
  void NoteLoss();
  void Lose(const std::string& why);
  void ReportEnd(const std::string& why) const;
  void ForgetProblem();
  bool MayTake() const;
  LeaseRecord NewRecord() const;
  base::Clock::Duration PauseOfCandidate();
  std::string Problem(const CallError& error) const;

  const LeaderElectionOptions options_;
  const Session session_;
  const LogFunction tell_;
  const std::string lease_text_;  // how lines name it
  LeaseLock lock_;
  std::minstd_rand random_;
  base::Clock::TimePoint due_{}, tried_at_{};

  LeaseRecord observed_;                      // what the Lease is, as far as known
  std::optional<std::string> observed_text_;  // of what was read; absent: written by ourselves
  base::Clock::TimePoint observed_at_{};      // when that was seen to be another one than before
  LeaseRecord written_;                       // by the call under way
  bool is_optimistic_ = false;                // it was begun without a look at the Lease
  bool is_leading_ = false;                   // until the loss is noticed
  base::Clock::TimePoint renewed_at_{};       // when the last write of ours that was done was begun
  bool is_released_ = false;
  bool was_leading_ = false;  // when it was released

  std::string reported_;  // the holder that was told last
  std::string last_problem_, last_problem_key_;
  std::optional<Meaning> problem_meaning_;
  bool is_free_ = false;
  std::set<std::string> told_;                     // keys of problems, since a try ended well
  std::optional<base::Clock::TimePoint> well_at_;  // when that was, or the first try
};

}  // namespace kube::client
