#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client.h"
#include "kube/clock.h"
#include "kube/json.h"
#include "migrate/retry.h"
#include "migrate/spool.h"
#include "migrate/sweep.h"

namespace migrate {

/// One object on its way through the server, from its first request to what becomes of it. No I/O.
///
/// A merge patch {}, or where `by_update` says so, a GET and a PUT of the same bytes. Both are
/// answered with metadata, which tells what happened: an object whose resourceVersion is no longer
/// the listed one was stored anew, by us or by another writer, and so was one that was deleted and
/// created again (another uid).
class ObjectWrite {
 public:
  enum class Step {
    kSend,   ///< Request() is to be sent now
    kPause,  ///< the same, at due()
    kDone,   ///< answer() is there
  };

  /// `target` must outlive it.
  ObjectWrite(const SweepTarget& target, SpooledObject object)
      : target_(&target), object_(std::move(object)) {}

  const SpooledObject& object() const { return object_; }
  kube::ApiRequest Request() const;

  /// Takes the answer to Request(): `body` of a success, which is parsed with `document`, or
  /// `error`. `now` is when it came.
  Step OnAnswer(std::string_view body, const std::optional<kube::CallError>& error,
                kube::json::Document& document, kube::Clock::TimePoint now);

  /// The last answer was that of a server with too much to do, and how long it asks us to wait.
  bool was_slowdown() const { return was_slowdown_; }
  std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }
  kube::Clock::TimePoint due() const { return due_; }
  const ObjectAnswer& answer() const { return answer_; }

 private:
  Step OnObject(std::string_view body, kube::json::Document& document, kube::Clock::TimePoint now);
  Step Fail(const Verdict& verdict, const kube::CallError& error, kube::Clock::TimePoint now);
  Step Succeed(ListedObject stored);

  const SweepTarget* target_;
  SpooledObject object_;
  std::string read_;  // by update: the object as it was read, to be sent back
  RetryBudget budget_;
  bool was_slowdown_ = false;
  std::optional<std::chrono::seconds> retry_after_;
  kube::Clock::TimePoint due_{};
  ObjectAnswer answer_;
};

}  // namespace migrate
