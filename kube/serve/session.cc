#include "kube/serve/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kube/serve/response_text.h"

namespace kube::serve {
namespace {

using State = RequestReader::State;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Sessions& Session::ListOf(Phase phase) {
  if (phase == Phase::kOpening || phase == Phase::kLeaving) return hall_.fresh;
  if (phase == Phase::kWaiting) return has_answered_ ? hall_.waiting : hall_.fresh;
  return hall_.busy;
}

Steady::time_point Session::DeadlineOf(Phase phase) const {
  const Steady::time_point now = Steady::now();
  switch (phase) {
    case Phase::kOpening:
      return std::min(now + hall_.options.patience, hall_.end_of_waiting);
    case Phase::kReading:
    case Phase::kWriting:
      return now + hall_.options.patience;
    case Phase::kWaiting:
      return std::min(now + hall_.options.idle, hall_.end_of_waiting);
    case Phase::kLeaving:
      return now + hall_.options.farewell;
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
  if (reader_.state() == State::kIdle) {
    if (phase_ != Phase::kWaiting) Enter(Phase::kWaiting);
    return Read();
  }
  if (phase_ != Phase::kReading) Enter(Phase::kReading);
  if (reader_.state() == State::kBody && !Fits()) return AwaitSpace();
  HoldBytes(reader_.expected_body_bytes());
  if (reader_.state() == State::kComplete) return Ask();
  if (reader_.state() == State::kRefused) return Refuse(reader_.refusal());
  ReadOn();
}

// One is let through whatever its size. Of those that are complete nothing more is to come.
bool Session::Fits() const {
  const std::size_t others = hall_.body_bytes - held_bytes_;
  return others == 0 || others + reader_.expected_body_bytes() <= hall_.options.most_body_bytes;
}

// Who holds something already must not wait: others may wait for that.
void Session::AwaitSpace() {
  if (held_bytes_ > 0) {
    return Refuse(PlainAnswer(503, "too many large requests at once: try again"));
  }
  hall_.queue.push_back(shared_from_this());
}

void Session::LetQueueIn() {
  while (!hall_.queue.empty()) {
    const auto next = hall_.queue.front();
    const bool has_ended = next->phase_ == Phase::kEnded;
    if (!has_ended && !next->Fits()) return;
    hall_.queue.pop_front();
    if (has_ended) continue;
    next->Enter(Phase::kReading);  // its time begins now
    next->Proceed();
  }
}

void Session::ReadOn() {
  if (!reader_.TakeExpectation()) return Read();
  wire_->Write(kContinue, Then(&Session::OnContinued));
}

void Session::OnContinued(bool has_failed, std::size_t) { has_failed ? End() : Read(); }

void Session::Ask() {
  if (hall_.requests >= hall_.options.most_requests) {
    return Refuse(PlainAnswer(503, "too many requests at once: try again"));
  }
  is_refused_ = false;
  is_last_ = !reader_.keeps_alive();
  Request request = reader_.TakeRequest();
  method_ = request.method;
  request.peer = peer_;
  request.remote_address = remote_address_;
  Enter(Phase::kAnswering);
  hall_.Ask(shared_from_this(), std::move(request));
}

void Session::Refuse(const Response& response) {
  is_refused_ = true;
  is_last_ = true;
  method_ = reader_.method();
  Write(response);
}

void Session::Respond(const Response& response) {
  if (phase_ == Phase::kAnswering) Write(response);
}

void Session::Write(const Response& response) {
  Enter(Phase::kWriting);
  is_last_ = is_last_ || hall_.is_stopping;
  answer_ = ResponseText(response, method_, is_last_ ? AfterAnswer::kClose : AfterAnswer::kKeep);
  wire_->Write(answer_, Then(&Session::OnWritten));
}

void Session::OnWritten(bool has_failed, std::size_t) {
  if (has_failed) return End();
  ++(is_refused_ ? hall_.refused : hall_.answered);
  has_answered_ = true;
  answer_ = {};
  HoldBytes(0);
  if (!is_last_) return Proceed();
  Enter(Phase::kLeaving);
  wire_->Leave(Then(&Session::OnLeft));
}

// Were the socket closed while bytes are still coming, the other end might lose the answer.
void Session::OnLeft(bool, std::size_t) { Drain(); }

void Session::Drain() { wire_->Drain(piece_, Then(&Session::OnDrained)); }

void Session::OnDrained(bool has_failed, std::size_t) { has_failed ? End() : Drain(); }

void Session::HoldBytes(std::size_t count) {
  const bool frees = count < held_bytes_;
  hall_.body_bytes += count - held_bytes_;
  held_bytes_ = count;
  if (frees) LetQueueIn();
}

void Session::CheckDeadline(Steady::time_point now) {
  if (phase_ == Phase::kEnded || now < deadline_) return;
  if (phase_ != Phase::kWaiting && phase_ != Phase::kLeaving) ++hall_.cut_off;
  End();
}

void Session::Evict() {
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
  HoldBytes(0);
  hall_.OnRoom();
}

}  // namespace kube::serve
