#include <catch2/catch.hpp>
#include <future>

#include "kube/serve/server.h"
#include "tests/support/gate.h"
#include "tests/support/http_call.h"
#include "tests/support/raw_client.h"
#include "tests/support/test_server.h"

namespace kube::serve {
namespace {

using test_support::Await;
using test_support::BodyOf;
using test_support::Call;
using test_support::Echo;
using test_support::EchoBehind;
using test_support::Gate;
using test_support::OnLoopback;
using test_support::RawClient;
using test_support::RequestText;
using test_support::To;

constexpr ServerOptions::Duration kShort{50};
constexpr std::size_t kMebibyte = 1024 * 1024;

/// Answers with the size of the body.
Response SizeOf(const Request& request) {
  return {200, "text/plain", std::to_string(request.body.size())};
}

TEST_CASE("A body of 3 MiB is taken", "[kube][serve]") {
  Server server(OnLoopback(), SizeOf);
  http::CurlTransport client(To(server));
  CHECK(Call(client, "/", std::string(3 * kMebibyte, 'x')).body == "3145728");
}

TEST_CASE("A body that is too large is refused, and the refusal arrives", "[kube][serve]") {
  Server server(OnLoopback(), SizeOf);
  http::CurlTransport client(To(server));
  for (int i = 0; i < 3; ++i)
    CHECK(Call(client, "/", std::string(9 * kMebibyte, 'x')).status == 413);
  CHECK(Call(client, "/", "{}").body == "2");
}

TEST_CASE("Who asks before sending too large a body does not send it", "[kube][serve]") {
  Server server(OnLoopback(), SizeOf);
  RawClient client(server.port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
  CHECK_THAT(client.ReadToEnd(), Catch::StartsWith("HTTP/1.1 413 "));
}

TEST_CASE("What is no HTTP is told so, and the connection ends", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  const auto [bytes, status] = GENERATE(table<std::string, std::string>({
      {"\x16\x03\x01\x02\x00\x01", "400"},
      {"GET / HTTP/1.1\r\nHost\r\n\r\n", "400"},
      {"GET /" + std::string(70'000, 'a'), "431"},
  }));
  RawClient client(server.port());
  client.Send(bytes);
  const std::string answer = client.ReadToEnd();
  CHECK_THAT(answer, Catch::StartsWith("HTTP/1.1 " + status + " "));
  CHECK_THAT(answer, Catch::Contains("\r\nConnection: close\r\n"));
  Await([&] { return server.counts().refused == 1; });
  CHECK(server.counts().answered == 0);
}

TEST_CASE("What is behind a good request and is none spoils only itself", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  client.Send(RequestText("/a") + "nonsense\n");
  CHECK(BodyOf(client.ReadAnswer()) == "GET /a ");
  CHECK_THAT(client.ReadToEnd(), Catch::StartsWith("HTTP/1.1 400 "));
}

TEST_CASE("A client that is slow with its request is cut off", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.patience = kShort;
  Server server(options, Echo);
  const std::string begun = GENERATE("G", "GET / HTTP/1.1\r\nHost: a\r\n",
                                     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
  RawClient client(server.port());
  client.Send(begun);
  CHECK(client.ReadToEnd().empty());
  CHECK(server.counts().cut_off == 1);
}

TEST_CASE("Patience counts for the whole of a request, not for each byte of it", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.patience = kShort;
  Server server(options, Echo);
  RawClient client(server.port());
  client.Send("GET /");
  // Far fewer bytes than a request may have.
  while (!client.HearsWithin(kShort / 10)) client.Send("a");
  CHECK(client.ReadToEnd().empty());
  CHECK(server.counts().cut_off == 1);
  CHECK(server.counts().answered == 0);
}

TEST_CASE("A client that does not read its answer is cut off", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.patience = kShort;
  Server server(options, [](const Request&) {
    return Response{200, "text/plain", std::string(64 * kMebibyte, 'x')};
  });
  RawClient client(server.port());
  client.Send(RequestText("/"));
  Await([&] { return server.counts().cut_off == 1; });
  CHECK(server.counts().answered == 0);
}

TEST_CASE("An answer may take longer than the patience with clients", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.patience = kShort;
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    if (request.target == "/long") gate.Pass();
    return Echo(request);
  });
  RawClient client(server.port());
  client.Send(RequestText("/long"));
  gate.AwaitArrivals(1);
  // Meanwhile somebody else's patience ends.
  RawClient slow(server.port());
  slow.Send("G");
  CHECK(slow.ReadToEnd().empty());
  gate.Open();
  CHECK(BodyOf(client.ReadAnswer()) == "GET /long ");
}

TEST_CASE("A connection without a request is closed after a while", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.idle = kShort;
  Server server(options, Echo);
  RawClient fresh(server.port()), used(server.port());
  used.Send(RequestText("/a"));
  CHECK(BodyOf(used.ReadToEnd()) == "GET /a ");
  CHECK(fresh.ReadToEnd().empty());
  CHECK(server.counts().cut_off == 0);
}

TEST_CASE("In a flood of connections those go that ask for nothing, and requests are answered",
          "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_connections = 20;
  Server server(options, Echo);
  RawClient steady(server.port());
  steady.Send(RequestText("/first"));
  CHECK(BodyOf(steady.ReadAnswer()) == "GET /first ");
  std::vector<std::unique_ptr<RawClient>> flood;
  for (int i = 0; i < 300; ++i) {
    flood.push_back(std::make_unique<RawClient>(server.port()));
    if (i % 10 != 0) continue;
    steady.Send(RequestText("/" + std::to_string(i)));
    CHECK(BodyOf(steady.ReadAnswer()) == "GET /" + std::to_string(i) + " ");
  }
  Await([&] { return server.counts().accepted == 301; });
  CHECK(server.counts().connections == 20);
  CHECK(server.counts().evicted == 281);
  CHECK(flood[0]->ReadToEnd().empty());
  flood.back()->Send(RequestText("/last"));
  CHECK(BodyOf(flood.back()->ReadAnswer()) == "GET /last ");
}

TEST_CASE("Connections that wait for another request leave places for new ones", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_connections = 20;
  Server server(options, Echo);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Send(RequestText("/" + std::to_string(i)));
    CHECK(BodyOf(clients.back()->ReadAnswer()) == "GET /" + std::to_string(i) + " ");
  }
  RawClient one(server.port()), two(server.port());
  one.Send(RequestText("/one"));
  two.Send(RequestText("/two"));
  CHECK(BodyOf(one.ReadAnswer()) == "GET /one ");
  CHECK(BodyOf(two.ReadAnswer()) == "GET /two ");
  CHECK(clients[0]->ReadToEnd().empty());
}

TEST_CASE("Where all connections are at work, one more waits for its turn", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_connections = 2;
  Gate gate;
  Server server(options, EchoBehind(gate));
  RawClient one(server.port()), two(server.port());
  one.Send(RequestText("/one"));
  two.Send(RequestText("/two"));
  gate.AwaitArrivals(2);
  RawClient three(server.port());
  three.Send(RequestText("/three"));
  gate.Open();
  CHECK(BodyOf(three.ReadAnswer()) == "GET /three ");
  CHECK(BodyOf(one.ReadAnswer()) == "GET /one ");
  CHECK(BodyOf(two.ReadAnswer()) == "GET /two ");
}

TEST_CASE("More requests than are taken at once get 503", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_requests = 1;
  Gate gate;
  Server server(options, EchoBehind(gate));
  RawClient one(server.port()), two(server.port());
  one.Send(RequestText("/one"));
  gate.AwaitArrivals(1);
  two.Send(RequestText("/two"));
  CHECK_THAT(two.ReadToEnd(), Catch::StartsWith("HTTP/1.1 503 "));
  gate.Open();
  CHECK(BodyOf(one.ReadAnswer()) == "GET /one ");
}

TEST_CASE("Bodies that together take too much memory wait for one another", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_body_bytes = 2 * kMebibyte;
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    gate.Pass();
    return SizeOf(request);
  });
  RawClient one(server.port()), two(server.port()), small(server.port());
  one.Send(RequestText("/", std::string(kMebibyte, 'x')));
  gate.AwaitArrivals(1);
  const auto sent = std::async(std::launch::async, [&two] {
    two.Send(RequestText("/", std::string(3 * kMebibyte / 2, 'x')));
  });
  small.Send(RequestText("/", "{}"));
  gate.AwaitArrivals(2);
  CHECK(server.counts().requests == 2);
  gate.Open();
  CHECK(BodyOf(small.ReadAnswer()) == "2");
  CHECK(BodyOf(one.ReadAnswer()) == "1048576");
  CHECK(BodyOf(two.ReadAnswer()) == "1572864");
}

TEST_CASE("Fifty bodies of 3 MiB at once are all answered", "[kube][serve]") {
  Server server(OnLoopback(), SizeOf);
  http::CurlTransport client(To(server));
  std::vector<test_support::RecordingSink> sinks(50);
  for (auto& sink : sinks) {
    http::HttpRequest request;
    request.method = "POST";
    request.target = "/";
    request.body.assign(3 * kMebibyte, 'x');
    client.Start(std::move(request), std::chrono::minutes(1), sink);
  }
  for (const auto& sink : sinks) {
    while (sink.ends == 0) client.Poll(std::chrono::steady_clock::now() + std::chrono::minutes(1));
    CHECK(sink.body == "3145728");
  }
}

TEST_CASE("A chunked body that grows into the memory of others gets 503", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_body_bytes = kMebibyte;
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    gate.Pass();
    return SizeOf(request);
  });
  RawClient one(server.port()), two(server.port());
  one.Send(RequestText("/", std::string(kMebibyte / 2, 'x')));
  gate.AwaitArrivals(1);
  const std::string chunk = "40000\r\n" + std::string(0x40000, 'x') + "\r\n";
  two.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk +
           chunk);
  CHECK_THAT(two.ReadToEnd(), Catch::StartsWith("HTTP/1.1 503 "));
  gate.Open();
  CHECK(BodyOf(one.ReadAnswer()) == "524288");
}

}  // namespace
}  // namespace kube::serve
