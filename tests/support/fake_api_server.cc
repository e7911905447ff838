#include "tests/support/fake_api_server.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace test_support {
namespace {

using kube::client::TransportError;

}  // namespace

std::vector<std::string> FakeApiServer::RequestLines() const {
  std::vector<std::string> lines;
  for (const kube::client::HttpRequest& request : requests_) {
    lines.push_back(request.method + " " + request.target);
  }
  return lines;
}

FakeApiServer::RequestId FakeApiServer::Start(kube::client::HttpRequest request,
                                              kube::base::Clock::Duration timeout,
                                              kube::client::ResponseSink& sink) {
  requests_.push_back(request);
  UnderWay entry;
  entry.fault = Meet(request);
  entry.request = std::move(request);
  entry.sink = &sink;
  entry.times_out = timeout > kube::base::Clock::Duration::zero() && timeout < entry.fault.latency;
  entry.next = clock_.Now() + (entry.times_out ? timeout : entry.fault.latency);
  under_way_.emplace(next_id_, std::move(entry));
  return next_id_++;
}

void FakeApiServer::WakeWatches() {
  for (auto& [id, request] : under_way_) {
    const auto& watch = request.answer.watch;
    if (!request.answered || !watch || request.next != kube::base::Clock::TimePoint::max())
      continue;
    request.answer.body += watch->next();
    const bool has_news = request.sent < request.answer.body.size() || watch->is_over();
    if (has_news) request.next = clock_.Now();
  }
}

void FakeApiServer::Poll(kube::base::Clock::TimePoint deadline) {
  WakeWatches();
  const auto next =
      std::min_element(under_way_.begin(), under_way_.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second.next, a.second.turn) < std::tie(b.second.next, b.second.turn);
      });
  if (next == under_way_.end() || next->second.next > deadline) return clock_.AdvanceTo(deadline);
  clock_.AdvanceTo(next->second.next);
  Step(next->first);
}

void FakeApiServer::Step(RequestId id) {
  UnderWay& request = under_way_.at(id);
  request.next = clock_.Now();
  request.turn = ++turns_;
  if (request.times_out) {
    return End(id, TransportError{TransportError::Kind::kTimeout, "context deadline exceeded"});
  }
  request.answered ? GoOn(id, request) : Begin(id, request);
}

void FakeApiServer::Begin(RequestId id, UnderWay& request) {
  request.answer = Answer(request.request, request.fault);
  if (request.answer.lost) {
    return End(id, TransportError{TransportError::Kind::kConnectionLost, "EOF"});
  }
  request.answered = true;
  request.sink->OnHead({request.answer.status, request.answer.headers});
}

void FakeApiServer::GoOn(RequestId id, UnderWay& request) {
  const FakeAnswer& answer = request.answer;
  const std::size_t whole = answer.body.size();
  const std::size_t end = std::min(whole, answer.lost_after.value_or(whole));
  if (request.sent < end) {
    const std::size_t size = std::min(piece_size_, end - request.sent);
    const std::string piece = answer.body.substr(request.sent, size);
    request.sent += size;
    return request.sink->OnBytes(piece);
  }
  const bool is_lost = answer.lost_after.has_value() && whole >= *answer.lost_after;
  if (answer.watch && !is_lost && !answer.watch->is_over()) {
    request.next = kube::base::Clock::TimePoint::max();  // until WakeWatches
    return;
  }
  if (!answer.lost_after) return End(id, std::nullopt);
  End(id, TransportError{TransportError::Kind::kConnectionLost, "unexpected EOF"});
}

void FakeApiServer::End(RequestId id, std::optional<TransportError> error) {
  const auto node = under_way_.extract(id);
  node.mapped().sink->OnEnd(error);
}

}  // namespace test_support
