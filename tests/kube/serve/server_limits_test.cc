#include <atomic>
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
  client::CurlTransport client(To(server));
  CHECK(Call(client, "/", std::string(3 * kMebibyte, 'x')).body == "3145728");
}

TEST_CASE("A body that is too large is refused, and the refusal arrives", "[kube][serve]") {
  Server server(OnLoopback(), SizeOf);
  client::CurlTransport client(To(server));
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

TEST_CASE("More requests than are taken at once get 429", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_requests = 1;
  Gate gate;
  Server server(options, EchoBehind(gate));
  RawClient one(server.port()), two(server.port());
  one.Send(RequestText("/one"));
  gate.AwaitArrivals(1);
  two.Send(RequestText("/two"));
  const std::string answer = two.ReadToEnd();
  CHECK_THAT(answer, Catch::StartsWith("HTTP/1.1 429 "));
  CHECK_THAT(answer, Catch::Contains("\r\nRetry-After: 1\r\n"));
  gate.Open();
  CHECK(BodyOf(one.ReadAnswer()) == "GET /one ");
  CHECK(server.counts().turned_away_as(TurnedAway::kBusy) == 1);
}

TEST_CASE("Bodies that together take too much memory wait for one another", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.memory.bodies = 2 * kMebibyte;
  options.turn = std::chrono::minutes(1);
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
  ServerOptions options = OnLoopback();
  options.turn = options.hurry = options.patience = std::chrono::minutes(1);
  Server server(options, SizeOf);
  client::CurlTransport client(To(server));
  std::vector<test_support::RecordingSink> sinks(50);
  for (auto& sink : sinks) {
    client::HttpRequest request;
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

/// A server with little memory, where each byte of a body weighs a thousand.
ServerOptions WithLittleMemory() {
  ServerOptions options = OnLoopback();
  options.memory = {.bodies = kMebibyte, .work = kMebibyte, .answers = kMebibyte};
  options.weigh = [](const Request& request) { return 1000 * request.body.size(); };
  return options;
}

std::string BodyOfBytes(std::size_t size) { return std::string(size, 'x'); }

TEST_CASE("A chunked body that grows into the memory of others gets 429", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.memory.bodies = 2 * kMebibyte;
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    gate.Pass();
    return SizeOf(request);
  });
  RawClient one(server.port()), two(server.port());
  one.Send(RequestText("/", std::string(kMebibyte, 'x')));
  gate.AwaitArrivals(1);
  const std::string chunk = "20000\r\n" + std::string(0x20000, 'x') + "\r\n";
  two.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk +
           chunk);
  CHECK_THAT(two.ReadToEnd(), Catch::StartsWith("HTTP/1.1 429 "));
  gate.Open();
  CHECK(BodyOf(one.ReadAnswer()) == "1048576");
}

TEST_CASE("A request that weighs what others have waits until they are done", "[kube][serve]") {
  ServerOptions options = WithLittleMemory();
  options.turn = std::chrono::minutes(1);
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    gate.Pass();
    return SizeOf(request);
  });
  RawClient one(server.port()), two(server.port()), small(server.port());
  one.Send(RequestText("/", BodyOfBytes(900)));
  gate.AwaitArrivals(1);
  two.Send(RequestText("/", BodyOfBytes(800)));
  small.Send(RequestText("/", "{}"));
  gate.AwaitArrivals(2);  // the small one is not kept by those
  CHECK(server.counts().requests == 2);
  gate.Open();
  CHECK(BodyOf(small.ReadAnswer()) == "2");
  CHECK(BodyOf(one.ReadAnswer()) == "900");
  CHECK(BodyOf(two.ReadAnswer()) == "800");
}

TEST_CASE("Who has waited for memory long enough gets 429, and may come again", "[kube][serve]") {
  ServerOptions options = WithLittleMemory();
  options.turn = kShort;
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    gate.Pass();
    return SizeOf(request);
  });
  RawClient one(server.port()), weighs(server.port()), is_long(server.port());
  one.Send(RequestText("/", BodyOfBytes(900)));
  gate.AwaitArrivals(1);
  weighs.Send(RequestText("/", BodyOfBytes(800)));
  CHECK_THAT(weighs.ReadToEnd(), Catch::StartsWith("HTTP/1.1 429 "));
  CHECK(server.counts().turned_away_as(TurnedAway::kBusy) == 1);
  gate.Open();
  CHECK(BodyOf(one.ReadAnswer()) == "900");
  RawClient again(server.port());
  again.Send(RequestText("/", BodyOfBytes(800)));
  CHECK(BodyOf(again.ReadAnswer()) == "800");
}

TEST_CASE("What weighs more than there is gets 413 at once", "[kube][serve]") {
  Server server(WithLittleMemory(), SizeOf);
  RawClient client(server.port());
  client.Send(RequestText("/", BodyOfBytes(1100)));
  CHECK_THAT(client.ReadToEnd(), Catch::StartsWith("HTTP/1.1 413 "));
  CHECK(server.counts().turned_away_as(TurnedAway::kTooLarge) == 1);
}

TEST_CASE("What takes more as it is answered than others have left gets 429", "[kube][serve]") {
  Server server(WithLittleMemory(), [](const Request& request) {
    if (request.share->TakeMore(2 * kMebibyte)) return Response{200, "text/plain", "too much"};
    CHECK(request.share->TakeMore(kMebibyte / 2));
    return Response{429, "text/plain", "no"};
  });
  client::CurlTransport client(To(server));
  CHECK(Call(client, "/", "{}").status == 429);
  CHECK(Call(client, "/", "{}").status == 429);  // what it had is there again
  CHECK(server.counts().turned_away_as(TurnedAway::kBusy) == 2);
}

TEST_CASE("What has no body is answered while all memory and all threads are taken",
          "[kube][serve]") {
  ServerOptions options = WithLittleMemory();
  options.threads = 1;
  Gate gate;
  Server server(options, [&gate](const Request& request) {
    if (!request.body.empty()) gate.Pass();
    return Echo(request);
  });
  RawClient busy(server.port()), waits(server.port()), probe(server.port());
  busy.Send(RequestText("/busy", BodyOfBytes(900)));
  gate.AwaitArrivals(1);
  waits.Send(RequestText("/waits", BodyOfBytes(900)));
  probe.Send(RequestText("/healthz"));
  CHECK(BodyOf(probe.ReadAnswer()) == "GET /healthz ");
  gate.Open();
}

TEST_CASE("Who sends slowly loses memory that another one waits for", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.memory.bodies = kMebibyte;
  options.turn = std::chrono::minutes(1);
  options.hurry = kShort;
  Server server(options, SizeOf);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n";
  RawClient slow(server.port());
  slow.Send(head + "x");
  CHECK_FALSE(slow.HearsWithin(4 * kShort));  // as long as nobody waits
  RawClient other(server.port());
  other.Send(head + std::string(900'000, 'x'));
  CHECK(BodyOf(other.ReadAnswer()) == "900000");
  CHECK(slow.ReadToEnd().empty());
  CHECK(server.counts().turned_away_as(TurnedAway::kTooSlow) == 1);
}

TEST_CASE("Who has not read an answer for longest makes room for other answers", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.memory.answers = 32 * kMebibyte;
  std::atomic<int> asked = 0;
  Server server(options, [&asked](const Request&) {
    ++asked;
    return Response{200, "text/plain", std::string(20 * kMebibyte, 'x')};
  });
  RawClient stalled(server.port());
  stalled.Send(RequestText("/"));
  Await([&] { return asked == 1 && server.counts().requests == 0; });
  RawClient reads(server.port());
  reads.Send(RequestText("/"));
  CHECK(BodyOf(reads.ReadAnswer()).size() == 20 * kMebibyte);
  CHECK(server.counts().evicted == 1);
}

TEST_CASE("Connections that begin a request and stop leave room for others", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_connections = 4;
  options.hurry = kShort;
  Server server(options, Echo);
  std::vector<std::unique_ptr<RawClient>> stalled;
  for (int i = 0; i < 4; ++i) {
    stalled.push_back(std::make_unique<RawClient>(server.port()));
    stalled.back()->Send(RequestText("/a") + "GET / HT");
    CHECK(BodyOf(stalled.back()->ReadAnswer()) == "GET /a ");
  }
  RawClient other(server.port());
  other.Send(RequestText("/other"));
  CHECK(BodyOf(other.ReadAnswer()) == "GET /other ");
  RawClient another(server.port());
  another.Send(RequestText("/another"));
  CHECK(BodyOf(another.ReadAnswer()) == "GET /another ");
  CHECK(server.counts().connections == 4);
  CHECK(server.counts().evicted == 2);
}

TEST_CASE("Connections that are not slow yet keep their places", "[kube][serve]") {
  ServerOptions options = OnLoopback();
  options.most_connections = 1;
  options.hurry = std::chrono::minutes(1);
  Server server(options, Echo);
  RawClient begun(server.port());
  begun.Send(RequestText("/a") + "GET / HT");
  CHECK(BodyOf(begun.ReadAnswer()) == "GET /a ");
  RawClient other(server.port());
  other.Send(RequestText("/other"));
  CHECK_FALSE(other.HearsWithin(kShort));
  begun.Send("TP/1.1\r\nHost: a\r\n\r\n");
  CHECK(BodyOf(begun.ReadAnswer()) == "GET / ");
  // The first one waits for another request now.
  CHECK(BodyOf(other.ReadAnswer()) == "GET /other ");
}

}  // namespace
}  // namespace kube::serve
