#include "migrate/populate/population_control.h"
#include "tests/migrate/population/control/control_world.h"

namespace migrate::populate {
namespace control_test {

using Catch::Matchers::Contains;

// Since the first of them, in seconds.
using Times = std::vector<long>;

/// Whatever is sent to `target` fails, `times` times (0: always); `met` gets when that was.
FakeFault Refusal(const std::string& target, int times, ControlWorld& world, Times& met) {
  return {.target = target,
          .times = times,
          .before =
              [&world, &met] {
                met.push_back(
                    std::chrono::floor<std::chrono::seconds>(world.cluster.clock.passed()).count());
              },
          .answer = FakeStatus(403, "Forbidden", "not you")};
}

TEST_CASE("What has failed is tried again, after twice as long each time",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  Times met;
  world.cluster.server.AddFault(Refusal("namespaces/a/widgets/w", 5, world, met));
  world.Begin();
  world.Run(20s);
  CHECK(met == Times{0, 1, 3, 7, 15});
  CHECK(world.Stored("a/w") == "-");
  // The rest is done meanwhile.
  CHECK(world.Stored("a/v") == "x");
  CHECK(world.Stored("b/w") == "x");
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_namespaces_unfinished 1\n"));
  CHECK_THAT(world.Status("every"), Contains(R"("message":"not you")"));
  world.Run(20s);
  CHECK(world.Stored("a/w") == "x");
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_namespaces_unfinished 0\n"));
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":1})");
  // A namespace that has it all is not sent again for the other one.
  CHECK(std::ranges::count(world.Requests(), ApplyOf("b", "w")) == 1);
  world.ForgetRequests();
  world.Run(1h, 1s);
  CHECK(world.Requests().empty());
}

TEST_CASE("What fails again and again is told once", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  Times met;
  world.cluster.server.AddFault(Refusal("namespaces/a/widgets/w", 0, world, met));
  world.Begin();
  world.Run(30s);
  CHECK(met.size() == 5);
  CHECK(world.Events() ==
        Names{R"(a Failed: Kindwidgets.demo.example.com "w" of the template every: not you)",
              R"(b Populated: applied Kindwidgets.demo.example.com "w" of the template every)"});
  CHECK(world.lines.empty());
}

TEST_CASE("A kind that the cluster gets later is found", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("g", "x", "gears")});
  world.Settle();
  CHECK(world.Stored("a/w") == "x");
  world.cluster.server.Add(test_support::FakeCrdText("gears"));
  world.Run(20s);
  CHECK(world.cluster.server.Stored("gears.demo.example.com", "a/g") != nullptr);
  CHECK(world.cluster.server.Stored("gears.demo.example.com", "b/g") != nullptr);
}

TEST_CASE("A template that cannot be used is told, and what was made of it stays",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.Send("PATCH", kTemplatePath + "every", "application/merge-patch+json",
             R"({"metadata":{"annotations":{"applyset.kubernetes.io/tooling":"kubectl/v1.36"}}})");
  world.Run(3s);
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0],
             Contains("the template every is left alone, and what was made of it: ") &&
                 Contains("kubectl"));
  world.PutTemplate("every", {Widget("v")});
  world.AddNamespace("c");
  world.Run(3s);
  for (const char* key : {"a/v", "b/v", "c/w", "c/v"}) CHECK(world.Stored(key) == "-");
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Annotation("every", "tooling") == "kubectl/v1.36");
  // Handlers do not go by it.
  CHECK(world.known.current()->templates->empty());
}

TEST_CASE("A template that is invalid as a whole is told by an Event, a condition and a metric",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  const auto select = [&world](const std::string& selector) {
    world.Send("PATCH", kTemplatePath + "every", "application/merge-patch+json",
               R"({"spec":{"namespaces":{"labelSelector":)" + selector + R"(},"templates":[)" +
                   Widget("v") + "]}}");
  };
  select(R"({"matchLabel":{"team":"x"}})");
  world.Run(4s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("a/v") == "-");
  const std::string why =
      "spec.namespaces.labelSelector.matchLabel: Forbidden: no selector has such a field";
  CHECK(world.Events() ==
        Names{"default Invalid: it is left alone, and what was made of it: " + why});
  CHECK(world.Status("every") ==
        R"({"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":")" + why +
            R"(","observedGeneration":2,"reason":"Invalid","status":"True","type":"Refused"}],)"
            R"("failures":[],"namespaces":2,"observedGeneration":1})");
  CHECK_THAT(world.counts.PrintMetrics(), Contains("\npopulate_templates_refused 1\n"));
  // Once.
  world.ForgetRequests();
  world.Run(20s);
  CHECK(world.Requests().empty());

  select(R"({"matchLabel":null})");
  world.Run(4s);
  CHECK(world.Stored("a/w") == "-");
  CHECK(world.Stored("a/v") == "x");
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":3})");
  CHECK_THAT(world.counts.PrintMetrics(), Contains("\npopulate_templates_refused 0\n"));
}

TEST_CASE("A template whose status a server does not take any more is told by its Event alone",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")}, "", R"({"matchLabel":{}})");
  world.cluster.server.AddFault(
      {.target = "/status",
       .times = 0,
       .method = "PATCH",
       .answer = FakeStatus(422, "Invalid", "spec.namespaces: Required value")});
  world.Begin();
  world.Run(20s);
  CHECK(world.Requests() == Names{EventIn("default"), PatchOfTemplate("every", "/status")});
  CHECK(world.lines.size() == 1);
}

TEST_CASE("Without a webhook that guards it a template with $(CREATOR) changes nothing",
          "[migrate][population]") {
  ControlWorld world;
  world.AddNamespace("a", R"(,"annotations":{"authorization.k8s.io/creator":"jo"})");
  world.PutTemplate("own", {Widget("of-$(CREATOR)")}, "", R"({"matchExpressions":[
      {"key":"kubernetes.io/metadata.name","operator":"In","values":["a"]}]})");
  SECTION("as long as there is none") {
    world.Begin();
    world.Run(3s);
    CHECK(world.Stored("a/of-jo") == "-");
    CHECK_THAT(world.Events().at(0), Contains("default CreatorNotGuarded: "));
    CHECK_THAT(world.Status("own"), Contains(R"("reason":"CreatorNotGuarded")"));
    CHECK_THAT(world.counts.PrintMetrics(), Contains("\npopulate_templates_refused 1\n"));
    world.PutGuard();
    world.Run(5s);
    CHECK(world.Stored("a/of-jo") == "x");
    CHECK_THAT(world.Status("own"), !Contains("CreatorNotGuarded"));
    CHECK_THAT(world.counts.PrintMetrics(), Contains("\npopulate_templates_refused 0\n"));
  }
  SECTION("nor deletes it, once there is none any more") {
    world.PutGuard();
    world.Settle();
    REQUIRE(world.Stored("a/of-jo") == "x");
    CHECK(world.lines.empty());
    world.RemoveGuard();
    world.PutTemplate("own", {Widget("other-$(CREATOR)")});
    world.Run(5s);
    CHECK(world.Stored("a/of-jo") == "x");
    CHECK(world.Stored("a/other-jo") == "-");
    REQUIRE(world.lines.size() == 1);
    CHECK_THAT(world.lines[0], Contains("the template own is left alone"));
  }
  SECTION("unless it is trusted") {
    world.options.trusts_creator = true;
    world.Begin();
    world.Run(3s);
    CHECK(world.Stored("a/of-jo") == "x");
    CHECK(world.lines.empty());
  }
}

TEST_CASE("A template that is disabled is told, and what was made of it stays",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  const auto set_label = [&world](const std::string& value) {
    world.Send("PATCH", kTemplatePath + "every", "application/merge-patch+json",
               R"({"metadata":{"labels":{"policy/namespace-template-apply":)" + value + "}}}");
  };
  set_label(R"("disable")");
  world.Run(3s);
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0], Contains("=disable, so what was made of it stays as it is"));
  world.PutTemplate("every", {Widget("v")});
  world.Run(3s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("a/v") == "-");
  set_label("null");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "-");
  CHECK(world.Stored("a/v") == "x");
}

TEST_CASE("As long as kinds cannot be read nothing is pruned, and nothing forgotten",
          "[migrate][population]") {
  ControlWorld world;
  SECTION("by who has just begun") {
    world.leads = false;
    world.Begin();
  }
  SECTION("by who leads again") {
    world.PutTemplate("every", {Widget("w")});
    world.Settle();
    world.leads = false;
    world.Run(1s);
  }
  // As another one has left it.
  world.PutTemplate("every", {Widget("w"), Widget("g", "x", "gadgets")});
  world.World::Run();
  world.PutTemplate("every", {Widget("w", "y")});
  world.Run(1s);
  Times met;
  FakeFault fault = Refusal("/apis", 4, world, met);
  fault.is_whole = true;
  world.cluster.server.AddFault(fault);
  world.leads = true;
  world.ForgetRequests();
  world.Run(7s + 500ms);
  CHECK(met.size() == 4);
  CHECK(world.Requests().empty());
  CHECK(world.Annotation("every", "contains-group-kinds") ==
        "Kindgadgets.demo.example.com,Kindwidgets.demo.example.com");
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0],
             Contains("nothing is populated, as the kinds of the cluster cannot be read: ") &&
                 Contains("not you"));
  world.Run(15s);
  CHECK(world.Stored("a/w") == "y");
  CHECK(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") == nullptr);
  CHECK(world.Annotation("every", "contains-group-kinds") == "Kindwidgets.demo.example.com");
  CHECK(world.lines.size() == 1);
}

TEST_CASE("A template says nothing anew before every namespace was looked at",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  Times met;
  FakeFault fault = Refusal("/apis", 5, world, met);
  fault.is_whole = true;
  world.cluster.server.AddFault(fault);
  world.Begin();
  world.Run(2s);
  world.PutTemplate("more", {Widget("v")});
  world.Run(2s + 500ms);
  CHECK(world.Status("every") == "-");
  CHECK(world.Status("more") == "-");
  world.Run(10s);
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":1})");
}

TEST_CASE("Kinds whose objects cannot be listed stay in the ApplySet", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("g", "x", "gadgets")});
  world.World::Run();
  world.PutTemplate("every", {Widget("w")});
  Times met;
  world.cluster.server.AddFault(Refusal("/gadgets?", 0, world, met));
  world.Begin();
  world.Run(5s);
  CHECK(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") != nullptr);
  CHECK(world.Annotation("every", "contains-group-kinds") ==
        "Kindgadgets.demo.example.com,Kindwidgets.demo.example.com");
  REQUIRE_FALSE(world.lines.empty());
  CHECK_THAT(world.lines[0], Contains("Kindgadgets.demo.example.com cannot be listed"));
}

TEST_CASE("A round that was stopped is begun anew, also by who leads again at once",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.cluster.server.AddFault(
      {.target = "namespaces/a/widgets/v", .before = [&world] { world.halt = true; }});
  world.PutTemplate("every", {Widget("v"), Widget("w")});
  world.Run(500ms);
  // Another replica has led in between.
  world.PutTemplate("every", {Widget("w"), Widget("u")});
  world.World::Run();
  world.PutTemplate("every", {Widget("w")});
  world.Run(500ms);
  world.halt = false;
  world.Run(5s);
  CHECK(world.Stored("a/w") == "x");
  for (const char* key : {"a/v", "b/v", "a/u", "b/u"}) CHECK(world.Stored(key) == "-");
}

TEST_CASE("Events that cannot be made are told once", "[migrate][population]") {
  ControlWorld world;
  world.cluster.server.Deny("create", "events");
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0], Contains("cannot create Events: ") && Contains("forbidden"));
  // A round without Events, and one with some.
  world.Label("a", "team", "x");
  world.Run(3s);
  world.AddNamespace("c");
  world.Run(3s);
  CHECK(world.Stored("c/w") == "x");
  CHECK(world.lines.size() == 1);
}

TEST_CASE("A label that cannot be set is told once", "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.cluster.server.Deny("patch", "namespaces");
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0], Contains("cannot note that namespaces were populated: "));
  world.AddNamespace("c");
  world.Run(3s);
  CHECK(world.lines.size() == 1);
}

TEST_CASE("A label that could not be set is set by another try", "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.PutTemplate("every", {Widget("w")});
  Times met;
  world.cluster.server.AddFault(Refusal("/api/v1/namespaces/a?", 1, world, met));
  world.Begin();
  world.Run(6s);
  CHECK(met.size() == 1);
  CHECK(world.LabelOf("a", "policy/namespace-template-populated") == "true");
}

TEST_CASE("A template says what it has though some namespace is due all the time",
          "[migrate][population]") {
  ControlWorld world;
  world.control_options.resync = 1s;
  world.PutTemplate("every", {Widget("w")});
  world.Begin();
  world.Run(8s);
  CHECK_THAT(world.Status("every"), Contains(R"("namespaces":2)"));
}

TEST_CASE("What changes during a round is left to the next one", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.Settle();
  FakeFault fault;
  fault.target = "namespaces/b/widgets/w?";
  SECTION("a namespace opts out before something is deleted there") {
    fault.before = [&world] { world.Label("b", "policy/namespace-template-opt-out", "true"); };
    fault.latency = 300ms;
    world.cluster.server.AddFault(fault);
    world.PutTemplate("every", {Widget("w")});
    world.Run(5s);
    CHECK(world.Stored("a/v") == "-");
    CHECK(world.Stored("b/v") == "x");
  }
  SECTION("a template is disabled before something is deleted") {
    fault.before = [&world] {
      world.Send("PATCH", kTemplatePath + "every", "application/merge-patch+json",
                 R"({"metadata":{"labels":{"policy/namespace-template-apply":"disable"}}})");
    };
    fault.latency = 300ms;
    world.cluster.server.AddFault(fault);
    world.PutTemplate("every", {Widget("w")});
    world.Run(5s);
    CHECK(world.Stored("b/v") == "x");
  }
}

TEST_CASE("While changes are not seen nothing is written", "[migrate][population]") {
  ControlWorld world;
  world.control_options.resync = 1s;
  world.PutTemplate("every", {Widget("w")});
  FakeFault expired;
  expired.target = "/namespaces?watch=1";
  expired.answer.emplace().body = test_support::FakeExpiredEvent(1, 9);
  world.cluster.server.AddFault(expired);
  Times met;
  FakeFault refusal = Refusal("/api/v1/namespaces?limit=", 3, world, met);
  refusal.first = 2;
  world.cluster.server.AddFault(refusal);
  world.Begin();
  world.Run(3s);
  REQUIRE_THAT(world.counts.PrintMetrics(), Contains("populate_blind 1\n"));
  world.ForgetRequests();
  world.Run(4s);
  // But for what templates say of what was done before.
  Names written = world.Requests();
  std::erase_if(written, [](const auto& line) { return line.find(kTemplatePath) != line.npos; });
  CHECK(written == Names{});
}

TEST_CASE("What a template had that is gone is found by whoever leads next",
          "[migrate][population]") {
  ControlWorld world;
  world.leads = false;
  world.PutTemplate("every", {Widget("g", "x", "gadgets")});
  world.World::Run();  // by another replica
  REQUIRE(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") != nullptr);
  world.Begin();
  world.Run(1s);
  world.DeleteTemplate("every");
  world.Run(1s);
  world.leads = true;
  world.Run(3s);
  CHECK(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") == nullptr);
}

TEST_CASE("What has no answer ends the round of its namespace, and comes last in the next one",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.cluster.server.AddFault({.target = "namespaces/a/widgets/w?", .latency = 1h});
  world.Begin();
  world.Run(4s);
  CHECK(world.Stored("b/v") == "x");
  CHECK(world.Stored("a/v") == "-");
  world.Run(6s);
  CHECK(world.Stored("a/w") == "x");
  Names in_a = world.Requests("PATCH");
  std::erase_if(in_a, [](const auto& line) { return line.find("/a/widgets/") == line.npos; });
  CHECK(in_a == Names{ApplyOf("a", "w"), ApplyOf("a", "v"), ApplyOf("a", "w")});
}

TEST_CASE("A round begins with no more namespaces after some seconds, and new ones come first",
          "[migrate][population]") {
  ControlWorld world;
  world.options.pace.concurrency = 1;
  world.PutTemplate("every", {Widget("w")});
  for (const char* name : {"c", "d", "e", "f"}) world.AddNamespace(name);
  FakeFault slow;
  slow.target = "/widgets/w?";
  slow.times = 0;
  slow.latency = 2s;
  bool is_first = true;
  slow.before = [&world, &is_first] {
    if (std::exchange(is_first, false)) world.AddNamespace("z");
  };
  world.cluster.server.AddFault(slow);
  world.Begin();
  world.Run(30s);
  const Names all = world.Requests("PATCH");
  const auto place = [&all](const std::string& line) { return std::ranges::find(all, line); };
  REQUIRE(place(ApplyOf("z", "w")) != all.end());
  REQUIRE(place(ApplyOf("f", "w")) != all.end());
  CHECK(place(ApplyOf("z", "w")) < place(ApplyOf("f", "w")));
}

TEST_CASE("What went well is told once nothing is due any more, or after half a minute",
          "[migrate][population]") {
  ControlWorld world;
  world.options.pace.concurrency = 1;
  world.PutTemplate("every", {Widget("w")});
  for (int i = 0; i < 20; ++i) world.AddNamespace("c" + std::to_string(i));
  FakeFault slow;
  slow.target = "/widgets/w?";
  slow.times = 0;
  const auto is_event = [](const std::string& request) { return request.starts_with("POST "); };
  SECTION("nothing is due") {
    slow.latency = 1s;
    world.cluster.server.AddFault(slow);
    world.Begin();
    world.Run(1min);
    Names requests = world.Requests();
    std::erase_if(requests,
                  [](const auto& request) { return request.find("template") != request.npos; });
    REQUIRE(requests.size() == 44);
    CHECK(std::ranges::find_if(requests, is_event) == requests.begin() + 22);
  }
  SECTION("half a minute") {
    slow.latency = 4s;
    world.cluster.server.AddFault(slow);
    world.Begin();
    const auto began = world.cluster.clock.Now();
    while (world.Events().empty()) world.Run(100ms);
    CHECK(world.cluster.clock.Now() >= began + 30s);
    CHECK(world.cluster.clock.Now() < began + 55s);  // rounds take twelve seconds
    CHECK(world.Stored("c9/w") == "-");
  }
}

TEST_CASE("What went well is not told by who does not lead any more, nor later",
          "[migrate][population]") {
  ControlWorld world;
  world.options.pace.concurrency = 1;
  world.PutTemplate("every", {Widget("w")});
  for (int i = 0; i < 20; ++i) world.AddNamespace("c" + std::to_string(i));
  world.cluster.server.AddFault({.target = "/widgets/w?", .times = 0, .latency = 1s});
  world.Begin();
  world.Run(8s);
  REQUIRE(world.Stored("a/w") == "x");
  REQUIRE(world.Stored("c9/w") == "-");
  REQUIRE(world.Events().empty());
  world.leads = false;
  world.Run(1min);
  CHECK(world.Events().empty());
  world.leads = true;
  world.Run(1min);
  // Of what had not been applied before.
  Names events = world.Events();
  CHECK(std::ranges::any_of(events, [](const auto& event) { return event.starts_with("c9 "); }));
  CHECK(std::ranges::none_of(events, [](const auto& event) { return event.starts_with("a "); }));
}

TEST_CASE("A namespace that goes while it is looked at is no problem", "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.AddNamespace("c");
  FakeFault fault;
  fault.target = "namespaces/c/widgets/w";
  SECTION("for ever") {
    fault.before = [&world] { world.cluster.server.Delete("namespaces", "c"); };
    world.cluster.server.AddFault(fault);
    world.Run(5s);
    CHECK(world.Annotation("every", "additional-namespaces") == "a,b");
  }
  SECTION("and another one comes") {
    fault.before = [&world] {
      world.cluster.server.Delete("namespaces", "c");
      world.AddNamespace("c");
    };
    world.cluster.server.AddFault(fault);
    world.Run(5s);
    CHECK(world.LabelOf("c", "policy/namespace-template-populated") == "true");
    CHECK(std::ranges::count(world.Requests(), ApplyOf("c", "w")) == 2);
  }
  CHECK(world.lines.empty());
}

TEST_CASE("While changes are not seen handlers know that, and so does who asks for metrics",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  FakeFault expired;
  expired.target = "/namespaces?watch=1";
  expired.answer.emplace().body = test_support::FakeExpiredEvent(1, 9);
  world.cluster.server.AddFault(expired);
  Times met;
  FakeFault refusal = Refusal("/api/v1/namespaces?limit=", 3, world, met);
  refusal.first = 2;
  world.cluster.server.AddFault(refusal);
  world.Begin();
  world.AddNamespace("c");
  world.Run(8s);
  CHECK(met.size() == 2);
  CHECK(world.known.current()->stale_since);
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_blind 1\n"));
  world.Run(15s);
  CHECK_FALSE(world.known.current()->stale_since);
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_blind 0\n"));
  CHECK(world.Stored("c/w") == "x");
}

}  // namespace control_test
}  // namespace migrate::populate
