#include "migrate/rewrite/exchange_pool.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "kube/base/text.h"
#include "kube/client/gathered_call.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {
namespace {

// So many objects may wait to be tried again: enough to find out soon that all fail in the same
// way.
constexpr std::size_t kMostWaiting = 64;
// Above what an API server takes in a request, let alone what etcd stores.
constexpr std::chrono::seconds kLongestSilentHold{1};
// Once nothing more is sent: as long as a webhook may take.
constexpr std::chrono::seconds kLongestEnd{30};
// Without an object that is done; then it is told why, and again a minute later.
constexpr std::chrono::seconds kStall{10}, kBetweenStallLines{60};

}  // namespace

/// An object and its request that is under way.
class ExchangePool::Flight : public kube::client::GatheredCall {
 public:
  Flight(ExchangePool& owner, std::unique_ptr<Exchange> of_object)
      : GatheredCall(owner.session_.client), exchange(std::move(of_object)), owner_(owner) {}

  const std::unique_ptr<Exchange> exchange;
  kube::base::Clock::TimePoint sent_at{}, answered_at{};

  /// The answer is no longer waited for.
  void GiveUp() {
    Cancel();
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(owner_.session_.clock.Now() - sent_at);
    late_.emplace();
    late_->message = "no answer within " + std::to_string(seconds.count()) + " s";
    OnDone();
  }
  const std::optional<kube::client::CallError>& problem() const { return late_ ? late_ : error(); }
  bool has_answer() const { return late_ || is_done(); }
  void Forget() { late_.reset(); }

 private:
  void OnDone() override {
    answered_at = owner_.session_.clock.Now();
    owner_.answered_.push_back(this);
  }

  ExchangePool& owner_;
  std::optional<kube::client::CallError> late_;
};

ExchangePool::ExchangePool(Throttle throttle, std::function<void(const std::string&)> on_wait,
                           const kube::client::Session& session,
                           kube::base::Clock::Duration answer_limit)
    : throttle_(throttle),
      on_wait_(std::move(on_wait)),
      session_(session),
      answer_limit_(answer_limit),
      moved_(session.clock.Now()) {}

ExchangePool::~ExchangePool() = default;

void ExchangePool::GiveUpLate() {
  const auto now = session_.clock.Now();
  const bool is_at_end = stopped_at_ && now >= *stopped_at_ + kLongestEnd;
  const bool has_limit = answer_limit_ > kube::base::Clock::Duration::zero();
  if (!is_at_end && !has_limit) return;
  for (const auto& [key, flight] : in_flight_) {
    const bool is_late = is_at_end || now >= flight->sent_at + answer_limit_;
    if (is_late && !flight->has_answer()) flight->GiveUp();
  }
}

void ExchangePool::HandleAnswers(const OnDone& on_done, const OnDone& on_put_off) {
  GiveUpLate();
  for (const Flight* answered : std::exchange(answered_, {})) {
    Take(std::move(in_flight_.extract(answered).mapped()), on_done, on_put_off);
  }
}

void ExchangePool::Take(std::unique_ptr<Flight> flight, const OnDone& on_done,
                        const OnDone& on_put_off) {
  Exchange& exchange = *flight->exchange;
  const auto step =
      exchange.OnAnswer(flight->body(), flight->problem(), document_, flight->answered_at);
  const auto hold = throttle_.OnAnswer({.sent = flight->sent_at,
                                        .now = flight->answered_at,
                                        .is_slowdown = exchange.was_slowdown(),
                                        .retry_after = exchange.retry_after(),
                                        .in_flight = in_flight_.size()});
  if (hold) ReportHold(*hold);
  if (stopped_at_ && step != Exchange::Step::kDone) return;
  switch (step) {
    case Exchange::Step::kSend:
      return Send(std::move(flight));
    case Exchange::Step::kPause: {
      const auto due = exchange.due();
      if (flight->problem()) last_error_ = flight->problem()->message;
      if (!exchange.first_failure()) {
        exchange.PutOff(flight->problem());
        if (on_put_off) on_put_off(exchange);
      }
      waiting_.emplace(due, std::move(flight));
      return;
    }
    case Exchange::Step::kDone:
      moved_ = session_.clock.Now();
      last_error_.clear();
      return on_done(exchange);
  }
}

void ExchangePool::ReportHold(std::chrono::seconds hold) {
  const auto until = session_.clock.Now() + hold;
  moved_ = std::max(moved_, until);
  // What else was in flight is told to wait at about the same time.
  if (!on_wait_ || hold <= kLongestSilentHold || until <= told_until_ + kLongestSilentHold) return;
  told_until_ = until;
  on_wait_("waiting " + std::to_string(hold.count()) + " s, as the server asks for it");
}

void ExchangePool::ReportStall() {
  const auto now = session_.clock.Now();
  if (is_idle()) moved_ = now;
  if (!on_wait_ || now < std::max(moved_ + kStall, stall_told_ + kBetweenStallLines)) return;
  stall_told_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - moved_);
  on_wait_("nothing was written for " + std::to_string(seconds.count()) + " s: " +
           (last_error_.empty() ? "the server does not answer" : last_error_ + "; trying again"));
}

void ExchangePool::SendDue() {
  ReportStall();
  looked_at_ = session_.clock.Now();
  while (!waiting_.empty() && waiting_.begin()->first <= looked_at_ &&
         throttle_.MayStart(looked_at_, in_flight_.size())) {
    auto flight = std::move(waiting_.extract(waiting_.begin()).mapped());
    Send(std::move(flight));
  }
}

bool ExchangePool::HasRoom() const {
  return waiting_.size() < kMostWaiting &&
         throttle_.MayStart(session_.clock.Now(), in_flight_.size());
}

void ExchangePool::Begin(std::unique_ptr<Exchange> exchange) {
  Send(std::make_unique<Flight>(*this, std::move(exchange)));
}

void ExchangePool::Stop() {
  if (!stopped_at_) stopped_at_ = session_.clock.Now();
  waiting_.clear();
}

void ExchangePool::Send(std::unique_ptr<Flight> flight) {
  flight->sent_at = session_.clock.Now();
  flight->Forget();
  kube::client::ApiRequest request = flight->exchange->Request();
  request.in_bulk = true;
  request.most_bytes = kMostObjectBytes;
  flight->Start(std::move(request));
  const Flight* key = flight.get();
  in_flight_.emplace(key, std::move(flight));
  throttle_.OnStart(session_.clock.Now(), in_flight_.size());
}

kube::base::Clock::TimePoint ExchangePool::next_event() const {
  // An answer comes first where there is no room.
  if (in_flight_.size() >= throttle_.limit()) return kube::base::Clock::TimePoint::max();
  const auto due = waiting_.empty() ? kube::base::Clock::TimePoint::max() : waiting_.begin()->first;
  const auto start = throttle_.next_start();
  // What was not due then may be by now.
  if (stopped_at_ || start <= looked_at_) return due;
  return waiting_.size() < kMostWaiting ? start : std::max(start, due);
}

namespace {

using kube::base::IsDigit;

constexpr std::ptrdiff_t kEnough = 40;

}  // namespace

bool FailureStreak::Ring::IsMostly(std::size_t shape) const {
  return std::count(shapes_.begin(), shapes_.end(), shape) >= kEnough;
}

void FailureStreak::OnPutOff(const Exchange& object) {
  first_answers_.Add(Shape(object.first_failure()->code, object.first_failure()->message));
}

void FailureStreak::OnSuccess(const Exchange& object) { AddEnd(object, 0); }

std::optional<std::string> FailureStreak::OnFailure(const Exchange& object,
                                                    report::ObjectClass object_class, int code,
                                                    std::string_view message) {
  const auto& first = object.first_failure();
  const std::size_t shape = first ? Shape(first->code, first->message) : Shape(code, message);
  AddEnd(object, shape);
  if (!first_answers_.IsMostly(shape) || !ends_.IsMostly(shape)) return std::nullopt;
  return std::to_string(kEnough) + " of the last " + std::to_string(kLast) +
         " objects failed in the same way (" + std::string(report::ClassName(object_class)) +
         "): " + std::string(message);
}

void FailureStreak::AddEnd(const Exchange& object, std::size_t shape) {
  ends_.Add(shape);
  if (!object.first_failure()) first_answers_.Add(shape);
}

// Of the message without what is in quotes, and without digits.
std::size_t FailureStreak::Shape(int code, std::string_view message) {
  std::string shape = std::to_string(code) + " ";
  bool is_quoted = false;
  for (const char c : message) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && !IsDigit(c)) shape += c;
  }
  return std::hash<std::string>()(shape) | 1;
}

}  // namespace migrate::rewrite
