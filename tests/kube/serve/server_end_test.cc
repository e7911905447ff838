#include <catch2/catch.hpp>
#include <future>

#include "kube/serve/server.h"
#include "tests/support/gate.h"
#include "tests/support/raw_client.h"
#include "tests/support/test_server.h"

namespace kube::serve {
namespace {

using test_support::Await;
using test_support::BodyOf;
using test_support::Echo;
using test_support::EchoBehind;
using test_support::Gate;
using test_support::Listens;
using test_support::OnLoopback;
using test_support::RawClient;
using test_support::RequestText;

constexpr std::chrono::seconds kLong{50};

/// Begins the end in another thread, and returns once nobody is let in any more.
std::future<std::size_t> BeginToStop(Server& server, Server::Duration grace) {
  auto end = std::async(std::launch::async, [&server, grace] { return server.Stop(grace); });
  Await([&server] { return !Listens(server.port()); });
  return end;
}

TEST_CASE("What is under way at the end is answered, and told that it is the end",
          "[kube][serve]") {
  Gate gate;
  Server server(OnLoopback(), EchoBehind(gate));
  RawClient client(server.port());
  client.Send(RequestText("/a"));
  gate.AwaitArrivals(1);
  auto end = BeginToStop(server, kLong);
  gate.Open();
  const std::string answer = client.ReadToEnd();
  CHECK_THAT(answer, Catch::Contains("\r\nConnection: close\r\n"));
  CHECK(BodyOf(answer) == "GET /a ");
  CHECK(end.get() == 0);
  CHECK(server.counts().connections == 0);
}

TEST_CASE("A request that was begun before the end is read to its end and answered",
          "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  client.Send("POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  client.ReadAnswer();
  auto end = BeginToStop(server, kLong);
  client.Send("{}");
  CHECK(BodyOf(client.ReadToEnd()) == "POST /a {}");
  CHECK(end.get() == 0);
}

TEST_CASE("A request that is on its way at the end is answered", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.drain_timeout = kLong;
  Server server(options, Echo);
  std::future<std::size_t> end;
  {
    RawClient used(server.port()), fresh(server.port());
    used.Send(RequestText("/a"));
    CHECK(BodyOf(used.ReadAnswer()) == "GET /a ");
    end = BeginToStop(server, kLong);
    used.Send(RequestText("/b"));
    fresh.Send(RequestText("/c"));
    CHECK(BodyOf(used.ReadToEnd()) == "GET /b ");
    CHECK(BodyOf(fresh.ReadToEnd()) == "GET /c ");
  }  // the clients close: nothing is left to be waited for
  CHECK(end.get() == 0);
}

TEST_CASE("Connections without a request end soon", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient used(server.port()), fresh(server.port());
  used.Send(RequestText("/a"));
  used.ReadAnswer();
  const auto begin = std::chrono::steady_clock::now();
  CHECK(server.Stop(kLong) == 0);
  CHECK(std::chrono::steady_clock::now() - begin < kLong);
  CHECK(used.ReadToEnd().empty());
  CHECK(fresh.ReadToEnd().empty());
}

TEST_CASE("What is not answered within the grace is cut off and counted", "[kube][serve]") {
  Gate gate;
  Server server(OnLoopback(), EchoBehind(gate));
  RawClient client(server.port());
  client.Send(RequestText("/a"));
  gate.AwaitArrivals(1);
  auto end = BeginToStop(server, std::chrono::milliseconds(20));
  CHECK(client.ReadToEnd().empty());
  gate.Open();  // an Answerer is waited for
  CHECK(end.get() == 1);
}

TEST_CASE("A server ends once, at the latest where its life does", "[kube][serve]") {
  std::uint16_t port = 0;
  {
    Server server(OnLoopback(), Echo);
    port = server.port();
    if (GENERATE(false, true)) {
      CHECK(server.Stop(kLong) == 0);
      CHECK(server.Stop(kLong) == 0);
    }
  }
  CHECK_FALSE(Listens(port));
}

}  // namespace
}  // namespace kube::serve
