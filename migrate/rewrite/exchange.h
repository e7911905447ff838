#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "kube/json/json.h"

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

}  // namespace migrate::rewrite
