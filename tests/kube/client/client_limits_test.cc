#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "tests/kube/client/client_world.h"

namespace kube::client {
namespace client_limits_test {

using client_test::FakeCredentials;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kMiB = 1024 * 1024;

/// Answers that never end: with each Poll time goes on by a pause, or to the deadline where that
/// comes first, and with each pause every answer goes on by a piece.
class EndlessTransport : public Transport {
 public:
  explicit EndlessTransport(test_support::FakeClock& clock) : clock_(clock) {}

  RequestId Start(HttpRequest, base::Clock::Duration, ResponseSink& sink) override {
    sinks_[++last_] = &sink;
    if (has_head) sink.OnHead({status, {}});
    next_ = clock_.Now() + pause;
    return last_;
  }
  void Cancel(RequestId id) override { sinks_.erase(id); }
  void Poll(base::Clock::TimePoint deadline) override {
    if (deadline < next_ || sinks_.empty()) return clock_.AdvanceTo(deadline);
    clock_.AdvanceTo(next_);
    next_ += pause;
    for (const auto& [id, sink] : std::map(sinks_)) {
      sent += piece.size();
      if (has_head) sink->OnBytes(piece);
    }
    if (!ends) return;
    const auto ended = sinks_.extract(*std::exchange(ends, std::nullopt));
    ended.mapped()->OnEnd(std::nullopt);
  }

  int status = 200;
  bool has_head = true;
  base::Clock::Duration pause = seconds(1);
  std::string piece = "x";
  std::uint64_t sent = 0;
  std::optional<RequestId> ends;  // behind its next piece; counted from 1

 private:
  test_support::FakeClock& clock_;
  std::map<RequestId, ResponseSink*> sinks_;
  RequestId last_ = 0;
  base::Clock::TimePoint next_{};
};

class CountingSink : public ResultSink {
 public:
  void OnBytes(std::string_view piece) override {
    bytes += piece.size();
    if (on_bytes) on_bytes();
  }
  void OnEnd(const std::optional<CallError>& call_error) override {
    error = call_error;
    is_done = true;
    if (on_end) on_end();
  }
  std::uint64_t bytes = 0;
  bool is_done = false;
  std::optional<CallError> error;
  std::function<void()> on_bytes, on_end;
};

struct World {
  /// False: it goes on after `most`.
  bool Run(ApiRequest request, base::Clock::Duration most = minutes(30)) {
    request.target = "/apis/demo";
    client.Start(std::move(request), sink);
    const auto end = clock.Now() + most;
    while (!sink.is_done && clock.Now() < end) client.Poll(end);
    return sink.is_done;
  }
  TransportError::Kind Kind() const {
    REQUIRE(sink.error);
    REQUIRE(sink.error->transport);
    return sink.error->transport->kind;
  }

  test_support::FakeClock clock;
  EndlessTransport transport{clock};
  FakeCredentials credentials;
  Client client{
      transport, credentials, clock, {.server = "https://10.0.0.1", .user_agent = "test"}};
  CountingSink sink;
};

TEST_CASE("An answer that is longer than it may be is given up", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(kMiB, 'x');
  ApiRequest request;
  request.most_bytes = 10 * kMiB;
  REQUIRE(world.Run(request));
  CHECK(world.Kind() == TransportError::Kind::kTooLong);
  CHECK(world.sink.error->message ==
        "the server's answer to GET /apis/demo is longer than 10485760 bytes");
  CHECK(world.sink.bytes == 10 * kMiB);
  CHECK(world.transport.sent == 11 * kMiB);
}

TEST_CASE("Whoever says nothing else has a limit too", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(16 * kMiB, 'x');
  REQUIRE(world.Run({}));
  CHECK(world.sink.bytes == kMostDocumentBytes);
}

TEST_CASE("Blanks ahead of an answer have an end, also of a watch's", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(kMiB / 4, GENERATE(' ', '\n'));
  ApiRequest request;
  request.is_watch = GENERATE(false, true);
  REQUIRE(world.Run(request));
  CHECK(world.sink.error->message == "the server's answer to GET /apis/demo is nothing but blanks");
  CHECK(world.sink.bytes == 0);
  CHECK(world.transport.sent <= 2 * kMiB);
}

TEST_CASE("Of an error, and of HTML, no more is read than is of use", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(kMiB / 4, '<');
  world.transport.status = GENERATE(200, 403, 500);
  REQUIRE(world.Run({}));
  REQUIRE(world.sink.error);
  if (world.transport.status == 200) {
    CHECK(world.Kind() == TransportError::Kind::kForeign);
  } else {
    REQUIRE(world.sink.error->status);
    CHECK(world.sink.error->status->code == world.transport.status);
  }
  CHECK(world.transport.sent <= 2 * kMiB);
}

TEST_CASE("An answer that drips is given up after a minute", "[kube][client][limits]") {
  World world;
  world.transport.status = GENERATE(200, 500);
  world.transport.piece = GENERATE("x", " ", std::string(99, 'x'));
  REQUIRE(world.Run({}));
  if (world.transport.status == 200) {
    CHECK(world.Kind() == TransportError::Kind::kTimeout);
    CHECK_THAT(world.sink.error->message, Catch::Contains("comes too slowly"));
  }
  CHECK(world.clock.passed() >= minutes(1));
  CHECK(world.clock.passed() <= minutes(1) + seconds(1));
}

TEST_CASE("A burst now and then is no progress", "[kube][client][limits]") {
  World world;
  world.transport.pause = seconds(50);
  world.transport.piece.assign(2999, 'x');
  CHECK(world.Run({}));
}

TEST_CASE("What comes, if slowly, is waited for", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(101, 'x');
  CHECK_FALSE(world.Run({}));
}

TEST_CASE("An answer may begin late, and a watch be silent", "[kube][client][limits]") {
  World world;
  ApiRequest request;
  world.transport.has_head = request.is_watch = GENERATE(false, true);
  CHECK_FALSE(world.Run(request));
}

TEST_CASE("Time that a sink takes is not the server's", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(3000, 'x');
  world.sink.on_bytes = [&world] { world.clock.Advance(minutes(10)); };
  CHECK_FALSE(world.Run({}, minutes(200)));
}

TEST_CASE("Time that the end of another answer takes is not the server's",
          "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(101, 'x');
  world.client.Start({}, world.sink);
  CountingSink other;
  other.on_end = [&world] { world.clock.Advance(minutes(10)); };
  for (Transport::RequestId i = 2; i < 40 && !world.sink.is_done; ++i) {
    other.is_done = false;
    world.client.Start({}, other);
    world.client.Poll(world.clock.Now());
    world.transport.ends = i;
    while (!other.is_done) world.client.Poll(world.clock.Now() + minutes(1));
    world.client.Poll(world.clock.Now() + seconds(1));
  }
  CHECK_FALSE(world.sink.is_done);
}

TEST_CASE("A drip beside much else that is done is given up all the same",
          "[kube][client][limits]") {
  World world;
  world.sink.on_bytes = [&world] { world.clock.Advance(seconds(5)); };
  REQUIRE(world.Run({}));
  CHECK(world.Kind() == TransportError::Kind::kTimeout);
}

TEST_CASE("Whoever gathers an answer says how long it may be", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(kMiB, 'x');
  ApiRequest request;
  request.target = "/version";
  request.most_bytes = 3 * kMiB;
  const DocumentResult result = world.client.Send(std::move(request));
  REQUIRE_FALSE(result);
  CHECK(result.error().message ==
        "the server's answer to GET /version is longer than 3145728 bytes");
  CHECK(world.transport.sent == 4 * kMiB);
}

TEST_CASE("Time in which nobody listens is not the server's", "[kube][client][limits]") {
  World world;
  world.transport.piece.assign(3000, 'x');
  world.client.Start({}, world.sink);
  for (int i = 0; i < 20 && !world.sink.is_done; ++i) {
    world.client.Poll(world.clock.Now() + seconds(10));
    world.clock.Advance(minutes(10));
  }
  CHECK_FALSE(world.sink.is_done);
}

}  // namespace client_limits_test
}  // namespace kube::client
