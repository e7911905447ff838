#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/client/session.h"
#include "kube/json/json.h"
#include "migrate/report/object_class.h"
#include "migrate/rewrite/throttle.h"

namespace migrate::rewrite {

/// Why an object is to be tried again.
struct FirstFailure {
  int code = 0;
  std::string message;  ///< empty: the answer was broken
};

/// What has to be said to the server about one object, request by request, until it is known what
/// becomes of it. No I/O.
class Exchange {
 public:
  enum class Step {
    kSend,   ///< Request() is to be sent now
    kPause,  ///< the same, at due()
    kDone,   ///< nothing is left to be sent
  };

  virtual ~Exchange() = default;
  virtual kube::client::ApiRequest Request() const = 0;
  /// Takes the answer to Request(): `body` of a success, which is parsed with `document`, or
  /// `error`. `now` is when it came.
  virtual Step OnAnswer(std::string_view body, const std::optional<kube::client::CallError>& error,
                        kube::json::Document& document, kube::base::Clock::TimePoint now) = 0;

  /// The last answer was that of a server with too much to do, and how long it asks us to wait.
  bool was_slowdown() const { return was_slowdown_; }
  std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }
  kube::base::Clock::TimePoint due() const { return due_; }

  /// Of the first try, once the object was put off.
  const std::optional<FirstFailure>& first_failure() const { return first_failure_; }
  void PutOff(const std::optional<kube::client::CallError>& error) {
    first_failure_.emplace();
    if (!error) return;
    if (error->status) first_failure_->code = error->status->code;
    first_failure_->message = error->status ? error->status->message : error->message;
  }

 protected:
  bool was_slowdown_ = false;
  std::optional<std::chrono::seconds> retry_after_;
  kube::base::Clock::TimePoint due_{};

 private:
  std::optional<FirstFailure> first_failure_;
};

/// Keeps as many objects on their way as the throttle allows, and those that wait to be tried
/// again beside them.
class ExchangePool {
 public:
  /// All must outlive it. `on_wait`, which may be empty, is told where nothing is sent for more
  /// than a second, as the server asks for it, and where no object gets anywhere for ten seconds.
  /// An answer that does not come within `answer_limit` is not waited for any longer, whatever the
  /// server does with the request; zero: it always is.
  ExchangePool(Throttle throttle, std::function<void(const std::string&)> on_wait,
               const kube::client::Session& session, kube::base::Clock::Duration answer_limit = {});
  ~ExchangePool();

  /// Is told what became of an object.
  using OnDone = std::function<void(Exchange&)>;
  /// Takes the answers that came since the last call. Sends on what has its next request at hand.
  /// `on_put_off`, which may be empty, is told once of an object that is to be tried again.
  void HandleAnswers(const OnDone& on_done, const OnDone& on_put_off = nullptr);

  /// Sends what is due again, as far as the throttle allows. To be called ahead of HasRoom in each
  /// round.
  void SendDue();
  /// True if a new object may begin: not where too many wait already to be tried again.
  bool HasRoom() const;
  void Begin(std::unique_ptr<Exchange> exchange);
  /// Sends nothing more: what is in flight ends, within half a minute or without an answer; what
  /// waits to be tried again is forgotten.
  void Stop();

  /// How many objects are on their way, or wait to be tried again.
  std::size_t size() const { return in_flight_.size() + waiting_.size(); }
  bool is_idle() const { return size() == 0; }
  /// When time alone lets something be sent.
  kube::base::Clock::TimePoint next_event() const;

 private:
  class Flight;
  void Send(std::unique_ptr<Flight> flight);
  void Take(std::unique_ptr<Flight> flight, const OnDone& on_done, const OnDone& on_put_off);
  void ReportHold(std::chrono::seconds hold);
  void ReportStall();
  void GiveUpLate();

  Throttle throttle_;
  const std::function<void(const std::string&)> on_wait_;
  const kube::client::Session session_;
  const kube::base::Clock::Duration answer_limit_;
  kube::base::Clock::TimePoint looked_at_{};   // for what may be sent
  kube::base::Clock::TimePoint told_until_{};  // of the last wait that was told
  kube::base::Clock::TimePoint moved_;         // when an object was done, or there was no need to
  kube::base::Clock::TimePoint stall_told_{};
  std::string last_error_;  // since an object was done; empty: no answer at all
  std::map<const Flight*, std::unique_ptr<Flight>> in_flight_;
  std::vector<const Flight*> answered_;
  std::optional<kube::base::Clock::TimePoint> stopped_at_;
  std::multimap<kube::base::Clock::TimePoint, std::unique_ptr<Flight>>
      waiting_;                    // by when it is due
  kube::json::Document document_;  // of one answer after the other
};

/// Notices that nearly every object fails in the same way, so that going on would only bring more
/// of it: forty of the last fifty objects, and of the last fifty first answers about objects.
///
/// Objects that were put off, to be tried again, fail together long after others were written. That
/// says nothing of the next object, and so the first answers have to be alike, too.
class FailureStreak {
 public:
  /// An object was put off for the first time.
  void OnPutOff(const Exchange& object);
  /// An object is done, and that is no failure.
  void OnSuccess(const Exchange& object);
  /// An object has failed for good. The text says that it is enough, as there are many first
  /// answers like its own; absent: it is not. Answers are alike where code and message are, names
  /// and numbers in it aside.
  std::optional<std::string> OnFailure(const Exchange& object, report::ObjectClass object_class,
                                       int code, std::string_view message);

 private:
  static constexpr std::size_t kLast = 50;

  /// The last answers; 0 is a success.
  class Ring {
   public:
    void Add(std::size_t shape) { shapes_[next_++ % shapes_.size()] = shape; }
    bool IsMostly(std::size_t shape) const;

   private:
    std::array<std::size_t, kLast> shapes_{};
    std::size_t next_ = 0;
  };

  static std::size_t Shape(int code, std::string_view message);
  void AddEnd(const Exchange& object, std::size_t shape);

  Ring first_answers_, ends_;
};

}  // namespace migrate::rewrite
