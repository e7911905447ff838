#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "kube/client/transport.h"
#include "tests/support/fake_api.h"
#include "tests/support/fake_clock.h"

namespace test_support {

/// FakeApi behind a transport without a network. Time passes only in Poll, which moves `clock` on
/// to the next event, or to its deadline. Answers under way come piece by piece in turn.
class FakeApiServer : public FakeApi, public kube::client::Transport {
 public:
  explicit FakeApiServer(FakeClock& clock) : clock_(clock) {}

  /// How much of a body comes at a time.
  void SetPieceSize(std::size_t bytes) { piece_size_ = bytes; }
  /// Every request that was started, in that order.
  const std::vector<kube::client::HttpRequest>& requests() const { return requests_; }
  /// The same, each as "GET /version".
  std::vector<std::string> RequestLines() const;

  RequestId Start(kube::client::HttpRequest request, kube::base::Clock::Duration timeout,
                  kube::client::ResponseSink& sink) override;
  void Cancel(RequestId id) override { under_way_.erase(id); }
  /// Throws std::logic_error for a request that FakeApi does not know, and where it would wait for
  /// ever.
  void Poll(kube::base::Clock::TimePoint deadline) override;
  void Wake() override { ++wakes_; }
  /// How often somebody would have woken another thread.
  int wakes() const { return wakes_; }

 private:
  struct UnderWay {
    kube::client::HttpRequest request;
    FakeFault fault;
    kube::client::ResponseSink* sink;
    kube::base::Clock::TimePoint next;  // when it goes on
    bool times_out = false;
    std::uint64_t turn = 0;  // when it came on last
    bool answered = false;   // the head was handed out
    FakeAnswer answer;
    std::size_t sent = 0;  // of the body
  };

  void WakeWatches();
  void Step(RequestId id);
  void Begin(RequestId id, UnderWay& request);
  void GoOn(RequestId id, UnderWay& request);
  void End(RequestId id, std::optional<kube::client::TransportError> error);

  FakeClock& clock_;
  std::size_t piece_size_ = 100;
  std::vector<kube::client::HttpRequest> requests_;
  std::map<RequestId, UnderWay> under_way_;
  RequestId next_id_ = 1;
  std::uint64_t turns_ = 0;
  int wakes_ = 0;
};

}  // namespace test_support
