#include "kube/client/curl_transport.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "kube/base/result.h"
#include "kube/client/response_head.h"
#include "tests/support/loopback_server.h"
#include "tests/support/recording_sink.h"

namespace kube::client {
namespace {

using test_support::LoopbackConnection;
using test_support::LoopbackServer;
using test_support::RecordingSink;
using Kind = TransportError::Kind;

std::string Answer(const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
         "\r\n" + body;
}

/// Answers every request of a connection in the same way.
LoopbackServer::Handler Always(const std::string& answer) {
  return [answer](LoopbackConnection& connection, int) {
    while (!connection.ReadRequest().empty()) connection.Write(answer);
  };
}

/// Answers with the request itself.
void Echo(LoopbackConnection& connection, int) {
  for (std::string request; !(request = connection.ReadRequest()).empty();) {
    connection.Write(Answer(request));
  }
}

ConnectionConfig To(const std::string& url) {
  ConnectionConfig config;
  config.server = url;
  return config;
}

HttpRequest Get(const std::string& target) {
  HttpRequest request;
  request.target = target;
  return request;
}

void PollToEnd(CurlTransport& transport, const RecordingSink& sink) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (sink.ends == 0 && std::chrono::steady_clock::now() < limit) transport.Poll(limit);
  REQUIRE(sink.ends == 1);
}

void Run(CurlTransport& transport, HttpRequest request, RecordingSink& sink,
         base::Clock::Duration timeout = {}) {
  transport.Start(std::move(request), timeout, sink);
  PollToEnd(transport, sink);
}

Kind KindOfFailure(const RecordingSink& sink) {
  REQUIRE(sink.error);
  CAPTURE(sink.error->message);
  CHECK_FALSE(sink.error->message.empty());
  return sink.error->kind;
}

// That one takes another certificate is seen on a real API server (tests/cluster).
TEST_CASE("X5: a certificate counts for the requests that begin from then on", "[kube][curl]") {
  const LoopbackServer server([](LoopbackConnection& c, int) {
    c.Write("HTTP/1.1 400 Bad Request\r\n\r\n");
    c.AwaitEnd();
  });
  CurlTransport transport(To("https://127.0.0.1:" + std::to_string(server.port())));
  const auto message = [&] {
    RecordingSink sink;
    Run(transport, Get("/"), sink);
    REQUIRE(sink.error);
    return sink.error->message;
  };
  const std::string without = message();
  transport.UseCertificate({"no PEM", "no PEM"});
  CHECK(message().find("client certificate") != std::string::npos);
  transport.UseCertificate({});
  CHECK(message() == without);
}

TEST_CASE("Another thread wakes who polls, or would", "[kube][curl]") {
  CurlTransport transport(To("http://127.0.0.1:1"));
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  transport.Wake();
  transport.Poll(limit);
  std::thread other([&transport] { transport.Wake(); });
  transport.Poll(limit);
  other.join();
  CHECK(std::chrono::steady_clock::now() < limit);
}

TEST_CASE("An answer arrives with status, headers and body", "[kube][curl]") {
  const LoopbackServer server(
      Always("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nX-One: a\r\nx-one:  b \r\n\r\n{}"));
  CurlTransport transport(To(server.url()));
  RecordingSink sink;
  Run(transport, Get("/version"), sink);
  CHECK_FALSE(sink.error);
  CHECK(sink.status() == 404);
  CHECK(sink.heads == 1);
  REQUIRE(sink.head->Find("X-ONE"));
  CHECK(*sink.head->Find("X-ONE") == "a");
  CHECK(sink.head->FindAll("X-One") == std::vector<std::string_view>{"a", "b"});
  CHECK(sink.head->Find("x-two") == nullptr);
  CHECK(sink.body == "{}");
}

TEST_CASE("A request is sent as it was given, below the prefix of the server", "[kube][curl]") {
  const LoopbackServer server(Echo);
  CurlTransport transport(To(server.url() + "/k8s/clusters/c-1"));
  HttpRequest request;
  request.method = "PATCH";
  request.target = "/apis/a/../b?limit=5&continue=x%2By";
  request.headers = {{"Accept", "application/json"}, {"Impersonate-Group", ""}};
  request.body = std::string("{\"a\":\0}", 7);
  RecordingSink sink;
  Run(transport, std::move(request), sink);
  const std::string& sent = sink.body;
  CHECK(
      sent.starts_with("PATCH /k8s/clusters/c-1/apis/a/../b?limit=5&continue=x%2By HTTP/1.1\r\n"));
  CHECK(sent.find("\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n") != sent.npos);
  CHECK(sent.find("\r\nAccept: application/json\r\n") != sent.npos);
  CHECK(sent.find("\r\nImpersonate-Group:\r\n") != sent.npos);
  CHECK(sent.find("Expect") == sent.npos);
  CHECK(sent.ends_with(std::string("\r\n\r\n{\"a\":\0}", 11)));
}

TEST_CASE("A body goes by POST, PUT and PATCH, and POST may have none", "[kube][curl]") {
  const auto [method, body] = GENERATE(table<std::string, std::string>(
      {{"POST", "{}"}, {"PUT", "{}"}, {"PATCH", "{}"}, {"POST", ""}, {"DELETE", ""}}));
  const LoopbackServer server(Echo);
  CurlTransport transport(To(server.url()));
  HttpRequest request;
  request.method = method;
  request.target = "/x";
  request.body = body;
  RecordingSink sink;
  Run(transport, std::move(request), sink);
  CHECK(sink.body.starts_with(method + " /x HTTP/1.1\r\n"));
  CHECK(sink.body.ends_with("\r\n\r\n" + body));
}

TEST_CASE("A request has nothing of the one before it", "[kube][curl]") {
  const LoopbackServer server(Echo);
  CurlTransport transport(To(server.url()));
  HttpRequest first;
  first.method = "PATCH";
  first.headers = {{"Content-Type", "application/merge-patch+json"}};
  first.body = "{}";
  RecordingSink ignored, sink;
  Run(transport, std::move(first), ignored, std::chrono::seconds(60));
  Run(transport, Get("/x"), sink);
  CHECK(sink.body.starts_with("GET /x HTTP/1.1\r\n"));
  CHECK(sink.body.find("Content-") == sink.body.npos);
  CHECK(sink.body.ends_with("\r\n\r\n"));
}

TEST_CASE("A body of a megabyte goes up without a question before", "[kube][curl]") {
  const LoopbackServer server([](LoopbackConnection& connection, int) {
    connection.Write(Answer(std::to_string(connection.ReadRequest().size())));
  });
  CurlTransport transport(To(server.url()));
  HttpRequest request;
  request.method = "PUT";
  request.body.assign(2'000'000, 'x');
  RecordingSink sink;
  Run(transport, std::move(request), sink);
  CHECK(std::stoul(sink.body) > 2'000'000);
}

TEST_CASE("Connections are kept, unless a fresh one is asked for", "[kube][curl]") {
  const LoopbackServer server(Always(Answer("{}")));
  CurlTransport transport(To(server.url()));
  for (int i = 0; i < 3; ++i) {
    RecordingSink sink;
    Run(transport, Get("/"), sink);
    CHECK(sink.body == "{}");
  }
  CHECK(server.connections() == 1);
  HttpRequest fresh = Get("/");
  fresh.fresh_connection = true;
  RecordingSink sink;
  Run(transport, fresh, sink);
  CHECK(server.connections() == 2);
}

TEST_CASE("A kept connection that the server has closed is replaced unseen", "[kube][curl]") {
  const LoopbackServer server([](LoopbackConnection& connection, int) {
    connection.ReadRequest();
    connection.Write(Answer("{}"));
  });
  CurlTransport transport(To(server.url()));
  for (int i = 0; i < 3; ++i) {
    RecordingSink sink;
    Run(transport, Get("/"), sink);
    CHECK_FALSE(sink.error);
  }
  CHECK(server.connections() == 3);
}

TEST_CASE("Many requests run at a time", "[kube][curl]") {
  const bool in_bulk = GENERATE(false, true);
  const LoopbackServer server(Echo);
  CurlTransport transport(To(server.url()));
  std::vector<RecordingSink> sinks(20);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    HttpRequest request = Get("/" + std::to_string(i));
    request.in_bulk = in_bulk;
    transport.Start(std::move(request), {}, sinks[i]);
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    PollToEnd(transport, sinks[i]);
    CHECK(sinks[i].body.starts_with("GET /" + std::to_string(i) + " HTTP"));
  }
}

TEST_CASE("A large body comes in pieces", "[kube][curl]") {
  const std::string body(1'000'000, 'x');
  const LoopbackServer server(Always(Answer(body)));
  CurlTransport transport(To(server.url()));
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  CHECK(sink.body == body);
  CHECK(sink.pieces > 1);
}

TEST_CASE("A chunked body is put together, trailers and interim answers are not", "[kube][curl]") {
  const LoopbackServer server(
      Always("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n"
             "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: y\r\n\r\n"));
  CurlTransport transport(To(server.url()));
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  CHECK(sink.body == "abcde");
  CHECK(sink.heads == 1);
  CHECK(sink.status() == 200);
  CHECK(sink.head->Find("Link") == nullptr);
  CHECK(sink.head->Find("X-Late") == nullptr);
}

TEST_CASE("Why no answer came is told by its kind", "[kube][curl]") {
  RecordingSink sink;
  SECTION("nothing listens") {
    CurlTransport transport(To("http://127.0.0.1:" + std::to_string(test_support::UnusedPort())));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kRefused);
  }
  SECTION("closed without an answer") {
    const LoopbackServer server([](LoopbackConnection& c, int) { c.ReadRequest(); });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kConnectionLost);
    CHECK(sink.error->message == "EOF");
    CHECK(sink.heads == 0);
  }
  SECTION("reset without an answer") {
    const LoopbackServer server([](LoopbackConnection& c, int) {
      c.ReadRequest();
      c.Reset();
    });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kConnectionLost);
  }
  SECTION("another protocol in the place of an answer") {
    const LoopbackServer server([](LoopbackConnection& c, int) {
      c.ReadRequest();
      c.Write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello");
    });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kOther);
    CHECK(sink.error->message == "the answer is not HTTP");
    CHECK(sink.heads == 0);
    CHECK(sink.pieces == 0);
  }
  SECTION("closed within the body") {
    const LoopbackServer server([](LoopbackConnection& c, int) {
      c.ReadRequest();
      c.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"kind\":");
    });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kConnectionLost);
    CHECK(sink.body == "{\"kind\":");
  }
  SECTION("closed within a chunked body") {
    const LoopbackServer server([](LoopbackConnection& c, int) {
      c.ReadRequest();
      c.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kConnectionLost);
  }
  SECTION("no answer in time") {
    const LoopbackServer server([](LoopbackConnection& c, int) { c.AwaitEnd(); });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink, std::chrono::milliseconds(50));
    CHECK(KindOfFailure(sink) == Kind::kTimeout);
  }
  SECTION("no HTTP") {
    const LoopbackServer server([](LoopbackConnection& c, int) {
      c.ReadRequest();
      c.Write("SSH-2.0-OpenSSH_9.2\r\n");
    });
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kOther);
  }
  // As of a load balancer that has lost the server behind it.
  SECTION("closed within the TLS handshake") {
    const LoopbackServer server([](LoopbackConnection&, int) {});
    CurlTransport transport(To("https://127.0.0.1:" + std::to_string(server.port())));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kConnectionLost);
    CHECK(sink.error->message.find("SSL") == std::string::npos);
  }
  SECTION("no TLS") {
    const LoopbackServer server([](LoopbackConnection& c, int) {
      c.Write("HTTP/1.1 400 Bad Request\r\n\r\n");
      c.AwaitEnd();
    });
    CurlTransport transport(To("https://127.0.0.1:" + std::to_string(server.port())));
    Run(transport, Get("/"), sink);
    CHECK(KindOfFailure(sink) == Kind::kTls);
  }
}

TEST_CASE("A head that has no end is given up", "[kube][curl]") {
  const std::string more = GENERATE(
      as<std::string>{}, "X-More: and more\r\n", "\r\nHTTP/1.1 100 Continue\r\n",
      "X: " + std::string(90'000, 'y') + "\r\n", "X: " + std::string(150'000, 'y') + "\r\n");
  const bool is_trailer = GENERATE(false, true);
  if (is_trailer && more.find("HTTP") != more.npos) return;
  const LoopbackServer server([&](LoopbackConnection& c, int) {
    c.ReadRequest();
    if (is_trailer) {
      c.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n");
    } else {
      c.Write("HTTP/1.1 100 Continue\r\n");
    }
    for (std::size_t i = 0; i < 4 * HeadReader::kMostBytes; i += more.size()) c.Write(more);
  });
  CurlTransport transport(To(server.url()));
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  CAPTURE(more.substr(0, 20), is_trailer);
  // Of a trailer libcurl takes no line of more than 4 KiB, and says that the answer broke off.
  const bool is_cut = is_trailer && more.size() > 4096;
  CHECK(KindOfFailure(sink) == (is_cut ? Kind::kConnectionLost : Kind::kTooLong));
}

TEST_CASE("A redirect is an answer, not followed", "[kube][curl]") {
  const LoopbackServer server(
      Always("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"));
  CurlTransport transport(To(server.url()));
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  CHECK(sink.status() == 302);
  CHECK_FALSE(sink.error);
}

TEST_CASE("Poll returns at its deadline when there is nothing to do", "[kube][curl]") {
  CurlTransport transport(To("http://127.0.0.1:1"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  transport.Poll(deadline);
  CHECK(std::chrono::steady_clock::now() >= deadline);
}

TEST_CASE(
    "A bulk of requests without answers keeps Poll neither beyond its deadline nor from a wake",
    "[kube][curl]") {
  const LoopbackServer server([](LoopbackConnection& connection, int) {
    while (!connection.ReadRequest().empty()) continue;
  });
  CurlTransport transport(To(server.url()));
  std::vector<RecordingSink> sinks(20);
  HttpRequest request = Get("/");
  request.in_bulk = true;
  for (RecordingSink& sink : sinks) transport.Start(request, {}, sink);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  transport.Poll(deadline);
  CHECK(std::chrono::steady_clock::now() >= deadline);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::thread other([&transport] { transport.Wake(); });
  transport.Poll(limit);
  other.join();
  CHECK(std::chrono::steady_clock::now() < limit);
}

TEST_CASE("A cancelled request is never heard of again", "[kube][curl]") {
  const LoopbackServer server(Always(Answer(std::string(3'000'000, 'x'))));
  CurlTransport transport(To(server.url()));
  RecordingSink cancelled, other;
  const auto id = transport.Start(Get("/a"), {}, cancelled);
  SECTION("before it is sent") { transport.Cancel(id); }
  SECTION("while its body comes") {
    while (cancelled.pieces == 0) {
      transport.Poll(std::chrono::steady_clock::now() + std::chrono::seconds(60));
    }
    transport.Cancel(id);
    cancelled = {};
  }
  SECTION("from the sink of another") {
    other.on_bytes = [&] {
      transport.Cancel(id);
      cancelled = {};
    };
  }
  transport.Start(Get("/b"), {}, other);
  PollToEnd(transport, other);
  CHECK(other.body.size() == 3'000'000);
  transport.Poll(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  CHECK(cancelled.heads + cancelled.pieces + cancelled.ends == 0);
  transport.Cancel(id);  // again is no error
}

TEST_CASE("A sink may start the next request at its end", "[kube][curl]") {
  const LoopbackServer server(Echo);
  CurlTransport transport(To(server.url()));
  RecordingSink first, second;
  first.on_end = [&] { transport.Start(Get("/second"), {}, second); };
  Run(transport, Get("/first"), first);
  PollToEnd(transport, second);
  CHECK(second.body.starts_with("GET /second"));
}

TEST_CASE("What a sink throws comes out of Poll, and the transport goes on", "[kube][curl]") {
  const LoopbackServer server(Always(Answer("{}")));
  CurlTransport transport(To(server.url()));
  RecordingSink failing, sink;
  failing.on_bytes = [] { throw std::runtime_error("disk full"); };
  transport.Start(Get("/"), {}, failing);
  CHECK_THROWS_WITH(PollToEnd(transport, failing), "disk full");
  Run(transport, Get("/"), sink);
  CHECK(sink.body == "{}");
  CHECK(failing.ends == 0);
}

TEST_CASE("A proxy is used where it is named, not where only the environment does",
          "[kube][curl]") {
  const LoopbackServer proxy(Echo);
  RecordingSink sink;
  SECTION("named") {
    ConnectionConfig config = To("http://127.0.0.1:9");
    config.proxy_url = proxy.url();
    CurlTransport transport(config);
    Run(transport, Get("/version"), sink);
    CHECK(sink.body.starts_with("GET http://127.0.0.1:9/version HTTP/1.1\r\n"));
  }
  SECTION("of the environment, and the server on loopback") {
    setenv("http_proxy", proxy.url().c_str(), 1);
    const LoopbackServer server(Always(Answer("direct")));
    CurlTransport transport(To(server.url()));
    Run(transport, Get("/version"), sink);
    unsetenv("http_proxy");
    CHECK(sink.body == "direct");
    CHECK(proxy.connections() == 0);
  }
  SECTION("of the environment, and the server elsewhere") {
    setenv("http_proxy", proxy.url().c_str(), 1);
    CurlTransport transport(To("http://api.example.com:8080/prefix"));
    Run(transport, Get("/version"), sink);
    unsetenv("http_proxy");
    CHECK(sink.body.starts_with("GET http://api.example.com:8080/prefix/version HTTP/1.1\r\n"));
    // Compression is for servers that are far away.
    CHECK(sink.body.find("Accept-Encoding: gzip\r\n") != sink.body.npos);
  }
  SECTION("compression turned off") {
    ConnectionConfig config = To("http://api.example.com:8080");
    config.proxy_url = proxy.url();
    config.disable_compression = true;
    CurlTransport transport(config);
    HttpRequest request = Get("/version");
    request.always_compress = GENERATE(false, true);
    Run(transport, request, sink);
    CHECK(sink.body.find("Accept-Encoding") == sink.body.npos);
  }
  SECTION("compression where the server is near") {
    ConnectionConfig config = To("http://127.0.0.1:9");
    config.proxy_url = proxy.url();
    CurlTransport transport(config);
    HttpRequest request = Get("/version");
    request.always_compress = GENERATE(false, true);
    Run(transport, request, sink);
    CHECK((sink.body.find("Accept-Encoding: gzip\r\n") != sink.body.npos) ==
          request.always_compress);
  }
}

TEST_CASE("What a proxy refuses is not taken for a lost connection", "[kube][curl]") {
  const std::string status = GENERATE("302 Found", "403 Forbidden by policy", "407 Who are you",
                                      "503 Service Unavailable");
  const LoopbackServer proxy([&status](LoopbackConnection& c, int) {
    c.ReadRequest();
    c.Write("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n");
  });
  ConnectionConfig config = To("https://api.example.com");
  config.proxy_url = proxy.url();
  CurlTransport transport(config);
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  const bool may_pass = status.starts_with("503");
  CHECK((KindOfFailure(sink) == Kind::kConnectionLost) == may_pass);
  CHECK_THAT(sink.error->message, Catch::Contains(status.substr(0, 3)));
}

TEST_CASE("A compressed answer arrives as it was before", "[kube][curl]") {
  // gzip of "hello\n"
  constexpr char kGzip[] =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36\x06"
      "\x00\x00\x00";
  const LoopbackServer proxy(
      Always(Answer(std::string(kGzip, sizeof kGzip - 1), "Content-Encoding: gzip\r\n")));
  ConnectionConfig config = To("http://api.example.com");
  config.proxy_url = proxy.url();
  CurlTransport transport(config);
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  CHECK_FALSE(sink.error);
  CHECK(sink.body == "hello\n");
}

TEST_CASE("The password of a proxy stays out of messages", "[kube][curl]") {
  ConnectionConfig config = To("http://api.example.com");
  config.proxy_url = GENERATE("ftp://me:hunter2@127.0.0.1:1", "http://me:hunter2@[::1",
                              "socks5://me:hunter2@127.0.0.1:1");
  CurlTransport transport(config);
  RecordingSink sink;
  Run(transport, Get("/"), sink);
  REQUIRE(sink.error);
  CAPTURE(config.proxy_url, sink.error->message);
  CHECK(sink.error->message.find("hunter2") == std::string::npos);
}

TEST_CASE("A server that has no usable URL is an error at once", "[kube][curl]") {
  CHECK_THROWS_WITH(CurlTransport(To("ftp://a")),
                    "cannot use the URL of the server: scheme \"ftp\" is not http or https");
}

}  // namespace
}  // namespace kube::client
