#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <set>

#include "kube/base/clock.h"
#include "kube/base/mutex.h"
#include "kube/client/client.h"

namespace kube::client {

/// Lets several threads use one Client, which is for one thread: one of them has the turn, and the
/// others wait. The turn goes over in Poll, Wait and BeginWork alone, so that what a thread does
/// between two of these nobody comes between. Thus the waits of many pass at the same time, without
/// a word about threads where they wait.
///
/// Of those that take part one may be at work, which is all that costs the server something; to
/// wait for a while it leaves the work to others (EndWork, BeginWork).
///
/// What Client::Poll throws here may be due to any of them, so it is thrown to all that wait.
class Scheduler {
 public:
  using TimePoint = base::Clock::TimePoint;

  /// Both must outlive it.
  Scheduler(Client& client, const base::Clock& clock) : client_(client), clock_(clock) {}
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// A thread takes part from here, where it waits for its turn, to the end of this.
  class Participant {
   public:
    explicit Participant(Scheduler& scheduler) : scheduler_(scheduler) { scheduler_.Enter(); }
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;
    ~Participant() { scheduler_.Leave(); }

   private:
    Scheduler& scheduler_;
  };

  /// As Client::Poll; behind it those have had their turn that need not wait any longer.
  void Poll(TimePoint deadline);
  /// Leaves the turn to others until then, or until `is_over`, which is asked after everything that
  /// happens, by any of the threads.
  void Wait(TimePoint until, const std::function<bool()>& is_over);

  /// Waits until nobody is at work, and nobody of a lower priority wants to be; then the thread is.
  /// Each has a priority of its own.
  void BeginWork(std::size_t priority);
  /// No error if another one is at work, or none.
  void EndWork(std::size_t priority);
  /// The priority of whoever is at work.
  std::optional<std::size_t> at_work() const { return at_work_; }

 private:
  struct Waiter {
    TimePoint until;
    const std::function<bool()>& is_over;
    std::condition_variable resumed{};
    bool has_turn = false;
    std::exception_ptr thrown{};
  };

  void Enter();
  void Leave();
  Waiter* FindOver();
  std::exception_ptr PollForAll(TimePoint deadline);
  void HandOver(Waiter& next);
  void AwaitTurn(Waiter& waiter);

  Client& client_;
  const base::Clock& clock_;
  base::Mutex mutex_;  // all but what it guards is of whoever has the turn
  std::deque<Waiter*> waiters_ GUARDED_BY(mutex_);  // who came first is first
  bool is_taken_ GUARDED_BY(mutex_) = false;        // some thread has the turn

  std::set<std::size_t> ranks_;  // that want to be at work
  std::optional<std::size_t> at_work_;
};

}  // namespace kube::client
