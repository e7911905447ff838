#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "migrate/rewrite/sweep.h"
#include "tests/migrate/sweep/sweep_world.h"

namespace migrate::rewrite {
namespace sweep_test {

TEST_CASE("A resource that is gone is a failure", "[migrate][sweep]") {
  World world;
  world.options.chunk_size = 0;
  world.Before(kInShop + "w1000", 1, [&] {
    world.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kResource);
  });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "failed 10");
  CHECK(result.failures.at(0).code == 404);
}

TEST_CASE("One object's failure does not stop the rest", "[migrate][sweep]") {
  World world(20);
  world.AnswerAlways(3, 403, "Forbidden", "admission webhook \"p\" denied the request: no");
  world.AnswerAlways(1, 422, "Invalid", "Widget \"w1001\" is invalid: spec.a: no");
  world.AnswerAlways(5, 500, "", "etcdserver: request is too large");
  world.AnswerAlways(7, 403, "Forbidden",
                     "widgets \"w1007\" is forbidden: User \"alice\" cannot patch resource");
  world.AnswerAlways(9, 400, "BadRequest", "what?");
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) ==
        "rewritten 5, unchanged 10, invalid 1, denied 1, forbidden 1, too-large 1, failed 1");
  REQUIRE(result.failures.size() == 5);
  CHECK(result.failures[0].name == "w1001");
  CHECK(result.failures[0].namespace_ == "shop");
  CHECK(result.failures[0].object_class == report::ObjectClass::kInvalid);
  CHECK(result.failures[0].code == 422);
  CHECK(result.failures[0].reason == "Invalid");
  CHECK(result.failures[0].message == "Widget \"w1001\" is invalid: spec.a: no");
  CHECK(result.failures[4].name == "w1009");
  // Nothing of this passes by waiting.
  CHECK(world.Requests("PATCH") == 20);
}

TEST_CASE("Trouble that passes costs nothing but time", "[migrate][sweep]") {
  World world;
  FakeFault fault;
  fault.times = 5;
  SECTION("a webhook that is down") {
    fault.target = kInShop;
    fault.answer = FakeStatus(500, "InternalError",
                              "Internal error occurred: failed calling webhook \"p\": EOF");
  }
  SECTION("conflicts") {
    fault.target = kInShop + "w1003";
    fault.answer = FakeStatus(409, "Conflict", "the object has been modified");
  }
  SECTION("connections that are reset") {
    fault.target = kInShop;
    fault.lost = true;
  }
  SECTION("answers that break off") {
    fault.target = kInShop;
    fault.lost_after = 20;
  }
  SECTION("answers that end early without a word") {
    fault.target = kInShop;
    fault.answer = FakeText(200, "application/json", R"({"kind":"PartialObjectMetadata","api)");
  }
  SECTION("503 without a word") {
    fault.target = kInShop;
    fault.answer = FakeText(503, "text/plain", "");
  }
  SECTION("a list that is refused") {
    fault.target = "?limit=";
    fault.answer = FakeText(503, "text/plain", "");
  }
  SECTION("a list that breaks off") {
    fault.target = "?limit=";
    fault.lost_after = 400;
  }
  SECTION("a list that ends early without a word") {
    fault.target = "?limit=";
    fault.answer =
        FakeText(200, "application/json", R"({"kind":"PartialObjectMetadataList","items":[)");
  }
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 5, unchanged 5");
  CHECK_FALSE(result.list_error);
  CHECK(world.cluster.server.requests().size() == 18);
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(1));
}

TEST_CASE("A write that was done although its answer was lost counts as done", "[migrate][sweep]") {
  World world;
  world.cluster.server.AddFault({.target = kInShop + "w1001", .lost_after = 0});
  CHECK(Text(world.Run().counts) == "rewritten 5, unchanged 5");
}

TEST_CASE("Trouble that stays ends after ten tries", "[migrate][sweep]") {
  World world;
  world.AnswerAlways(3, 500, "InternalError",
                     "Internal error occurred: failed calling webhook \"p\": EOF");
  world.AnswerAlways(5, 409, "Conflict", "the object has been modified");
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 3, unchanged 5, webhook-unavailable 1, conflict 1");
  CHECK(world.Requests("PATCH " + kInShop + "w1003") == 10);
  CHECK(world.Requests("PATCH " + kInShop + "w1005") == 10);
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(3));
}

TEST_CASE("A server that wants to be left alone is", "[migrate][sweep]") {
  World world(40);
  world.cluster.server.AddFault(
      {.target = kInShop,
       .first = 10,
       .times = 4,
       .answer = FakeText(429, "text/plain", "Too many requests, please try again later.\n"),
       .headers = {{"Retry-After", "7"}}});
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 20, unchanged 20");
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(7));
  CHECK(world.cluster.clock.passed() < std::chrono::seconds(30));
}

TEST_CASE("A server that has too much to do gets half as much at once, and all of it soon again",
          "[migrate][sweep]") {
  constexpr std::chrono::milliseconds kLatency{100};
  World world(1200);
  world.options.chunk_size = 0;
  world.options.pace.concurrency = 16;
  std::vector<kube::base::Clock::Duration> begun;
  FakeFault usual = World::Always(kInShop);
  usual.latency = kLatency;
  usual.before = [&] { begun.push_back(world.cluster.clock.passed()); };
  FakeFault throttle = usual;
  throttle.first = 500;
  throttle.times = 1;
  SECTION("429") { throttle.answer = FakeStatus(429, "TooManyRequests", "too many requests"); }
  SECTION("words of etcd") {
    throttle.answer = FakeStatus(500, "InternalError", "etcdserver: too many requests");
  }
  SECTION("with a code that nobody expects") {
    throttle.answer = FakeStatus(400, "BadRequest", "etcdserver: throttle: too many requests");
  }
  world.cluster.server.AddFault(usual);
  world.cluster.server.AddFault(throttle);
  CHECK(Text(world.Run().counts) == "rewritten 600, unchanged 600");

  const auto throttled = begun.at(499);
  // How many began within a round trip that ends or begins so long after.
  const auto in_round_trip = [&](std::chrono::milliseconds after) {
    return std::ranges::count_if(begun, [&](const auto& when) {
      return when >= throttled + after && when < throttled + after + kLatency;
    });
  };
  CHECK(in_round_trip(-2 * kLatency) == 16);
  // In the first one what was answered before is followed; in the second it grows by one.
  CHECK(in_round_trip(2 * kLatency) <= 9);
  CHECK(in_round_trip(std::chrono::seconds(1)) >= 15);
}

TEST_CASE("HTML is no success", "[migrate][sweep]") {
  World world;
  FakeFault fault = World::Always(kInShop + "w1001");
  fault.answer = FakeText(200, "text/html", "<html><body>Sign in</body></html>");
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 4, unchanged 5, failed 1");
  CHECK(result.failures.at(0).code == 0);
  CHECK(result.failures.at(0).message.find("login page") != std::string::npos);
}

TEST_CASE("A list that cannot be read to its end says so, after what was read is written",
          "[migrate][sweep]") {
  World world;
  FakeFault fault = World::Always("continue=");
  SECTION("HTML") { fault.answer = FakeText(200, "text/html", "<html></html>"); }
  SECTION("refused") { fault.answer = FakeStatus(403, "Forbidden", "no"); }
  SECTION("an item that is no object") {
    fault.answer = FakeText(200, "application/json", R"({"kind":"XList","items":[{"a":1}]})");
  }
  SECTION("a token that leads nowhere") {
    world.cluster.server.AddFault(fault);
    fault.answer.reset();
    fault.target = "?limit=4";
    fault.answer = FakeText(200, "application/json",
                            R"({"kind":"XList","metadata":{"continue":"same"},"items":[]})");
    world.cluster.server.AddFault(fault);
    const SweepResult result = world.Run();
    CHECK(Text(result.counts).empty());
    CHECK(result.list_error);
    return;
  }
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 2, unchanged 2");
  REQUIRE(result.list_error);
  CHECK_FALSE(result.stopped);
}

TEST_CASE("An expired list goes on, and no object comes twice", "[migrate][sweep]") {
  World world;
  world.Before("continue=", 2, [&] {
    world.Add(50, true);       // behind: it comes
    world.cluster.server.Add(  // before: it is missed, as it is new and needs nothing
        test_support::FakeObjectText("widgets", "a", "{}"));
    world.cluster.server.Compact();
  });
  const SweepResult result = world.Run();
  CHECK(Text(result.counts) == "rewritten 6, unchanged 5");
  CHECK(world.Requests("PATCH") == 11);
}

TEST_CASE("A list that has to begin anew brings no object twice", "[migrate][sweep]") {
  World world;
  world.cluster.server.AddFault({.target = "continue=",
                                 .first = 2,
                                 .before = [&] { world.Add(50, true); },
                                 .answer = FakeStatus(410, "Expired", "too old")});
  CHECK(Text(world.Run().counts) == "rewritten 6, unchanged 5");
  CHECK(world.Requests("PATCH") == 11);
}

TEST_CASE("Where nearly everything fails in the same way it stops", "[migrate][sweep]") {
  World world(300);
  world.options.chunk_size = 0;
  FakeFault fault = World::Always(kInShop);
  fault.first = 21;
  fault.answer = FakeStatus(403, "Forbidden", "admission webhook \"p\" denied the request: no");
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  REQUIRE(result.stopped);
  CHECK(result.stopped->starts_with("40 of the last 50 objects failed in the same way (denied)"));
  CHECK_FALSE(result.is_interrupted);
  CHECK(result.counts[report::ObjectClass::kDenied] >= 40);
  CHECK(result.counts[report::ObjectClass::kDenied] < 40 + 16);
  CHECK(result.counts[report::ObjectClass::kNotTried] ==
        280 - result.counts[report::ObjectClass::kDenied]);
  CHECK(result.counts.Total() == 300);
  CHECK(result.is_given_up);
  CHECK(result.failures.size() == 280);
}

/// How many of the failures are of the class.
std::size_t Named(const SweepResult& result, report::ObjectClass object_class) {
  return static_cast<std::size_t>(
      std::ranges::count(result.failures, object_class, &report::ObjectFailure::object_class));
}

TEST_CASE("What was not tried as all failed is listed to its end, and named", "[migrate][sweep]") {
  World world(300);
  std::vector<ObjectName> names;
  for (int i = 0; i < 300; ++i) names.push_back({"shop", World::Name(i)});
  FakeFault fault;
  fault.target = kInShop;
  fault.times = 0;
  fault.answer = FakeStatus(422, "Invalid", "is invalid");
  SECTION("of a list that is far from its end by then") {
    FakeFault slow = World::Always("?limit=");
    slow.latency = std::chrono::seconds(1);
    world.cluster.server.AddFault(slow);
    world.cluster.server.AddFault(fault);
    const SweepResult result = world.Run();
    CHECK(result.is_given_up);
    CHECK(result.counts.Total() == 300);
    CHECK(Named(result, report::ObjectClass::kInvalid) ==
          result.counts[report::ObjectClass::kInvalid]);
    CHECK(Named(result, report::ObjectClass::kNotTried) ==
          300 - result.counts[report::ObjectClass::kInvalid]);
    CHECK(result.failures.back().name == "w1299");
    CHECK(result.failures.back().namespace_ == "shop");
    CHECK(result.counts[report::ObjectClass::kInvalid] < 60);
  }
  SECTION("of names, without reading any more of them") {
    world.options.pace.concurrency = 16;
    world.cluster.server.AddFault(fault);
    const SweepResult result = world.RunNamed(names);
    CHECK(result.is_given_up);
    CHECK(result.counts.Total() == 300);
    CHECK(result.failures.size() == 300);
    CHECK(Named(result, report::ObjectClass::kNotTried) > 200);
    CHECK(world.Requests("GET") < 200);
  }
}

TEST_CASE("A signal ends the listing of what was not tried", "[migrate][sweep]") {
  World world(300);
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  FakeFault fault = World::Always(kInShop);
  fault.answer = FakeStatus(422, "Invalid", "is invalid");
  world.cluster.server.AddFault(fault);
  FakeFault slow = World::Always("?limit=");
  slow.latency = std::chrono::seconds(1);
  world.cluster.server.AddFault(slow);
  world.Before("?limit=", 40, [&] { stop = true; });
  const SweepResult result = world.Run();
  CHECK(result.is_given_up);
  CHECK(result.is_interrupted);
  CHECK(world.Requests("GET") == 40);
}

TEST_CASE("What was done until a sweep breaks is counted", "[migrate][sweep]") {
  World world(40);
  world.options.chunk_size = 0;
  world.Before(kInShop, 21, [] { throw kube::base::Error("no space left on device"); });
  const SweepResult result = world.Run();
  CHECK(result.is_broken);
  CHECK(result.stopped == "no space left on device");
  CHECK(result.counts.Total() == 40);
  CHECK(result.counts[report::ObjectClass::kRewritten] > 0);
  CHECK(result.counts[report::ObjectClass::kNotTried] >= 20);
  CHECK(Text(world.Run().counts) == "rewritten 20, unchanged 20");
}

TEST_CASE("A webhook that is down for all objects is found out in minutes", "[migrate][sweep]") {
  World world(300);
  FakeFault fault = World::Always(kInShop);
  fault.answer = FakeStatus(500, "InternalError",
                            "Internal error occurred: failed calling webhook \"p\": EOF");
  world.cluster.server.AddFault(fault);
  const SweepResult result = world.Run();
  CHECK(result.stopped);
  CHECK(result.counts[report::ObjectClass::kWebhookUnavailable] >= 40);
  CHECK(world.cluster.clock.passed() < std::chrono::minutes(4));
}

// --retry-from, perhaps on another machine, goes by what the report names as held.
TEST_CASE("What is held is named as that by a sweep that gives up too", "[migrate][sweep]") {
  World world(200);
  for (int i = 0; i < 200; ++i) world.AnswerAlways(i, 422, "Invalid", "is invalid");
  world.options.is_held = [](const cluster::ListedObject& object) {
    return object.name == "w1199";
  };
  const SweepResult result = world.Run();
  CHECK(result.is_given_up);
  CHECK(result.counts[report::ObjectClass::kHeld] == 1);
  CHECK(result.counts[report::ObjectClass::kNotTried] > 0);
  CHECK(result.counts.Total() == 200);
  CHECK(result.failures.back().name == "w1199");
  CHECK(result.failures.back().object_class == report::ObjectClass::kHeld);
}

}  // namespace sweep_test
}  // namespace migrate::rewrite
