#include "kube/serve/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kube/serve/message.h"

namespace kube::serve {
namespace {

using State = RequestReader::State;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Assigning another request would keep the memory of this one's body.
void LetGo(Request& request) { static_cast<void>(std::exchange(request, {})); }

}  // namespace

void ConnectionRegistry::LetQueuesIn() {
  for (Queue* queue : {&work_queue, &body_queue}) {
    while (!queue->empty() && queue->begin()->second->TryTurn()) {
    }
  }
}

void ConnectionRegistry::MakeRoomForAnswer(std::size_t bytes) {
  while (bytes > 0 && answers.taken() + bytes > answers.size()) {
    const auto writer =
        std::ranges::find_if(busy, [](const auto& one) { return one->is_writing(); });
    if (writer == busy.end()) return;
    std::shared_ptr<Session>(*writer)->Evict();
  }
}

Sessions& Session::ListOf(Phase phase) {
  if (phase == Phase::kOpening || phase == Phase::kLeaving) return hall_.fresh;
  if (phase == Phase::kWaiting) return has_answered_ ? hall_.waiting : hall_.fresh;
  return hall_.busy;
}

Steady::time_point Session::DeadlineOf(Phase phase) const {
  const Steady::time_point now = since_;
  switch (phase) {
    case Phase::kOpening:
      return std::min(now + hall_.options.patience, hall_.end_of_waiting);
    case Phase::kReading:
    case Phase::kWriting:
      return now + hall_.options.patience;
    case Phase::kWaiting:
      return std::min(now + hall_.options.idle, hall_.end_of_waiting);
    case Phase::kQueueing:
      return now + hall_.options.turn;
    case Phase::kLeaving:
      return now + hall_.options.drain_timeout;
    default:
      return Steady::time_point::max();
  }
}

void Session::Enter(Phase phase) {
  if (phase == Phase::kOpening) {
    place_ = hall_.fresh.insert(hall_.fresh.end(), shared_from_this());
  } else {
    // Of those that could make room for others, who leaves anyway comes first.
    Sessions& to = ListOf(phase);
    to.splice(phase == Phase::kLeaving ? to.begin() : to.end(), ListOf(phase_), place_);
  }
  phase_ = phase;
  since_ = Steady::now();
  deadline_ = DeadlineOf(phase);
  if (&ListOf(phase) != &hall_.busy) hall_.OnRoom();
}

Wire::Done Session::Then(Step step) {
  return [self = shared_from_this(), step](bool has_failed, std::size_t count) {
    if (self->phase_ != Phase::kEnded) (self.get()->*step)(has_failed, count);
  };
}

void Session::Start() {
  Enter(Phase::kOpening);
  wire_->Open(Then(&Session::OnOpen));
}

void Session::OnOpen(bool has_failed, std::size_t) {
  if (has_failed) {
    ++hall_.handshake_failures[static_cast<std::size_t>(wire_->failure())];
    return End();
  }
  peer_ = wire_->peer();
  Enter(Phase::kWaiting);
  Read();
}

void Session::Read() { wire_->Read(piece_, Then(&Session::OnRead)); }

void Session::OnRead(bool has_failed, std::size_t count) {
  if (has_failed) return End();
  reader_.Take({piece_.data(), count});
  Proceed();
}

void Session::Proceed() {
  const State state = reader_.state();
  if (state == State::kIdle) {
    if (phase_ != Phase::kWaiting) Enter(Phase::kWaiting);
    return Read();
  }
  if (phase_ != Phase::kReading) Enter(Phase::kReading);
  method_ = reader_.method();
  if (state == State::kRefused) return Refuse(reader_.refusal());
  const std::size_t memory = reader_.expected_body_memory();
  if (state == State::kBody && !hall_.bodies.TryChange(held_body_, memory)) {
    return AwaitBody(memory);
  }
  // One that is complete is here, whatever others have: it came in a piece or two.
  if (state != State::kBody) hall_.bodies.Change(held_body_, memory);
  held_body_ = memory;
  if (state == State::kComplete) return Weigh();
  ReadOn();
}

// Who holds something already must not wait: others may wait for that.
void Session::AwaitBody(std::size_t memory) {
  if (!hall_.bodies.CouldHave(memory)) {
    return Refuse(PlainAnswer(kContentTooLarge, "the body takes more memory than there is"));
  }
  if (held_body_ > 0) return TurnAway("too many large requests at once");
  AwaitTurn(hall_.body_queue, memory);
}

void Session::ReadOn() {
  if (!reader_.TakeExpectation()) return Read();
  wire_->Write(kContinue, Then(&Session::OnContinued));
}

void Session::OnContinued(bool has_failed, std::size_t) { has_failed ? End() : Read(); }

void Session::Weigh() {
  if (hall_.requests >= hall_.options.most_requests) {
    return TurnAway("too many requests at once");
  }
  is_refused_ = false;
  is_last_ = !reader_.keeps_alive();
  request_ = reader_.TakeRequest();
  request_.peer = peer_;
  request_.remote_address = remote_address_;
  request_.share = std::make_shared<WorkShare>(hall_.work);
  const std::size_t weight = hall_.options.weigh ? hall_.options.weigh(request_) : 0;
  if (!request_.share->CouldTake(weight)) {
    return Refuse(PlainAnswer(kContentTooLarge, "the answer takes more memory than there is"));
  }
  request_.share->TakeMore(weight) ? Ask() : AwaitTurn(hall_.work_queue, weight);
}

void Session::Ask() {
  Enter(Phase::kAnswering);
  hall_.Ask(shared_from_this(), std::exchange(request_, {}));
}

void Session::AwaitTurn(Queue& queue, std::size_t memory) {
  turn_ = queue.emplace(memory, shared_from_this());
  queue_ = &queue;
  Enter(Phase::kQueueing);
}

void Session::LeaveQueue() {
  if (queue_ != nullptr) std::exchange(queue_, nullptr)->erase(turn_);
}

bool Session::TryTurn() {
  const bool is_read = awaits_work();
  const std::size_t memory = turn_->first;
  const bool has_it =
      is_read ? request_.share->TakeMore(memory) : hall_.bodies.TryChange(0, memory);
  if (!has_it) return false;
  const auto self = shared_from_this();  // the queue may be the last that knows it
  LeaveQueue();
  if (is_read) {
    Ask();
  } else {
    held_body_ = memory;
    Enter(Phase::kReading);  // its time begins now
    Proceed();
  }
  return true;
}

void Session::Refuse(Response response) {
  if (response.status == kContentTooLarge) Note(TurnedAway::kTooLarge);
  is_refused_ = true;
  is_last_ = true;
  LeaveQueue();
  reader_ = RequestReader(hall_.options.request);  // what came of a body is let go
  LetGo(request_);
  HoldBody(0);
  Write(std::move(response));
}

void Session::TurnAway(std::string_view text) {
  Note(TurnedAway::kBusy);
  Response response = PlainAnswer(kTooManyRequests, std::string(text).append(": try again"));
  response.retry_after = kRetryAfter;
  Refuse(std::move(response));
}

void Session::Respond(Response response) {
  HoldBody(0);
  if (phase_ != Phase::kAnswering) return;
  if (response.status == kTooManyRequests) Note(TurnedAway::kBusy);
  if (response.status == kContentTooLarge) Note(TurnedAway::kTooLarge);
  Write(std::move(response));
}

void Session::Write(Response response) {
  is_last_ = is_last_ || hall_.is_stopping;
  HoldAnswer(ResponseText(response, method_, is_last_ ? AfterAnswer::kClose : AfterAnswer::kKeep));
  Enter(Phase::kWriting);
  wire_->Write(answer_, Then(&Session::OnWritten));
}

void Session::OnWritten(bool has_failed, std::size_t) {
  if (has_failed) return End();
  ++(is_refused_ ? hall_.refused : hall_.answered);
  has_answered_ = true;
  HoldAnswer({});
  if (!is_last_) return Proceed();
  Enter(Phase::kLeaving);
  wire_->Leave(Then(&Session::OnLeft));
}

// Were the socket closed while bytes are still coming, the other end might lose the answer.
void Session::OnLeft(bool, std::size_t) { Drain(); }

void Session::Drain() { wire_->Drain(piece_, Then(&Session::OnDrained)); }

void Session::OnDrained(bool has_failed, std::size_t) { has_failed ? End() : Drain(); }

void Session::HoldBody(std::size_t memory) {
  const bool frees = memory < held_body_;
  hall_.bodies.Change(std::exchange(held_body_, memory), memory);
  if (frees) hall_.LetQueuesIn();
}

void Session::HoldAnswer(std::string text) {
  hall_.MakeRoomForAnswer(text.size());
  hall_.answers.Change(answer_.size(), text.size());
  answer_.swap(text);  // so that what was there is given back, not kept for what comes
}

void Session::NoteSlow() {
  if (is_sending() || (is_writing() && !is_refused_)) Note(TurnedAway::kTooSlow);
}

void Session::CheckDeadline(Steady::time_point now) {
  const bool is_waited_for = is_sending() && IsSlow(now) && !hall_.body_queue.empty();
  if (phase_ == Phase::kEnded || (now < deadline_ && !is_waited_for)) return;
  if (phase_ == Phase::kQueueing) return TurnAway("too many large requests at once");
  NoteSlow();
  if (phase_ != Phase::kWaiting && phase_ != Phase::kLeaving) ++hall_.cut_off;
  End();
}

void Session::Evict() {
  NoteSlow();
  ++hall_.evicted;
  End();
}

void Session::End() {
  if (phase_ == Phase::kEnded) return;
  const auto self = shared_from_this();  // the list may be the last that knows it
  ListOf(phase_).erase(place_);
  phase_ = Phase::kEnded;
  wire_->Close();
  --hall_.connections;
  LeaveQueue();
  LetGo(request_);
  // A write that was begun may look at the answer once more before it learns of the end.
  hall_.answers.Change(answer_.size(), 0);
  HoldBody(0);
  hall_.OnRoom();
}

}  // namespace kube::serve
