#include "kube/client/scheduler.h"

#include <algorithm>
#include <chrono>

namespace kube::client {
namespace {

// How soon an end is noticed that no answer brings, such as a signal.
constexpr std::chrono::milliseconds kSignalTick(100);

bool AtOnce() { return true; }

}  // namespace

void Scheduler::Poll(TimePoint deadline) {
  if (const std::exception_ptr thrown = PollForAll(deadline)) std::rethrow_exception(thrown);
  Wait(TimePoint::max(), AtOnce);
}

void Scheduler::Wait(TimePoint until, const std::function<bool()>& is_over) {
  Waiter self{until, is_over};
  {
    const base::MutexLock lock(mutex_);
    waiters_.push_back(&self);
  }
  for (;;) {
    Waiter* next = FindOver();
    if (next == &self) break;
    if (next == nullptr) {
      PollForAll(clock_.Now() + kSignalTick);
    } else {
      HandOver(*next);
      AwaitTurn(self);
    }
  }
  const base::MutexLock lock(mutex_);
  std::erase(waiters_, &self);
  if (self.thrown) std::rethrow_exception(self.thrown);
}

void Scheduler::BeginWork(std::size_t priority) {
  ranks_.insert(priority);
  try {
    Wait(TimePoint::max(), [this, priority] { return !at_work_ && *ranks_.begin() == priority; });
  } catch (...) {
    ranks_.erase(priority);
    throw;
  }
  ranks_.erase(priority);
  at_work_ = priority;
}

void Scheduler::EndWork(std::size_t priority) {
  if (at_work_ == priority) at_work_.reset();
}

void Scheduler::Enter() {
  const std::function<bool()> is_over = AtOnce;
  Waiter self{TimePoint::max(), is_over};
  {
    const base::MutexLock lock(mutex_);
    if (!is_taken_) {
      is_taken_ = true;
      return;
    }
    waiters_.push_back(&self);
  }
  AwaitTurn(self);
  const base::MutexLock lock(mutex_);
  std::erase(waiters_, &self);
}

void Scheduler::Leave() {
  Waiter* next = FindOver();
  if (next == nullptr) {
    const base::MutexLock lock(mutex_);
    is_taken_ = !waiters_.empty();
    if (!is_taken_) return;
    next = waiters_.front();
  }
  HandOver(*next);
}

Scheduler::Waiter* Scheduler::FindOver() {
  const TimePoint now = clock_.Now();
  const base::MutexLock lock(mutex_);
  const auto found = std::ranges::find_if(waiters_, [now](const Waiter* waiter) {
    return waiter->thrown || waiter->until <= now || waiter->is_over();
  });
  return found == waiters_.end() ? nullptr : *found;
}

// What is thrown is for all that wait, and returned for whoever does not.
std::exception_ptr Scheduler::PollForAll(TimePoint deadline) {
  {
    const base::MutexLock lock(mutex_);
    for (const Waiter* waiter : waiters_) deadline = std::min(deadline, waiter->until);
  }
  try {
    client_.Poll(deadline);
    return nullptr;
  } catch (...) {
    const base::MutexLock lock(mutex_);
    for (Waiter* waiter : waiters_) waiter->thrown = std::current_exception();
    return std::current_exception();
  }
}

void Scheduler::HandOver(Waiter& next) {
  const base::MutexLock lock(mutex_);
  next.has_turn = true;
  next.resumed.notify_one();
}

void Scheduler::AwaitTurn(Waiter& waiter) {
  base::MutexLock lock(mutex_);
  while (!waiter.has_turn) lock.Wait(waiter.resumed);
  waiter.has_turn = false;
}

}  // namespace kube::client
