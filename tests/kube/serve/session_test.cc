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
class SmallHall : public Hall {
 public:
  using Hall::Hall;

  void Ask(std::shared_ptr<Session> session, Request request) override {
    asked.emplace_back(std::move(session), std::move(request));
  }
  void OnRoom() override {}

  std::vector<std::pair<std::shared_ptr<Session>, Request>> asked;
};

struct World {
  World() {
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

}  // namespace session_test
}  // namespace kube::serve
