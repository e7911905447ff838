#include "kube/serve/server.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <stdexcept>

#include "kube/base/result.h"
#include "tests/support/gate.h"
#include "tests/support/http_call.h"
#include "tests/support/raw_client.h"
#include "tests/support/test_server.h"

namespace kube::serve {
namespace {

using test_support::BodyOf;
using test_support::Call;
using test_support::Echo;
using test_support::EchoBehind;
using test_support::Gate;
using test_support::OnLoopback;
using test_support::RawClient;
using test_support::RequestText;
using test_support::To;

TEST_CASE("A server answers requests over one connection", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  client::CurlTransport client(To(server));
  for (int i = 0; i < 3; ++i) {
    CHECK(Call(client, "/a?b=c").body == "GET /a?b=c ");
    CHECK(Call(client, "/d", "{}").body == "POST /d {}");
  }
  CHECK(server.counts().accepted == 1);
  test_support::Await([&] { return server.counts().answered == 6; });
}

TEST_CASE("An answer arrives with its status and its type", "[kube][serve]") {
  Server server(OnLoopback(), [](const Request&) { return Response{422, "application/x", "no"}; });
  RawClient client(server.port());
  client.Send(RequestText("/"));
  const std::string answer = client.ReadAnswer();
  CHECK_THAT(answer, Catch::StartsWith("HTTP/1.1 422 "));
  CHECK_THAT(answer, Catch::Contains("\r\nContent-Type: application/x\r\n"));
  CHECK(BodyOf(answer) == "no");
}

TEST_CASE("An Answerer is told the headers, and who asks", "[kube][serve]") {
  Server server(OnLoopback(), [](const Request& request) {
    const std::string* one = request.FindHeader("x-one");
    return Response{200, "text/plain",
                    (one ? *one : "none") + " " + request.remote_address +
                        (request.peer ? " with a certificate" : "")};
  });
  RawClient client(server.port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\nX-One: b\r\n\r\n");
  CHECK_THAT(BodyOf(client.ReadAnswer()), Catch::Matches("b 127\\.0\\.0\\.1:[0-9]+"));
}

TEST_CASE("A server of all addresses shows IPv4 as IPv4", "[kube][serve]") {
  Server server({}, [](const Request& request) {
    return Response{200, "text/plain", request.remote_address};
  });
  RawClient client(server.port());
  client.Send(RequestText("/"));
  CHECK_THAT(BodyOf(client.ReadAnswer()), Catch::StartsWith("127.0.0.1:"));
}

TEST_CASE("Requests that come at once are answered in their order", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += RequestText("/" + std::to_string(i), std::string(1000, 'x'));
  client.Send(all);
  for (int i = 0; i < 50; ++i) {
    CHECK_THAT(BodyOf(client.ReadAnswer()), Catch::StartsWith("POST /" + std::to_string(i) + " "));
  }
}

TEST_CASE("A chunked body arrives whole", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.Send("2\r\nde\r\n0\r\n\r\n");
  CHECK(BodyOf(client.ReadAnswer()) == "POST / abcde");
}

TEST_CASE("HEAD gets no body, and the connection stays of use", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  client.Send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n" + RequestText("/b"));
  CHECK_THAT(client.ReadAnswer() + client.ReadAnswer(), Catch::Contains("Content-Length: 8\r\n"));
  client.Send("GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  CHECK_THAT(client.ReadToEnd(), Catch::EndsWith("GET /c "));
}

TEST_CASE("Who asks whether to send the body is told to", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK(client.ReadAnswer() == "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("{}");
  CHECK(BodyOf(client.ReadAnswer()) == "POST / {}");
}

TEST_CASE("Who says so gets the last answer and the end of the connection", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  RawClient client(server.port());
  client.Send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  CHECK_THAT(client.ReadToEnd(), Catch::Contains("\r\nConnection: close\r\n"));
}

TEST_CASE("What an Answerer throws is a 500, and the server lives on", "[kube][serve]") {
  std::mutex mutex;
  std::vector<std::string> reports;
  ServerOptions options = OnLoopback();
  options.report = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    reports.push_back(line);
  };
  Server server(options, [](const Request& request) -> Response {
    if (request.target == "/runtime?a=b") throw std::runtime_error("disk full");
    if (request.target == "/other") throw 1;
    return Echo(request);
  });
  client::CurlTransport client(To(server));
  CHECK(Call(client, "/runtime?a=b").status == 500);
  CHECK(Call(client, "/other").status == 500);
  CHECK(Call(client, "/a").body == "GET /a ");
  const std::lock_guard lock(mutex);
  CHECK(reports == std::vector<std::string>{"cannot answer GET /runtime: disk full",
                                            "cannot answer GET /other: an unknown exception"});
}

TEST_CASE("As many requests as there are threads are answered at a time", "[kube][serve]") {
  Gate gate;
  ServerOptions options = OnLoopback();
  options.threads = 3;
  Server server(options, EchoBehind(gate));
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->Send(RequestText("/" + std::to_string(i)));
  }
  gate.AwaitArrivals(3);
  CHECK(server.counts().requests == 3);
  gate.Open();
  for (int i = 0; i < 3; ++i) {
    CHECK(BodyOf(clients[static_cast<std::size_t>(i)]->ReadAnswer()) ==
          "GET /" + std::to_string(i) + " ");
  }
}

TEST_CASE("A client that goes before its answer takes nobody along", "[kube][serve]") {
  Gate gate;
  ServerOptions options = OnLoopback();
  options.threads = 1;
  Server server(options, [&gate](const Request&) {
    gate.Pass();
    return Response{200, "text/plain", std::string(1'000'000, 'x')};
  });
  for (int i = 0; i < 3; ++i) {
    RawClient gone(server.port());
    gone.Send(RequestText("/"));
    test_support::Await(
        [&] { return server.counts().requests == static_cast<std::size_t>(i) + 1; });
    gone.Reset();
  }
  gate.Open();
  RawClient client(server.port());
  client.Send(RequestText("/"));
  CHECK(BodyOf(client.ReadAnswer()).size() == 1'000'000);
}

TEST_CASE("Where nobody can listen, it is told what to do", "[kube][serve]") {
  Server server(OnLoopback(), Echo);
  ServerOptions options = OnLoopback();
  options.port = server.port();
  CHECK_THROWS_WITH(Server(options, Echo),
                    "cannot listen on 127.0.0.1:" + std::to_string(server.port()) +
                        ": Address already in use; choose another with --port");
  options.address = "192.0.2.1";
  CHECK_THROWS_WITH(Server(options, Echo), Catch::EndsWith("; choose another with --addr"));
  options.address = "localhost";
  CHECK_THROWS_WITH(Server(options, Echo),
                    "cannot listen on \"localhost\": it is no IP address; give one with --addr");
}

}  // namespace
}  // namespace kube::serve
