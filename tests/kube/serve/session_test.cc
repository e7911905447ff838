#include "kube/serve/session.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/serve/certificates.h"
#include "tests/support/test_server.h"

namespace kube::serve {
namespace session_test {

using test_support::BodyOf;
using test_support::RequestText;

/// The other end of a session, in memory.
struct Peer {
  Wire::Done reading;  // waits for bytes, until the session ends
  std::span<char> piece;
  std::string written;
  bool has_left = false, is_closed = false;

  void Send(std::string_view bytes) {
    while (!bytes.empty() && reading) {
      const std::size_t count = std::min(bytes.size(), piece.size());
      std::copy_n(bytes.data(), count, piece.data());
      bytes.remove_prefix(count);
      std::exchange(reading, nullptr)(false, count);
    }
  }
};

class PeerWire : public Wire {
 public:
  explicit PeerWire(Peer& peer) : peer_(peer) {}

  void Open(Done done) override { done(false, 0); }
  void Read(std::span<char> piece, Done done) override {
    peer_.piece = piece;
    peer_.reading = std::move(done);
  }
  void Write(std::string_view bytes, Done done) override {
    peer_.written += bytes;
    done(false, bytes.size());
  }
  void Leave(Done done) override {
    peer_.has_left = true;
    done(false, 0);
  }
  void Drain(std::span<char> piece, Done done) override { Read(piece, std::move(done)); }
  void Close() override { peer_.is_closed = true; }
  std::shared_ptr<const CertificateFacts> peer() override {
    const auto facts = std::make_shared<CertificateFacts>();
    facts->serial_number = "07";
    return facts;
  }

 private:
  Peer& peer_;
};

/// Answers when it is told to.
class SmallHall : public ConnectionRegistry {
 public:
  using ConnectionRegistry::ConnectionRegistry;

  void Ask(std::shared_ptr<Session> session, Request request) override {
    asked.emplace_back(std::move(session), std::move(request));
  }
  void OnRoom() override {}

  std::vector<std::pair<std::shared_ptr<Session>, Request>> asked;
};

/// Of a server where each request weighs that much.
ServerOptions WithWeight(std::size_t weight) {
  ServerOptions options;
  options.weigh = [weight](const Request&) { return weight; };
  return options;
}

struct World {
  explicit World(std::size_t weight = 0) : options(WithWeight(weight)) {
    ++hall.connections;
    session->Start();
  }
  void Answer(std::size_t number) {
    hall.asked.at(number).first->Respond({200, "text/plain", "answer"});
  }

  ServerOptions options;
  SmallHall hall{options};
  Peer peer;
  std::shared_ptr<Session> session =
      std::make_shared<Session>(hall, std::make_unique<PeerWire>(peer), "10.0.0.1:1234");
};

TEST_CASE("A session asks, answers, and waits for the next request", "[kube][serve]") {
  World world;
  CHECK(world.hall.fresh.size() == 1);
  world.peer.Send(RequestText("/a", "body"));
  REQUIRE(world.hall.asked.size() == 1);
  const Request& request = world.hall.asked[0].second;
  CHECK(request.target == "/a");
  CHECK(request.body == "body");
  CHECK(request.remote_address == "10.0.0.1:1234");
  CHECK(request.peer->serial_number == "07");
  CHECK(world.hall.busy.size() == 1);
  world.Answer(0);
  CHECK(BodyOf(world.peer.written) == "answer");
  CHECK(world.hall.waiting.size() == 1);
  CHECK(world.hall.answered == 1);
  CHECK(world.hall.bodies.taken() == 0);
}

TEST_CASE("Of two requests that come at once the second waits for the first", "[kube][serve]") {
  World world;
  world.peer.Send(RequestText("/a") + RequestText("/b"));
  REQUIRE(world.hall.asked.size() == 1);
  world.Answer(0);
  REQUIRE(world.hall.asked.size() == 2);
  CHECK(world.hall.asked[1].second.target == "/b");
}

TEST_CASE("A session that takes too long is cut off, one that waits is not yet", "[kube][serve]") {
  World world;
  const auto later = Steady::now() + world.options.patience + std::chrono::seconds(1);
  world.peer.Send(RequestText("/a"));
  world.Answer(0);
  world.session->CheckDeadline(later);
  CHECK_FALSE(world.peer.is_closed);
  world.peer.Send("GET /b HTTP/1.1\r\n");
  world.session->CheckDeadline(later);
  CHECK(world.peer.is_closed);
  CHECK(world.hall.cut_off == 1);
  CHECK(world.hall.connections == 0);
}

TEST_CASE("An answer that comes behind the end is for nobody", "[kube][serve]") {
  World world;
  world.peer.Send(RequestText("/a"));
  world.session->End();
  world.Answer(0);
  CHECK(world.peer.written.empty());
  CHECK(world.hall.answered == 0);
}

TEST_CASE("What is no request is refused, and the session leaves", "[kube][serve]") {
  World world;
  world.peer.Send("nonsense\r\n\r\n");
  CHECK(world.hall.asked.empty());
  CHECK_THAT(world.peer.written, Catch::StartsWith("HTTP/1.1 400 "));
  CHECK(world.peer.has_left);
  CHECK(world.hall.refused == 1);
}

TEST_CASE("What ends in the middle of a body gives its memory back", "[kube][serve]") {
  World world;
  world.peer.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nabc");
  REQUIRE(world.hall.bodies.taken() == 900'000);
  std::exchange(world.peer.reading, nullptr)(true, 0);
  CHECK(world.hall.bodies.taken() == 0);
  CHECK(world.hall.connections == 0);
}

TEST_CASE("What ends while it waits for memory leaves the queue, and holds nothing",
          "[kube][serve]") {
  World world;
  const std::size_t all = world.hall.bodies.size();
  world.hall.bodies.Change(0, all);
  world.peer.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nabc");
  REQUIRE(world.hall.body_queue.size() == 1);
  world.session->End();
  CHECK(world.hall.body_queue.empty());
  CHECK(world.hall.bodies.taken() == all);
}

TEST_CASE("A request that waits for the memory of its answer holds it from its turn to its end",
          "[kube][serve]") {
  const std::size_t work = MemoryLimits().work;
  World world(work - work / 8);  // all that a large one may have
  world.hall.work.Change(0, 1);
  world.peer.Send(RequestText("/a", "body"));
  REQUIRE(world.hall.work_queue.size() == 1);
  CHECK(world.session->is_answering());  // it is here, and nobody has its answer
  world.hall.LetQueuesIn();
  CHECK(world.hall.asked.empty());
  world.hall.work.Change(1, 0);
  world.hall.LetQueuesIn();
  REQUIRE(world.hall.asked.size() == 1);
  CHECK(world.hall.work.taken() > 0);
  world.Answer(0);
  world.hall.asked.clear();
  CHECK(world.hall.work.taken() == 0);
}

TEST_CASE("Who is ended as it sends slowly, or does not read, is counted", "[kube][serve]") {
  World world;
  world.peer.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
  world.session->Evict();
  CHECK(world.hall.turned_away[static_cast<std::size_t>(TurnedAway::kTooSlow)] == 1);
  World idle;
  idle.session->Evict();
  CHECK(idle.hall.turned_away[static_cast<std::size_t>(TurnedAway::kTooSlow)] == 0);
}

}  // namespace session_test
}  // namespace kube::serve
