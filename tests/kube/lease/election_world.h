#pragma once

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/leader_election.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"

/// What the tests of leader election share.
namespace kube::client::lease_test {

using namespace std::chrono_literals;
using test_support::FakeAnswer;
using test_support::FakeFault;
using test_support::FakeStatus;
using Texts = std::vector<std::string>;

inline const std::string kList = "/apis/coordination.k8s.io/v1/namespaces/shop/leases";
inline const std::string kLease = kList + "/boss";
/// The time of day at which a test begins.
inline constexpr std::chrono::sys_days kMidnight{std::chrono::year(2026) / 1 / 1};

/// To the fake server Leases are custom resources without a schema.
inline constexpr char kLeaseCrd[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
    R"("name":"leases.coordination.k8s.io"},"spec":{"group":"coordination.k8s.io",)"
    R"("scope":"Namespaced","names":{"plural":"leases","kind":"Lease"},"versions":[{"name":"v1",)"
    R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
    R"("x-kubernetes-preserve-unknown-fields":true}}}]}})";

/// The way from one program to the server, with troubles of its own.
class Line : public client::Transport {
 public:
  explicit Line(test_support::FakeApiServer& server) : server_(server) {}

  RequestId Start(client::HttpRequest request, base::Clock::Duration timeout,
                  client::ResponseSink& sink) override {
    requests.push_back(request.method + " " + request.target);
    fresh.push_back(request.fresh_connection);
    const RequestId id = ++last_id_;
    const auto& way = ways_.emplace(id, std::make_unique<Way>(*this, id, sink)).first->second;
    most_under_way = std::max(most_under_way, ways_.size());
    if (answer) {
      way->answer = answer;
    } else if (!is_cut) {
      way->server_id = server_.Start(std::move(request), timeout, *way);
    }
    return id;
  }
  void Cancel(RequestId id) override {
    if (const auto way = ways_.extract(id); !way.empty()) server_.Cancel(way.mapped()->server_id);
  }
  void Poll(base::Clock::TimePoint deadline) override {
    const auto found =
        std::ranges::find_if(ways_, [](const auto& way) { return way.second->answer.has_value(); });
    if (found == ways_.end()) return server_.Poll(deadline);
    const FakeAnswer given = *found->second->answer;
    found->second->OnHead({given.status, given.headers});
    found->second->OnBytes(given.body);
    found->second->OnEnd(std::nullopt);
  }

  bool is_cut = false;               // what is sent from now on is never answered
  std::optional<FakeAnswer> answer;  // in the place of the server's
  Texts requests;
  std::vector<bool> fresh;  // whether each asked for a fresh connection
  std::size_t most_under_way = 0;

 private:
  struct Way : client::ResponseSink {
    Way(Line& the_line, RequestId the_id, client::ResponseSink& the_sink)
        : line(the_line), id(the_id), sink(the_sink) {}
    void OnHead(const client::ResponseHead& head) override { sink.OnHead(head); }
    void OnBytes(std::string_view bytes) override { sink.OnBytes(bytes); }
    void OnEnd(const std::optional<client::TransportError>& error) override {
      const auto self = line.ways_.extract(id);
      sink.OnEnd(error);
    }

    Line& line;
    const RequestId id;
    client::ResponseSink& sink;
    RequestId server_id = 0;
    std::optional<FakeAnswer> answer = {};
  };

  test_support::FakeApiServer& server_;
  std::map<RequestId, std::unique_ptr<Way>> ways_;
  RequestId last_id_ = 0;
};

struct World;

/// A program that takes part, whose clock may show another time of day.
struct Candidate : private client::Credentials {
  Candidate(World& the_world, const std::string& identity, std::chrono::seconds skew = 0s);

  World& world;
  std::atomic<bool> stop = false;
  Texts told;
  Line line;
  client::Client client;
  LeaderElection election;

 private:
  std::vector<client::HttpHeader> Headers() override { return {}; }
  bool Refresh() override { return false; }
};

struct World {
  World() { server.Add(kLeaseCrd); }

  Candidate& Add(const std::string& identity, std::chrono::seconds skew = 0s) {
    return *candidates.emplace_back(std::make_unique<Candidate>(*this, identity, skew));
  }
  void Kill(const Candidate& candidate) {
    std::erase_if(candidates, [&](const auto& other) { return other.get() == &candidate; });
  }

  /// Lets all work, as programs do that look several times a second; no two may lead at any time.
  void Run(base::Clock::Duration time) {
    const auto end = clock.Now() + time;
    while (clock.Now() < end) {
      if (candidates.empty()) clock.AdvanceTo(end);
      for (const auto& candidate : candidates) {
        candidate->election.Advance();
        candidate->client.Poll(std::min(end, clock.Now() + 100ms));
        if (Leaders().size() > 1) FAIL_CHECK("two lead");
      }
    }
    for (const auto& candidate : candidates) candidate->election.Advance();
  }
  /// Until somebody leads, or `most` has passed.
  void RunToLeader(base::Clock::Duration most = 60s) {
    const auto end = clock.Now() + most;
    while (Leaders().empty() && clock.Now() < end) Run(100ms);
  }
  std::vector<Candidate*> Leaders() const {
    std::vector<Candidate*> leaders;
    for (const auto& candidate : candidates) {
      if (candidate->election.is_leader()) leaders.push_back(candidate.get());
    }
    return leaders;
  }

  /// Makes the Lease what somebody else has written.
  void Put(const std::string& spec, const std::string& metadata = "") {
    const json::Value* stored = server.Stored("leases.coordination.k8s.io", "shop/boss");
    const std::string uid(stored ? stored->Find("metadata")->FindText("uid") : "first");
    server.Add(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{)"
               R"("namespace":"shop","name":"boss","uid":")" +
               uid + "\"" + metadata + R"(},"spec":)" + spec + "}");
  }
  const json::Value& Stored() const {
    const json::Value* stored = server.Stored("leases.coordination.k8s.io", "shop/boss");
    REQUIRE(stored != nullptr);
    return *stored;
  }
  std::string Spec() const { return json::Print(*Stored().Find("spec")); }
  std::string Holder() const {
    return std::string(Stored().Find("spec")->FindText("holderIdentity"));
  }
  /// Seconds since the test began.
  double Seconds() const { return std::chrono::duration<double>(clock.passed()).count(); }

  test_support::FakeClock clock;
  test_support::FakeApiServer server{clock};
  std::vector<std::unique_ptr<Candidate>> candidates;
};

inline Candidate::Candidate(World& the_world, const std::string& identity,
                            std::chrono::seconds skew)
    : world(the_world),
      line(world.server),
      client(line, *this, world.clock,
             {.server = "https://fake.example.com",
              .user_agent = "test",
              .stop = &stop,
              .on_warning = nullptr,
              .on_request = nullptr}),
      election({.namespace_ = "shop",
                .name = "boss",
                .identity = identity,
                .now =
                    [this, skew] {
                      return kMidnight + skew +
                             std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                 world.clock.passed());
                    }},
               {client, world.clock, &stop},
               [this](const std::string& line_of_text) { told.push_back(line_of_text); }) {}

/// A spec as client-go writes it; `renew_time` as "00:00:10".
inline std::string SpecText(const std::string& holder, const std::string& renew_time,
                            const std::string& acquire_time = "00:00:00", int duration = 15,
                            int transitions = 0) {
  return R"({"acquireTime":"2026-01-01T)" + acquire_time + R"(.000000Z","holderIdentity":")" +
         holder + R"(","leaseDurationSeconds":)" + std::to_string(duration) +
         R"(,"leaseTransitions":)" + std::to_string(transitions) + R"(,"renewTime":"2026-01-01T)" +
         renew_time + ".000000Z\"}";
}

}  // namespace kube::client::lease_test
