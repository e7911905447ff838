#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "kube/base/clock.h"
#include "kube/client/client.h"
#include "migrate/report/object_class.h"

namespace migrate::rewrite {

/// What an answer that is no success means for the object that it is about.
struct AnswerVerdict {
  report::ObjectClass object_class =
      report::ObjectClass::kFailed;  ///< what it ends as, if it is not tried again
  bool may_pass = false;             ///< worth another try after a pause
  bool is_slowdown = false;          ///< the server has too much to do
};

/// What is wrong with an answer of 2xx.
enum class BrokenAnswer {
  kCutShort,   ///< ends in the middle, without a word about it
  kNotObject,  ///< HTML, another object, ...
};

/// The table from what an answer to a write means (kube/client/answer_meaning.h), and its words, to
/// what follows from it for the object. Total: what it does not know has failed, and
/// is not tried again.
///
/// `object` is what the answer is about, as the server words it: `widgets.demo.example.com "a"`.
/// It is gone only if it is said to be not found itself: what is not found may also be its
/// namespace, and it is stored all the same. Empty: nothing is gone.
AnswerVerdict ClassifyAnswer(const kube::client::CallError& error, std::string_view object = {});
AnswerVerdict ClassifyAnswer(BrokenAnswer broken);

/// How often and after which pauses one object is tried: within the patience, ten times where that
/// is three minutes at most, long enough for a webhook whose certificate is renewed, or an API
/// server that is started again. A conflict has a shorter pause than trouble of the server.
/// Retry-After is obeyed; where it is longer than what is left, the object is given up. For
/// conflicts and for Retry-After, which kubectl waits for too, three minutes are the least.
class RetryBudget {
 public:
  explicit RetryBudget(kube::base::Clock::Duration limit = std::chrono::minutes(3))
      : limit_(limit) {}

  /// The pause before the next try; absent: no more. `now` is the time of the answer.
  std::optional<kube::base::Clock::Duration> Next(const AnswerVerdict& verdict,
                                                  std::optional<std::chrono::seconds> retry_after,
                                                  kube::base::Clock::TimePoint now);

 private:
  kube::base::Clock::Duration limit_;
  std::optional<kube::base::Clock::TimePoint> first_failure_;
  int failures_ = 0;
};

}  // namespace migrate::rewrite
