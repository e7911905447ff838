#include "migrate/populate/population_control.h"

#include "tests/migrate/population/control/control_world.h"

namespace migrate::populate {
namespace control_test {

using Catch::Matchers::Contains;

TEST_CASE("What there is at the beginning is populated", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Begin();
  world.Run(3s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("b/w") == "x");
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":1})");
  CHECK(world.Annotation("every", "contains-group-kinds") == "Kindwidgets.demo.example.com");
  CHECK(world.Annotation("every", "additional-namespaces") == "a,b");
  CHECK(world.Requests() == Names{PatchOfTemplate("every"), ApplyOf("a", "w"), ApplyOf("b", "w"),
                                  EventIn("a"), EventIn("b"), PatchOfTemplate("every", "/status")});
  CHECK(world.lines.empty());
}

TEST_CASE("A new namespace gets what templates have, and nothing is listed for it",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.AddNamespace("new");
  world.Run(3s);
  CHECK(world.Stored("new/w") == "x");
  CHECK(world.Requests() == Names{PatchOfTemplate("every"), ApplyOf("new", "w"), EventIn("new"),
                                  PatchOfTemplate("every", "/status")});
  CHECK(world.Reads().empty());
  CHECK(world.Events() ==
        Names{R"(new Populated: applied Kindwidgets.demo.example.com "w" of the template every)"});
}

TEST_CASE("A template that changes is applied wherever it selects", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.Settle();
  world.PutTemplate("every", {Widget("w", "y")});
  world.Run(3s);
  CHECK(world.Stored("a/w") == "y");
  CHECK(world.Stored("b/w") == "y");
  CHECK(world.Stored("a/v") == "-");
  CHECK(world.Stored("b/v") == "-");
  CHECK(world.Deletions().size() == 2);
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":2})");
  // Before the first deletion of a template it is read once more.
  CHECK(world.Reads() == Names{"GET " + kTemplatePath + "every"});
}

TEST_CASE("A template that is new is applied to the namespaces that it selects alone",
          "[migrate][population]") {
  ControlWorld world;
  world.Label("a", "team", "x");
  world.Settle();
  world.PutTemplate("some", {Widget("w")}, "", R"({"matchLabels":{"team":"x"}})");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("b/w") == "-");
  CHECK(world.Status("some") == R"({"failures":[],"namespaces":1,"observedGeneration":1})");
}

TEST_CASE("A namespace is looked at when its labels change", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("some", {Widget("w")}, "", R"({"matchLabels":{"team":"x"}})");
  world.Settle();
  CHECK(world.Stored("a/w") == "-");
  world.Label("a", "team", "x");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("b/w") == "-");
  world.Label("a", "team", "");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "-");
  CHECK(world.Annotation("some", "contains-group-kinds") == "");
  CHECK(world.Status("some") == R"({"failures":[],"namespaces":0,"observedGeneration":1})");
}

TEST_CASE("A namespace that changes in what no template looks at is left alone",
          "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.Send("PATCH", "/api/v1/namespaces/a", "application/merge-patch+json",
             R"({"metadata":{"annotations":{"of":"jo"}}})");
  world.Run(10s);
  CHECK(world.Requests().empty());
  CHECK(world.Reads().empty());
}

TEST_CASE("What was made of a template goes with it", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("g", "x", "gadgets")});
  world.Settle();
  world.DeleteTemplate("every");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "-");
  CHECK(world.Stored("b/w") == "-");
  CHECK(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") == nullptr);
  CHECK(world.Deletions().size() == 4);
  CHECK(world.Events().size() == 2);
  CHECK_THAT(world.Events().at(0), Contains("a Populated: deleted Kindgadgets.demo.example.com "
                                            R"("g" of the template every, Kindwidgets.)"));
}

TEST_CASE("In a namespace that opts out all stays as it is", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.Label("a", "policy/namespace-template-opt-out", "true");
  world.Run(3s);
  world.PutTemplate("every", {Widget("v")});
  world.Run(3s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("a/v") == "-");
  CHECK(world.Stored("b/w") == "-");
  CHECK(world.Stored("b/v") == "x");
  // What is there may still be a member.
  CHECK(world.Annotation("every", "additional-namespaces") == "a,b");
  world.Label("a", "policy/namespace-template-opt-out", "");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "-");
  CHECK(world.Stored("a/v") == "x");
}

TEST_CASE("A namespace that is deleted is forgotten", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  SECTION("as soon as it takes nothing more") {
    world.Send("PATCH", "/api/v1/namespaces/a", "application/merge-patch+json",
               R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  }
  SECTION("once it is gone") { world.cluster.server.Delete("namespaces", "a"); }
  world.Run(3s);
  CHECK(world.Requests() == Names{PatchOfTemplate("every"), PatchOfTemplate("every", "/status")});
  CHECK(world.Annotation("every", "additional-namespaces") == "b");
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":1,"observedGeneration":1})");
  world.ForgetRequests();
  world.PutTemplate("every", {Widget("v")});
  world.Run(3s);
  CHECK(world.Stored("a/v") == "-");
  CHECK(world.Stored("b/v") == "x");
}

TEST_CASE("A namespace that is made anew under its name is a new one", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.cluster.server.Delete(kWidgets, "a/w");
  world.cluster.server.Delete("namespaces", "a");
  world.AddNamespace("a");
  world.Run(3s);
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Events().size() == 1);
}

TEST_CASE("A namespace that has all of it is marked, and not looked at for that",
          "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.PutTemplate("every", {Widget("w")});
  world.AddNamespace("out", R"(,"labels":{"policy/namespace-template-opt-out":"true"})");
  world.AddNamespace("failing");
  world.cluster.server.AddFault({.target = "namespaces/failing/widgets/w",
                                 .times = 0,
                                 .answer = FakeStatus(422, "Invalid", "no")});
  world.Begin();
  world.Run(100ms);
  // Whoever waits for the label does not wait for Events, of which those of what failed come first.
  const Names requests = world.Requests();
  CHECK(requests == Names{PatchOfTemplate("every"), ApplyOf("a", "w"), ApplyOf("b", "w"),
                          ApplyOf("failing", "w"), LabelPatchOf("a"), LabelPatchOf("b"),
                          EventIn("failing"), EventIn("a"), EventIn("b")});
  constexpr char kLabel[] = "policy/namespace-template-populated";
  CHECK(world.LabelOf("a", kLabel) == "true");
  CHECK(world.LabelOf("out", kLabel) == "");
  CHECK(world.LabelOf("failing", kLabel) == "");
  world.Run(10s);
  CHECK(std::ranges::count(world.Requests(), ApplyOf("a", "w")) == 1);
  CHECK(std::ranges::count(world.Requests(), LabelPatchOf("a")) == 1);
}

TEST_CASE("One that opts out by its annotation alone is marked, as no selector sees that",
          "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.PutTemplate("every", {Widget("w")});
  const std::string pending = GENERATE("", R"(,"policy/namespace-pending-initializers":"a")");
  world.AddNamespace("out", R"(,"creationTimestamp":"2026-01-01T00:00:00Z",)"
                            R"("annotations":{"policy/namespace-template-opt-out":"true")" +
                                pending + "}");
  world.Begin();
  world.Run(3s);
  CHECK(world.Stored("out/w") == "-");
  CHECK(world.LabelOf("out", "policy/namespace-template-populated") == "true");
  // It is looked at when it opts in.
  world.Send("PATCH", "/api/v1/namespaces/out", "application/merge-patch+json",
             R"({"metadata":{"annotations":null}})");
  world.Run(3s);
  CHECK(world.Stored("out/w") == "x");
}

TEST_CASE("A namespace that waits for initializers is marked once none is pending, or at its time",
          "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  constexpr char kLabel[] = "policy/namespace-template-populated";
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.AddNamespace("new", R"(,"creationTimestamp":"2026-01-01T00:00:00Z",)"
                            R"("annotations":{"policy/namespace-pending-initializers":"a,b"})");
  world.Run(3s);
  CHECK(world.Stored("new/w") == "x");
  CHECK(world.LabelOf("new", kLabel).empty());
  SECTION("none is pending") {
    world.Send("PATCH", "/api/v1/namespaces/new", "application/merge-patch+json",
               R"({"metadata":{"annotations":{"policy/namespace-pending-initializers":""}}})");
    world.Run(3s);
    CHECK(world.LabelOf("new", kLabel) == "true");
    world.time_of_day += 60s;
    world.Run(3s);
    CHECK(world.Events().size() == 1);
  }
  SECTION("at its time") {
    world.time_of_day += 29s;
    world.Run(3s);
    CHECK(world.LabelOf("new", kLabel).empty());
    world.time_of_day += 1s;
    world.Run(3s);
    CHECK(world.LabelOf("new", kLabel) == "true");
    REQUIRE(world.Events().size() == 2);
    CHECK(world.Events()[1] ==
          "new OpenedLate: it takes objects of everybody after 30 seconds: its initializers a, b "
          "have not finished");
    world.Run(1min, 1s);
    CHECK(world.Events().size() == 2);
  }
}

TEST_CASE("A namespace that opens before it has its objects says so", "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.PutTemplate("every", {Widget("w", "x", "missing")});
  world.Settle();
  world.AddNamespace("new", R"(,"creationTimestamp":"2026-01-01T00:00:00Z")");
  world.Run(3s);
  world.time_of_day += 30s;
  world.ForgetRequests();
  world.Run(3s);
  const std::string late =
      " OpenedLate: it takes objects of everybody after 30 seconds: it does not have all objects "
      "of "
      "its templates";
  CHECK(world.Events() == Names{"a" + late, "b" + late, "new" + late});
  CHECK(world.LabelOf("new", "policy/namespace-template-populated").empty());
}

TEST_CASE("Handlers go by the configurations of the cluster", "[migrate][population]") {
  ControlWorld world;
  world.control_options.marks_populated = true;
  world.PutConfiguration("one", "dns");
  world.Settle();
  const auto names = [&world] {
    Names found;
    for (const auto& each : *world.known.current()->configurations) {
      found.push_back(each.name + " " + kube::base::Join(each.initializers, ","));
    }
    return found;
  };
  CHECK(names() == Names{"one dns"});
  world.PutConfiguration("two", "mesh");
  world.PutConfiguration("wrong", "x", R"({"matchLabel":{}})");
  world.Run(1s);
  CHECK(names() == Names{"one dns", "two mesh"});
  REQUIRE(world.lines.size() == 1);
  CHECK_THAT(world.lines[0],
             Contains("the NamespaceInitializationConfiguration wrong is left alone: spec."));
  world.cluster.server.Delete("namespaceinitializationconfigurations.policy.kubectl-prune.dev",
                              "one");
  world.Run(1s);
  CHECK(names() == Names{"two mesh"});
}

TEST_CASE("Nothing is asked for as long as nothing happens", "[migrate][population]") {
  ControlWorld world;
  world.leads = GENERATE(true, false);
  CAPTURE(world.leads);
  world.control_options.marks_populated = true;
  world.PutTemplate("every", {Widget("w")});
  world.PutTemplate("off", {Widget("v")}, R"("policy/namespace-template-apply":"disable")");
  world.Settle();
  world.Run(1h, 1s);
  CHECK(world.Requests().empty());
  CHECK(world.Reads().empty());
  CHECK(world.Watches().empty());
}

TEST_CASE("What others change is set back by the time that passes, where that is wanted",
          "[migrate][population]") {
  ControlWorld world;
  const bool is_wanted = GENERATE(true, false);
  CAPTURE(is_wanted);
  if (is_wanted) world.control_options.resync = 10min;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.Settle();
  world.ApplyAs("jo", "a/widgets/w",
                R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
                R"("name":"w","namespace":"a"},"spec":{"a":"theirs"}})");
  world.cluster.server.Delete(kWidgets, "a/v");
  world.Run(9min, 1s);
  CHECK(world.Stored("a/w") == "theirs");
  CHECK(world.Requests().empty());
  world.Run(2min, 1s);
  CHECK(world.Stored("a/w") == (is_wanted ? "x" : "theirs"));
  CHECK(world.Stored("a/v") == (is_wanted ? "x" : "-"));
}

TEST_CASE("A replica that does not lead only watches", "[migrate][population]") {
  ControlWorld world;
  world.leads = false;
  world.PutTemplate("every", {Widget("w")});
  world.Begin();
  world.ForgetRequests();
  world.AddNamespace("c");
  world.PutTemplate("every", {Widget("v")});
  world.Run(1h, 1s);
  CHECK(world.Requests().empty());
  CHECK(world.Reads().empty());
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_leader 0\n"));
  world.leads = true;
  world.Run(3s);
  for (const char* key : {"a/v", "b/v", "c/v"}) CHECK(world.Stored(key) == "x");
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_leader 1\n"));
}

TEST_CASE("Who begins to lead takes nothing for granted", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.Settle();
  world.leads = false;
  world.Run(1s);
  // Another leader has made this since, and somebody else has taken that.
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.World::Run();
  world.PutTemplate("every", {Widget("w")});
  world.cluster.server.Delete(kWidgets, "b/w");
  world.Run(3s);
  CHECK(world.Stored("a/v") == "x");
  world.leads = true;
  world.Run(3s);
  CHECK(world.Stored("a/v") == "-");
  CHECK(world.Stored("b/v") == "-");
  CHECK(world.Stored("b/w") == "x");
}

TEST_CASE("Who leads no more begins nothing new", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.cluster.server.AddFault({.target = "namespaces/a/widgets/w", .before = [&world] {
                                   world.halt = true;
                                   world.leads = false;
                                 }});
  world.Begin();
  world.Run(10s);
  CHECK(world.Stored("a/v") == "-");
  CHECK(world.Events().empty());
  CHECK(world.Status("every") == "-");
  world.halt = false;
  world.leads = true;
  world.Run(3s);
  for (const char* key : {"a/w", "a/v", "b/w", "b/v"}) CHECK(world.Stored(key) == "x");
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":1})");
}

TEST_CASE("Handlers of webhooks know what the cluster has", "[migrate][population]") {
  ControlWorld world;
  world.leads = false;
  world.PutTemplate("every", {Widget("w")});
  world.Begin();
  const auto names = [&world] {
    Names found;
    const auto current = world.known.current();
    for (const auto& [name, each] : *current->templates) found.push_back("template " + name);
    for (const auto& [name, each] : *current->namespaces) found.push_back(name);
    return found;
  };
  CHECK(names() == Names{"template every", "a", "b", "kube-system"});
  world.PutTemplate("new", {Widget("w")});
  world.DeleteTemplate("every");
  world.AddNamespace("c", R"(,"creationTimestamp":"2026-01-01T00:00:00Z")");
  world.cluster.server.Delete("namespaces", "b");
  world.Label("a", "team", "x");
  world.Run(1s);
  CHECK(names() == Names{"template new", "a", "c", "kube-system"});
  const auto current = world.known.current();
  CHECK(current->FindNamespace("a")->target.labels.at("team") == "x");
  CHECK(current->FindNamespace("c")->created.time_since_epoch().count() == 1767225600);
  CHECK_FALSE(current->stale_since);
}

TEST_CASE("How many namespaces and templates there are is counted", "[migrate][population]") {
  ControlWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.leads = false;
  world.Begin();
  CHECK_THAT(world.counts.PrintMetrics(), Contains("populate_namespaces 3\n") &&
                                              Contains("populate_templates 1\n") &&
                                              Contains("populate_namespaces_due 3\n"));
  world.leads = true;
  world.Run(3s);
  CHECK_THAT(world.counts.PrintMetrics(),
             Contains("populate_namespaces_due 0\n") && Contains("populate_rounds_total 1\n") &&
                 Contains(R"(populate_objects_total{result="applied"} 2)"));
}

}  // namespace control_test
}  // namespace migrate::populate
