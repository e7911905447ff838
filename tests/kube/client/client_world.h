#pragma once

#include <catch2/catch.hpp>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "tests/support/fake_clock.h"

/// A client, and a transport that answers it by a script.
namespace kube::client::client_test {

using std::chrono::seconds;
using test_support::FakeClock;
using Kind = client::TransportError::Kind;

/// An answer, or how it ended before it was complete.
struct Scripted {
  int status = 200;
  std::string body;
  std::vector<client::HttpHeader> headers;
  std::optional<client::TransportError> error;
  bool no_head = false;
};

inline Scripted Lost(const std::string& body = "", Kind kind = Kind::kConnectionLost) {
  return {200, body, {}, client::TransportError{kind, "EOF"}, body.empty()};
}

inline Scripted RetryAfter(int status, const std::string& wait = "2") {
  return {status, "", {{"Retry-After", wait}}, {}, false};
}

/// Gives the answers of a script in their order, one a Poll; every request takes a millisecond.
class ScriptedTransport : public client::Transport {
 public:
  explicit ScriptedTransport(FakeClock& clock) : clock_(clock) {}

  RequestId Start(client::HttpRequest request, base::Clock::Duration timeout,
                  client::ResponseSink& sink) override {
    requests.push_back(std::move(request));
    sent_at.push_back(clock_.passed());
    timeouts.push_back(timeout);
    waiting_.push_back({++last_id_, &sink});
    return last_id_;
  }
  void Cancel(RequestId id) override {
    cancelled.push_back(id);
    std::erase_if(waiting_, [&](const auto& entry) { return entry.first == id; });
  }
  void Poll(base::Clock::TimePoint deadline) override {
    if (waiting_.empty()) return clock_.AdvanceTo(deadline);
    clock_.Advance(std::chrono::milliseconds(1));
    client::ResponseSink& sink = *waiting_.front().second;
    waiting_.pop_front();
    REQUIRE_FALSE(script.empty());
    const Scripted answer = script.front();
    script.pop_front();
    if (!answer.no_head) {
      sink.OnHead({answer.status, answer.headers});
      for (const char c : answer.body) sink.OnBytes(std::string_view(&c, 1));
    }
    sink.OnEnd(answer.error);
  }

  std::deque<Scripted> script;
  std::vector<client::HttpRequest> requests;
  std::vector<base::Clock::Duration> sent_at, timeouts;
  std::vector<RequestId> cancelled;

 private:
  FakeClock& clock_;
  std::deque<std::pair<RequestId, client::ResponseSink*>> waiting_;
  RequestId last_id_ = 0;
};

class FakeCredentials : public Credentials {
 public:
  std::vector<client::HttpHeader> Headers() override {
    if (broken) throw base::Error("the plugin failed");
    return {{"Authorization", "Bearer " + std::to_string(number)}};
  }
  bool Refresh() override {
    ++refreshes;
    if (can_refresh) ++number;
    return can_refresh;
  }
  std::uint64_t version() const override { return number; }

  bool broken = false, can_refresh = false;
  std::uint64_t number = 1;
  int refreshes = 0;
};

class CallSink : public ResultSink {
 public:
  void OnBytes(std::string_view bytes) override { body += bytes; }
  void OnEnd(const std::optional<CallError>& call_error) override {
    ++ends;
    error = call_error;
    if (on_end) on_end();
  }

  std::string body;
  int ends = 0;
  std::optional<CallError> error;
  std::function<void()> on_end;
};

struct World {
  World() {
    options.server = "https://10.0.0.1:6443/prefix";
    options.user_agent = "test";
    options.on_warning = [this](const std::string& text, const WrittenObject& object) {
      warnings.push_back(object.name.empty() ? text
                                             : text + " of " + object.resource + " " + object.name);
    };
    options.on_request = [this](const std::string& line) { log.push_back(line); };
  }
  Client& client() {
    if (!made) made.emplace(transport, credentials, clock, options);
    return *made;
  }
  /// Makes one call and waits for its end.
  CallSink Call(const std::string& method = "GET", const std::string& body = "",
                bool retry = true) {
    ApiRequest request;
    request.method = method;
    request.retry = retry;
    request.target = "/version";
    request.body = body;
    if (!body.empty()) request.content_type = "application/merge-patch+json";
    CallSink sink;
    client().Start(std::move(request), sink);
    while (sink.ends == 0) client().Poll(base::Clock::TimePoint::max());
    CHECK(sink.ends == 1);
    return sink;
  }
  std::vector<long> SentAtSeconds() const {
    std::vector<long> result;
    for (const auto at : transport.sent_at) {
      result.push_back(std::chrono::duration_cast<seconds>(at).count());
    }
    return result;
  }

  FakeClock clock;
  ScriptedTransport transport{clock};
  FakeCredentials credentials;
  ClientOptions options;
  std::vector<std::string> warnings, log;
  std::optional<Client> made;
};

inline std::string HeaderOf(const client::HttpRequest& request, std::string_view name) {
  const client::ResponseHead headers{0, request.headers};
  const std::string* value = headers.Find(name);
  return value ? *value : "<none>";
}

}  // namespace kube::client::client_test
