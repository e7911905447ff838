#include <catch2/catch.hpp>

#include "tests/kube/client/client_world.h"

namespace kube::client {
namespace client_test {

const Scripted kAnswer{200, "{}", {}, {}, false};
const Scripted kPage{200, "\n<html>who are you?</html>", {}, {}, false};

Scripted Failure(int status, const std::string& message) {
  return {status,
          R"({"kind":"Status","status":"Failure","message":")" + message + R"("})",
          {},
          {},
          false};
}

/// A client with two minutes of patience, whose waits are told.
struct PatientWorld : World {
  PatientWorld() {
    options.patience = std::chrono::minutes(2);
    options.on_wait = [this](const std::string& line) { waits.push_back(line); };
  }
  void Answer(Scripted scripted, int times = 1) {
    for (int i = 0; i < times; ++i) transport.script.push_back(scripted);
  }
  /// The server has answered before.
  void Reach() {
    Answer({200, "{}", {}, {}, false});
    REQUIRE_FALSE(Call().error);
    transport.requests.clear();
  }
  long PassedSeconds() const { return std::chrono::duration_cast<seconds>(clock.passed()).count(); }

  std::vector<std::string> waits;
};

/// Takes what is handed on, and forgets it when the answer begins again.
class ForgettingSink : public CallSink {
 public:
  bool BeginAgain() override {
    body.clear();
    return true;
  }
};

TEST_CASE("What only reads is sent again after trouble that may pass", "[kube][client]") {
  PatientWorld world;
  world.Reach();
  const Scripted trouble =
      GENERATE(Scripted{500, "", {}, {}, false}, Scripted{502, "<html>", {}, {}, false},
               Scripted{503, "", {}, {}, false}, Scripted{504, "", {}, {}, false}, Lost());
  world.Answer(trouble, 3);
  world.Answer(kAnswer);
  CHECK_FALSE(world.Call().error);
  CHECK(world.transport.requests.size() == 4);
  CHECK(world.PassedSeconds() == 1);  // 0.25 s, 0.5 s, 1 s
  CHECK(world.waits.empty());
}

TEST_CASE("What asks and changes nothing is sent again as well, a write is not", "[kube][client]") {
  PatientWorld world;
  world.Answer(Failure(503, "not ready"));
  world.Answer(kAnswer);
  ApiRequest request;
  request.method = "POST";
  request.body = "{}";
  SECTION("that asks") {
    request.changes_nothing = true;
    CHECK(world.client().Send(request));
  }
  SECTION("that writes") { CHECK_FALSE(world.client().Send(request)); }
  SECTION("a call whose caller has its own rules") {
    request.changes_nothing = true;
    request.retry = false;
    CHECK_FALSE(world.client().Send(request));
  }
}

TEST_CASE("Refusals end a call at once however patient the client is", "[kube][client]") {
  PatientWorld world;
  const int code = GENERATE(400, 403, 404, 409, 410, 422, 429);
  world.Answer(Failure(code, "no"));
  CHECK(world.Call().error->status->code == code);
}

TEST_CASE("Patience ends after its time, and is told of every half minute", "[kube][client]") {
  PatientWorld world;
  world.Reach();
  world.Answer(Failure(503, "starting"), 100);
  const CallSink sink = world.Call();
  REQUIRE(sink.error);
  CHECK(sink.error->status->code == 503);
  CHECK(world.PassedSeconds() > 110);
  CHECK(world.PassedSeconds() <= 120);
  REQUIRE(world.waits.size() == 4);
  CHECK(world.waits[0] ==
        "waiting for an answer to GET /version, for 105 s more at most: Error from server: "
        "starting");
}

TEST_CASE("Who has never been reached is not waited for", "[kube][client]") {
  PatientWorld world;
  const Scripted unreachable = GENERATE(Lost("", Kind::kRefused), Lost("", Kind::kTimeout),
                                        Lost("", Kind::kTls), Lost("", Kind::kOther), kPage);
  SECTION("at first") {
    world.Answer(unreachable);
    CHECK(world.Call().error);
    CHECK(world.PassedSeconds() == 0);
  }
  SECTION("but after an answer") {
    world.Answer(kAnswer);
    world.Answer(unreachable, 4);
    world.Answer(kAnswer);
    CHECK_FALSE(world.Call().error);
    const CallSink sink = world.Call();
    CHECK_FALSE(sink.error);
    CHECK(sink.body == "{}");
  }
}

TEST_CASE("Who has not answered yet is given ten seconds of trouble", "[kube][client]") {
  PatientWorld world;
  world.Answer(Failure(503, "starting"), 100);
  CHECK(world.Call().error->status->code == 503);
  CHECK(world.PassedSeconds() > 5);
  CHECK(world.PassedSeconds() <= 10);
}

TEST_CASE("A conversion webhook that fails is given ten seconds", "[kube][client]") {
  PatientWorld world;
  world.Reach();
  const std::string cause = "conversion webhook for demo.example.com/v1, Kind=Widget failed: Post";
  world.Answer(Failure(500, cause), 100);
  CHECK(world.Call().error->status->message == cause);
  CHECK(world.PassedSeconds() > 5);
  CHECK(world.PassedSeconds() <= 10);
  CHECK(world.waits.empty());
}

TEST_CASE("A version that a CRD no longer has does not come back by itself", "[kube][client]") {
  PatientWorld world;
  world.Answer(Failure(500, "request to convert CR from an invalid group/version: a/v1"));
  CHECK(world.Call().error->status->code == 500);
  CHECK(world.PassedSeconds() == 0);
}

TEST_CASE("What was handed on is sent for again only if it is forgotten", "[kube][client]") {
  PatientWorld world;
  world.Reach();
  world.Answer(Lost("half"));
  world.Answer({200, "whole", {}, {}, false});
  SECTION("forgotten") {
    ForgettingSink sink;
    world.client().Start({}, sink);
    while (sink.ends == 0) world.client().Poll(base::Clock::TimePoint::max());
    CHECK_FALSE(sink.error);
    CHECK(sink.body == "whole");
  }
  SECTION("kept") {
    const CallSink sink = world.Call();
    CHECK(sink.error->transport->kind == Kind::kConnectionLost);
    CHECK(sink.body == "half");
  }
}

TEST_CASE("A document that was cut short is asked for again", "[kube][client]") {
  PatientWorld world;
  world.Reach();
  SECTION("with a word about it") { world.Answer(Lost("{\"a\":"), 2); }
  SECTION("in silence") { world.Answer({200, "{\"a\":", {}, {}, false}, 2); }
  world.Answer({200, "{\"a\":1}", {}, {}, false});
  const auto document = world.client().Get("/version");
  REQUIRE(document);
  CHECK(json::Print((*document)->root()) == "{\"a\":1}");
}

TEST_CASE("What is no JSON stays so, and the error is that of the last answer", "[kube][client]") {
  PatientWorld world;
  world.Reach();
  world.Answer({200, "nothing", {}, {}, false}, 100);
  const auto document = world.client().Get("/version");
  REQUIRE_FALSE(document);
  CHECK_THAT(document.error().message,
             Catch::StartsWith("the server's answer to GET /version is not JSON: "));
  CHECK(world.PassedSeconds() <= 120);
}

TEST_CASE("The server's own wish to wait counts while it has any, patience goes on from there",
          "[kube][client]") {
  PatientWorld world;
  world.Reach();
  world.Answer(RetryAfter(503, "1"), 12);
  world.Answer(kAnswer);
  CHECK_FALSE(world.Call().error);
  CHECK(world.transport.requests.size() == 13);
}

}  // namespace client_test
}  // namespace kube::client
