#include "kube/client/client.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/kube/client/client_world.h"

namespace kube::client {
namespace client_test {

TEST_CASE("A call carries its headers and brings the body", "[kube][client]") {
  World world;
  world.options.request_timeout = seconds(7);
  world.transport.script = {{200, "{\"a\":1}", {}, {}, false}};
  const CallSink sink = world.Call("PATCH", "{}");
  CHECK_FALSE(sink.error);
  CHECK(sink.body == "{\"a\":1}");
  const HttpRequest& sent = world.transport.requests.at(0);
  CHECK(sent.method == "PATCH");
  CHECK(sent.target == "/version");
  CHECK(sent.body == "{}");
  CHECK(HeaderOf(sent, "Accept") == "application/json");
  CHECK(HeaderOf(sent, "Content-Type") == "application/merge-patch+json");
  CHECK(HeaderOf(sent, "User-Agent") == "test");
  CHECK(HeaderOf(sent, "Authorization") == "Bearer 1");
  CHECK(world.transport.timeouts.at(0) == seconds(7));
  CHECK(world.log == std::vector<std::string>{
                         "PATCH https://10.0.0.1:6443/prefix/version 200 in 1 milliseconds"});
}

TEST_CASE("A call without a body has no Content-Type", "[kube][client]") {
  World world;
  world.transport.script = {{200, "{}", {}, {}, false}};
  world.Call();
  CHECK(HeaderOf(world.transport.requests.at(0), "Content-Type") == "<none>");
}

TEST_CASE("What is no success is the server's status, and nothing is handed on", "[kube][client]") {
  World world;
  world.transport.script = {
      {404, R"({"status":"Failure","reason":"NotFound","message":"gone"})", {}, {}, false}};
  const CallSink sink = world.Call();
  CHECK(sink.body.empty());
  REQUIRE(sink.error);
  REQUIRE(sink.error->status);
  CHECK_FALSE(sink.error->transport);
  CHECK(sink.error->status->code == 404);
  CHECK(sink.error->message == "Error from server (NotFound): gone");
}

TEST_CASE("An endless error is read up to a limit", "[kube][client]") {
  World world;
  world.transport.script = {{500, std::string(1'100'000, 'x'), {}, {}, false}};
  CHECK(world.Call().error->message.size() < 4000);
}

TEST_CASE("H2: A call is sent again when the server asks for it", "[kube][client]") {
  World world;
  const int code = GENERATE(429, 500, 503, 504);
  const std::string method = GENERATE("GET", "PATCH");
  world.transport.script = {
      RetryAfter(code, "2"), RetryAfter(code, "0"), {200, "{}", {}, {}, false}};
  const CallSink sink = world.Call(method);
  CHECK_FALSE(sink.error);
  CHECK(sink.body == "{}");
  CHECK(world.SentAtSeconds() == std::vector<long>{0, 2, 2});
}

TEST_CASE("H2: A call is not sent again without need", "[kube][client]") {
  World world;
  SECTION("429 that does not say when") { world.transport.script = {{429, "", {}, {}, false}}; }
  SECTION("an error of ours") { world.transport.script = {RetryAfter(409)}; }
  SECTION("a date") { world.transport.script = {RetryAfter(503, "Fri, 31 Dec 1999 23:59:59 GMT")}; }
  CHECK(world.Call().error);
  CHECK(world.transport.requests.size() == 1);
}

TEST_CASE("A wait of more than a minute is left to the user", "[kube][client]") {
  World world;
  world.transport.script = {RetryAfter(429, "61")};
  const CallSink sink = world.Call();
  CHECK(world.transport.requests.size() == 1);
  REQUIRE(sink.error);
  CHECK(sink.error->status->code == 429);
  CHECK(sink.error->message ==
        "Error from server (TooManyRequests): the server has received too many requests and has "
        "asked us to try again later (the server asks to wait 61 s; try again then)");
}

TEST_CASE("H2 A wait of more than a second is told", "[kube][client]") {
  World world;
  std::vector<std::string> waits;
  world.options.on_wait = [&waits](const std::string& line) { waits.push_back(line); };
  world.transport.script = {
      RetryAfter(503, "1"), RetryAfter(503, "60"), {200, "{}", {}, {}, false}};
  CHECK_FALSE(world.Call().error);
  CHECK(waits == std::vector<std::string>{
                     "waiting 60 s, as the server asks, to send GET /version again: Error from "
                     "server (ServiceUnavailable): the server is currently unable to handle the "
                     "request"});
}

TEST_CASE("H2: After ten times the server's refusal is the answer", "[kube][client]") {
  World world;
  world.transport.script.assign(20, RetryAfter(429, "1"));
  const CallSink sink = world.Call();
  CHECK(world.transport.requests.size() == 11);
  REQUIRE(sink.error);
  CHECK(sink.error->status->code == 429);
}

TEST_CASE("H2: A GET that lost its connection is sent again after a second", "[kube][client]") {
  World world;
  world.transport.script = {Lost(), Lost(), {200, "{}", {}, {}, false}};
  const CallSink sink = world.Call();
  CHECK_FALSE(sink.error);
  CHECK(world.SentAtSeconds() == std::vector<long>{0, 1, 2});
}

TEST_CASE("H2 A lost connection is the end after ten times", "[kube][client]") {
  World world;
  world.transport.script.assign(20, Lost());
  const CallSink sink = world.Call();
  CHECK(world.transport.requests.size() == 11);
  CHECK(sink.error->message == "Unable to connect to the server: EOF");
}

TEST_CASE("A write that lost its connection may have been done, and is not sent again",
          "[kube][client]") {
  World world;
  world.transport.script = {Lost()};
  const CallSink sink = world.Call("PATCH", "{}");
  CHECK(world.transport.requests.size() == 1);
  CHECK(sink.error->transport->kind == Kind::kConnectionLost);
}

TEST_CASE("A caller may want the first answer, whatever it is", "[kube][client]") {
  World world;
  SECTION("a refusal with Retry-After") {
    world.transport.script = {RetryAfter(503)};
    CHECK(world.Call("PATCH", "{}", false).error->status->code == 503);
  }
  SECTION("a lost connection") {
    world.transport.script = {Lost()};
    CHECK(world.Call("GET", "", false).error->transport->kind == Kind::kConnectionLost);
  }
  CHECK(world.transport.requests.size() == 1);
}

TEST_CASE("Credentials are renewed for that caller too", "[kube][client]") {
  World world;
  world.credentials.can_refresh = true;
  world.transport.script = {{401, "", {}, {}, false}, {200, "{}", {}, {}, false}};
  CHECK_FALSE(world.Call("PATCH", "{}", false).error);
}

TEST_CASE("What was handed on is not asked for again", "[kube][client]") {
  World world;
  world.transport.script = {Lost("{\"kind\":")};
  const CallSink sink = world.Call();
  CHECK(sink.body == "{\"kind\":");
  REQUIRE(sink.error);
  CHECK(sink.error->transport->kind == Kind::kConnectionLost);
  CHECK(sink.error->message ==
        "unexpected error when reading response body. Please retry. Original error: EOF");
}

TEST_CASE("An error that was cut off is asked for again", "[kube][client]") {
  World world;
  Scripted cut = Lost("<html>");
  cut.status = 500;
  world.transport.script = {cut, {200, "{}", {}, {}, false}};
  CHECK_FALSE(world.Call().error);
}

TEST_CASE("O7: Other failures of the connection are told as kubectl tells them", "[kube][client]") {
  World world;
  const auto [kind, want] = GENERATE(table<Kind, std::string>({
      {Kind::kRefused,
       "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host "
       "or port?"},
      {Kind::kTimeout, "Unable to connect to the server: EOF"},
      {Kind::kTls, "Unable to connect to the server: EOF"},
      {Kind::kOther, "Unable to connect to the server: EOF"},
  }));
  world.transport.script = {Lost("", kind)};
  const CallSink sink = world.Call();
  REQUIRE(sink.error);
  CHECK_FALSE(sink.error->status);
  CHECK(sink.error->transport->kind == kind);
  CHECK(sink.error->message == want);
  CHECK(world.transport.requests.size() == 1);
}

TEST_CASE("X5: after 401 a call is sent once more with new credentials", "[kube][client]") {
  World world;
  world.credentials.can_refresh = true;
  world.transport.script = {{401, "", {}, {}, false}, {200, "{}", {}, {}, false}};
  const CallSink sink = world.Call("PATCH", "{}");
  CHECK_FALSE(sink.error);
  CHECK(world.credentials.refreshes == 1);
  CHECK(HeaderOf(world.transport.requests.at(1), "Authorization") == "Bearer 2");
}

TEST_CASE("X5: a second 401 of a call is the answer", "[kube][client]") {
  World world;
  world.credentials.can_refresh = true;
  world.transport.script.assign(5, {401, "", {}, {}, false});
  const CallSink sink = world.Call();
  CHECK(world.transport.requests.size() == 2);
  CHECK(sink.error->status->code == 401);
}

TEST_CASE("X5: 401 is the answer where credentials stay as they are", "[kube][client]") {
  World world;
  world.transport.script.assign(5, {401,
                                    R"({"status":"Failure","reason":"Unauthorized",
    "message":"Unauthorized"})",
                                    {},
                                    {},
                                    false});
  const CallSink sink = world.Call();
  CHECK(world.transport.requests.size() == 1);
  CHECK(sink.error->message == "You must be logged in to the server (Unauthorized)");
}

TEST_CASE("Of many calls refused together one refreshes the credentials", "[kube][client]") {
  World world;
  world.credentials.can_refresh = true;
  world.transport.script.assign(3, {401, "", {}, {}, false});
  world.transport.script.insert(world.transport.script.end(), 3, {200, "{}", {}, {}, false});
  CallSink sinks[3];
  for (CallSink& sink : sinks) world.client().Start({}, sink);
  while (sinks[0].ends + sinks[1].ends + sinks[2].ends < 3) {
    world.client().Poll(base::Clock::TimePoint::max());
  }
  for (const CallSink& sink : sinks) CHECK_FALSE(sink.error);
  CHECK(world.credentials.refreshes == 1);
}

TEST_CASE("O6: Each warning is told once", "[kube][client]") {
  World world;
  const std::vector<HttpHeader> headers = {{"Warning", R"(299 - "old")"},
                                           {"Warning", R"(299 - "old", 299 - "older")"}};
  world.transport.script = {{200, "{}", headers, {}, false}, {404, "", headers, {}, false}};
  world.Call();
  world.Call();
  CHECK(world.warnings == std::vector<std::string>{"old", "older"});
}

TEST_CASE("A call goes on while another waits to be sent again", "[kube][client]") {
  World world;
  world.transport.script = {
      RetryAfter(503, "60"), {200, "a", {}, {}, false}, {200, "b", {}, {}, false}};
  CallSink slow, fast;
  world.client().Start({}, slow);
  world.client().Start({}, fast);
  while (fast.ends == 0) world.client().Poll(base::Clock::TimePoint::max());
  CHECK(slow.ends == 0);
  CHECK(world.clock.passed() < seconds(1));
  while (slow.ends == 0) world.client().Poll(base::Clock::TimePoint::max());
  CHECK(slow.body == "b");
  CHECK(world.clock.passed() >= seconds(60));
}

TEST_CASE("Poll ends at its deadline while a call waits to be sent again", "[kube][client]") {
  World world;
  world.transport.script = {RetryAfter(503, "60")};
  CallSink sink;
  world.client().Start({}, sink);
  world.client().Poll(base::Clock::TimePoint::max());
  const auto deadline = world.clock.Now() + seconds(5);
  world.client().Poll(deadline);
  CHECK(world.clock.Now() == deadline);
  CHECK(sink.ends == 0);
}

TEST_CASE("A cancelled call is never heard of again", "[kube][client]") {
  World world;
  CallSink sink;
  const auto id = world.client().Start({}, sink);
  SECTION("before it is sent") {
    world.client().Cancel(id);
    world.client().Poll(world.clock.Now() + seconds(1));
    CHECK(world.transport.requests.empty());
  }
  SECTION("under way, from the sink of another") {
    world.transport.script = {{200, "a", {}, {}, false}};
    CallSink other;
    CallSink cancelled;
    world.client().Cancel(id);
    world.client().Start({}, other);
    const auto under_way = world.client().Start({}, cancelled);
    other.on_end = [&] { world.client().Cancel(under_way); };
    world.client().Poll(base::Clock::TimePoint::max());
    CHECK(other.ends == 1);
    CHECK(world.transport.cancelled == std::vector<Transport::RequestId>{2});
    world.client().Poll(world.clock.Now() + seconds(1));
    CHECK(cancelled.ends == 0);
  }
  SECTION("waiting to be sent again") {
    world.transport.script = {RetryAfter(503, "1")};
    world.client().Poll(base::Clock::TimePoint::max());
    world.client().Cancel(id);
    world.client().Poll(world.clock.Now() + seconds(5));
    CHECK(world.transport.requests.size() == 1);
    CHECK(sink.ends == 0);
  }
  world.client().Cancel(id);  // again is no error
}

TEST_CASE("A client that goes cancels what is under way", "[kube][client]") {
  World world;
  CallSink first, second;
  world.transport.script = {{200, "a", {}, {}, false}};
  world.client().Start({}, first);
  world.client().Start({}, second);
  world.client().Poll(base::Clock::TimePoint::max());
  world.made.reset();
  CHECK(first.ends == 1);
  CHECK(world.transport.cancelled == std::vector<Transport::RequestId>{2});
}

TEST_CASE("A sink may start the next call at its end", "[kube][client]") {
  World world;
  world.transport.script = {{200, "a", {}, {}, false}, {200, "b", {}, {}, false}};
  CallSink first, second;
  first.on_end = [&] { world.client().Start({}, second); };
  world.client().Start({}, first);
  while (second.ends == 0) world.client().Poll(base::Clock::TimePoint::max());
  CHECK(second.body == "b");
}

TEST_CASE("Get brings JSON or tells why not", "[kube][client]") {
  World world;
  SECTION("JSON") {
    world.transport.script = {{200, "{\"major\":\"1\"}", {}, {}, false}};
    const auto answer = world.client().Get("/version");
    REQUIRE(answer);
    CHECK((*answer)->root().FindText("major") == "1");
  }
  SECTION("a status") {
    world.transport.script = {{403, "", {}, {}, false}};
    const auto answer = world.client().Get("/version");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().status->code == 403);
  }
  SECTION("HTML") {
    world.transport.script = {{200, "\n<html>", {}, {}, false}};
    const auto answer = world.client().Get("/version");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message ==
          "the server's answer to GET /version is HTML, not JSON; is there a proxy or a login page "
          "in between?");
    CHECK(answer.error().transport->kind == Kind::kForeign);
  }
  SECTION("no JSON") {
    world.transport.script = {{200, "{", {}, {}, false}};
    const auto answer = world.client().Get("/version");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.starts_with("the server's answer to GET /version is not JSON: "));
  }
  SECTION("a stop while it waits to be sent again") {
    std::atomic<bool> stop = false;
    world.options.stop = &stop;
    world.options.on_wait = [&stop](const std::string&) { stop = true; };
    world.transport.script = {RetryAfter(503, "60")};
    const auto answer = world.client().Get("/version");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message == "interrupted");
    CHECK(world.clock.passed() < seconds(1));
    world.client().Poll(world.clock.Now() + seconds(90));  // the call is forgotten
    CHECK(world.transport.requests.size() == 1);
  }
  SECTION("credentials that cannot be had") {
    world.credentials.broken = true;
    CHECK_THROWS_WITH(world.client().Get("/version"), "the plugin failed");
    world.client().Poll(world.clock.Now() + seconds(1));  // the call is forgotten
  }
}

TEST_CASE("UrlEscape keeps only what stands for itself", "[kube][client]") {
  CHECK(UrlEscape("aZ09-._~") == "aZ09-._~");
  CHECK(UrlEscape("a/b c+d%=&?#\xC3\xBC") == "a%2Fb%20c%2Bd%25%3D%26%3F%23%C3%BC");
}

TEST_CASE("A query comes behind what a target has already", "[kube][client]") {
  CHECK(WithQuery("/a", "b=c") == "/a?b=c");
  CHECK(WithQuery("/a?b=c", "d=e&f=g") == "/a?b=c&d=e&f=g");
}

}  // namespace client_test
}  // namespace kube::client
