#include "migrate/populate/population.h"

#include "migrate/populate/apply_set.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace population_test {

using Catch::Matchers::Contains;

TEST_CASE("Namespaces get what templates have, and are left alone once they have it",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w"), Widget("of-$(NAMESPACE)", "y")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) ==
        Names{"a/w applied", "a/of-a applied", "b/w applied", "b/of-b applied"});
  CHECK(DeduplicatedMessages(report).empty());
  CHECK_FALSE(report.has_errors);
  CHECK(world.Stored("a/of-a") == "y");
  CHECK(world.Annotation("every", "contains-group-kinds") == "Kindwidgets.demo.example.com");
  CHECK(world.Annotation("every", "additional-namespaces") == "a,b");
  CHECK(world.Annotation("every", "tooling") == "kubectl-prune/v0.1.0");
  CHECK(world.Status("every") == R"({"failures":[],"namespaces":2,"observedGeneration":1})");

  CHECK(Outcomes(world.Run()) ==
        Names{"a/w unchanged", "a/of-a unchanged", "b/w unchanged", "b/of-b unchanged"});
  // Nothing but the applies: nothing is told that is no news.
  CHECK(world.Requests().size() == 4);
}

TEST_CASE("A kind is in the template's ApplySet before the first object of it is there",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.options.namespaces = {"a"};
  world.Run();
  CHECK(world.Requests() ==
        Names{"PATCH /apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every" + kManager,
              "PATCH /apis/demo.example.com/v1/namespaces/a/widgets/w" + kManager, EventIn("a")});
}

TEST_CASE("What a template no longer has is deleted as it was seen, and its kind forgotten",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w"), Widget("g", "x", "gadgets")});
  world.Run();
  world.PutTemplate("every", {Widget("w")});
  const std::string uid = world.MetadataOf("gadgets.demo.example.com", "a/g", "uid");
  const std::string version =
      world.MetadataOf("gadgets.demo.example.com", "a/g", "resourceVersion");

  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/w unchanged", "a/Kindgadgets/g pruned", "b/w unchanged",
                                  "b/Kindgadgets/g pruned"});
  REQUIRE(world.Deletions().size() == 2);
  CHECK(world.Deletions()[0] ==
        R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":")" +
            version + R"(","uid":")" + uid + R"("},"propagationPolicy":"Background"})");
  CHECK(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") == nullptr);
  CHECK(world.Annotation("every", "contains-group-kinds") == "Kindwidgets.demo.example.com");
}

TEST_CASE("What is deleted is told in one order, whatever is answered first",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w"), Widget("d"), Widget("e")});
  world.Run();
  world.PutTemplate("every", {Widget("w")});
  world.cluster.server.AddFault(
      {.target = "/namespaces/a/widgets/d", .latency = std::chrono::seconds(5)});
  CHECK(Outcomes(world.Run()) == Names{"a/w unchanged", "a/d pruned", "a/e pruned", "b/w unchanged",
                                       "b/d pruned", "b/e pruned"});
}

TEST_CASE("A field that a template no longer has is gone, and one of others stays",
          "[migrate][population]") {
  World world;
  const std::string labelled =
      R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{"name":"w",)"
      R"("labels":{"of":"template"}},"spec":{"a":"x"}})";
  world.PutTemplate("every", {labelled});
  world.options.namespaces = {"a"};
  world.Run();
  world.ApplyAs("jo", "a/widgets/w",
                R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
                R"("name":"w","namespace":"a","labels":{"of-jo":"jo"}}})");
  world.PutTemplate("every", {Widget("w")});
  CHECK(Outcomes(world.Run()) == Names{"a/w applied"});
  const kube::json::Value* stored = world.cluster.server.Stored(kWidgets, "a/w");
  REQUIRE(stored != nullptr);
  const kube::json::Value* labels = stored->Find("metadata")->Find("labels");
  CHECK(labels->Find("of") == nullptr);
  CHECK(labels->FindText("of-jo") == "jo");
}

TEST_CASE("What was not made of a template is never deleted", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.Run();
  const std::string id = TemplateApplySetId("every");
  const std::string labels = R"({"policy/namespace-template-name":"every",)"
                             R"("applyset.kubernetes.io/part-of":")" +
                             id + "\"}";
  SECTION("it has no label") {
    test_support::WriteFakeObject(world.cluster.server, "widgets", "other", "{}");
    CHECK(Outcomes(world.Run()) == Names{"a/w unchanged", "b/w unchanged"});
    CHECK(world.cluster.server.Stored(kWidgets, "shop/other") != nullptr);
  }
  SECTION("it is a copy with all labels") {
    world.ApplyAs("jo", "a/widgets/copy",
                  R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
                  R"("name":"copy","namespace":"a","labels":)" +
                      labels + R"(},"spec":{"a":"z"}})");
    const PopulationReport report = world.Run();
    CHECK(Outcomes(report) == Names{"a/w unchanged", "a/copy kept", "b/w unchanged"});
    CHECK_THAT(Messages(report).at(0), Contains("was not made of it"));
    CHECK(world.Stored("a/copy") == "z");
    CHECK(world.Deletions().empty());
  }
  SECTION("somebody has taken it out of the ApplySet") {
    world.Send("PATCH", "/apis/demo.example.com/v1/namespaces/a/widgets/w",
               "application/merge-patch+json",
               R"({"metadata":{"labels":{"applyset.kubernetes.io/part-of":null}}})");
    world.PutTemplate("every", {});
    CHECK(Outcomes(world.Run()) == Names{"a/w kept", "b/w pruned"});
    CHECK(world.Stored("a/w") == "x");
  }
}

TEST_CASE("An object that was there already becomes the template's, which is told",
          "[migrate][population]") {
  World world;
  world.ApplyAs("jo", "a/widgets/w",
                R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
                R"("name":"w","namespace":"a"},"spec":{"a":"theirs"}})");
  world.PutTemplate("every", {Widget("w")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/w applied", "b/w applied"});
  CHECK(Messages(report) ==
        Names{"was there already, by jo; it belongs to the template now, and goes with it"});
  CHECK(world.Stored("a/w") == "x");
}

TEST_CASE("What others change is set back, which is told", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.options.namespaces = {"a"};
  world.Run();
  world.ApplyAs("jo", "a/widgets/w",
                R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
                R"("name":"w","namespace":"a"},"spec":{"a":"theirs"}})");
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/w applied"});
  CHECK(Messages(report) ==
        Names{"set back what others had changed: .spec.a: conflict with \"jo\""});
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Requests() ==
        Names{"PATCH /apis/demo.example.com/v1/namespaces/a/widgets/w" + kManager,
              "PATCH /apis/demo.example.com/v1/namespaces/a/widgets/w" + kManager + "&force=true",
              EventIn("a")});
}

TEST_CASE("A member of another ApplySet is left to it", "[migrate][population]") {
  World world;
  world.ApplyAs(
      "kubectl-applyset", "a/widgets/w",
      R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
      R"("name":"w","namespace":"a","labels":{"applyset.kubernetes.io/part-of":"other"}},)"
      R"("spec":{"a":"theirs"}})");
  world.PutTemplate("every", {Widget("w")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/w failed", "b/w applied"});
  CHECK_THAT(Messages(report).at(0), Contains("another ApplySet") && Contains("kubectl-applyset"));
  CHECK(world.Stored("a/w") == "theirs");
}

TEST_CASE("A template of another tool is refused, and what is there of it stays",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.Run();
  const std::string target = "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every";
  SECTION("by its tooling") {
    world.Send(
        "PATCH", target, "application/merge-patch+json",
        R"({"metadata":{"annotations":{"applyset.kubernetes.io/tooling":"kubectl/v1.36"}}})");
    world.PutTemplate("every", {Widget("v")});
    const PopulationReport report = world.Run();
    CHECK(report.has_errors);
    CHECK_THAT(DeduplicatedMessages(report).at(0),
               Contains("managed by tooling \"kubectl\" instead of \"kubectl-prune\""));
  }
  SECTION("by its id") {
    world.Send("PATCH", target, "application/merge-patch+json",
               R"({"metadata":{"labels":{"applyset.kubernetes.io/id":"other"}}})");
    world.PutTemplate("every", {Widget("v")});
    const PopulationReport report = world.Run();
    CHECK(report.has_errors);
    CHECK_THAT(DeduplicatedMessages(report).at(0),
               Contains("got: other, want: " + TemplateApplySetId("every")));
  }
  CHECK(world.Requests() == Names{EventIn("default"), "PATCH " + target + "/status" + kManager});
  CHECK(world.Stored("a/w") == "x");
}

TEST_CASE("What is done and goes wrong becomes Events, as those of who watches",
          "[migrate][population]") {
  World world;
  world.PutTemplate("bad", {Widget("v")}, "", R"({"matchLabel":{"a":"b"}})");
  world.PutTemplate("every", {Widget("w"), Widget("w2", "x", "missing")});
  const PopulationReport report = world.Run();
  CHECK(report.has_errors);
  const Names events = world.Events();
  REQUIRE(events.size() == 5);
  CHECK(events[0] ==
        "default Invalid: it is left alone, and what was made of it: "
        "spec.namespaces.labelSelector.matchLabel: Forbidden: no selector has such a field");
  CHECK_THAT(events[1], Contains("a Failed: Kindmissing.demo.example.com \"w2\""));
  CHECK_THAT(events[2], Contains("b Failed: "));
  CHECK(events[3] ==
        R"(a Populated: applied Kindwidgets.demo.example.com "w" of the template every)");
  CHECK_THAT(world.Status("bad"), Contains(R"("reason":"Invalid")"));
}

TEST_CASE("Where no Events can be made that is a warning, and all is populated",
          "[migrate][population]") {
  World world;
  world.cluster.server.Deny("create", "events");
  world.PutTemplate("every", {Widget("w")});
  const PopulationReport report = world.Run();
  CHECK_FALSE(report.has_errors);
  REQUIRE(DeduplicatedMessages(report).size() == 1);
  CHECK_THAT(DeduplicatedMessages(report)[0],
             Contains("cannot create Events: ") && Contains("forbidden"));
  CHECK(world.Stored("a/w") == "x");
}

TEST_CASE("A template that was stored without a selector stays as it is", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.Run();
  world.Send("PATCH", "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every",
             "application/merge-patch+json", R"({"spec":{"namespaces":null,"templates":[]}})");
  const PopulationReport report = world.Run();
  CHECK(report.has_errors);
  CHECK(report.objects.empty());
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Events() ==
        Names{"default NoSelector: it is left alone, and what was made of it: spec.namespaces: "
              "Required value; for every namespace it has to say spec.namespaces.labelSelector: "
              "{}"});
}

TEST_CASE("A template with $(CREATOR) that nobody guards changes and deletes nothing",
          "[migrate][population]") {
  World world;
  world.AddNamespace("a", R"(,"annotations":{"authorization.k8s.io/creator":"jo"})");
  world.AddNamespace("b", R"(,"annotations":{"authorization.k8s.io/creator":"ann"})");
  world.PutTemplate("own", {Widget("of-$(CREATOR)")});
  CHECK(world.Run().has_errors);
  CHECK(world.Stored("a/of-jo") == "-");
  world.PutGuard();
  CHECK(Outcomes(world.Run()) == Names{"a/of-jo applied", "b/of-ann applied"});
  world.RemoveGuard();
  world.PutTemplate("own", {Widget("other-$(CREATOR)")});
  const PopulationReport report = world.Run();
  CHECK(report.has_errors);
  CHECK_THAT(
      DeduplicatedMessages(report).at(0),
      Contains("the template own is left alone, and what was made of it: it has $(CREATOR)"));
  CHECK(world.Deletions().empty());
  CHECK(world.Stored("a/of-jo") == "x");
  CHECK(world.Stored("a/other-jo") == "-");
  world.options.trusts_creator = true;
  CHECK(Outcomes(world.Run()) ==
        Names{"a/other-jo applied", "a/of-jo pruned", "b/other-ann applied", "b/of-ann pruned"});
}

TEST_CASE("Of namespaces that opt out, and of disabled templates, all stays",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.Run();
  world.PutTemplate("every", {Widget("v")});
  SECTION("a namespace that opts out") {
    const char* map = GENERATE("labels", "annotations");
    world.AddNamespace(
        "a", std::string(",\"") + map + R"(":{"policy/namespace-template-opt-out":"true"})");
    CHECK(Outcomes(world.Run()) == Names{"b/v applied", "b/w pruned"});
    CHECK(world.Annotation("every", "additional-namespaces") == "a,b");
  }
  SECTION("a namespace that is being deleted") {
    world.AddNamespace("a", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
    CHECK(Outcomes(world.Run()) == Names{"b/v applied", "b/w pruned"});
  }
  SECTION("a template that is disabled") {
    world.Send("PATCH", "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every",
               "application/merge-patch+json",
               std::string(R"({"metadata":{")") + GENERATE("labels", "annotations") +
                   R"(":{"policy/namespace-template-apply":"disable"}}})");
    const PopulationReport report = world.Run();
    CHECK(report.objects.empty());
    CHECK_THAT(DeduplicatedMessages(report).at(0), Contains("=disable"));
    CHECK_FALSE(report.has_errors);
  }
  CHECK(world.Stored("a/w") == "x");
}

TEST_CASE("What a template made where it selects no more is deleted", "[migrate][population]") {
  World world;
  world.AddNamespace("a", R"(,"labels":{"tenant":"x"})");
  world.PutTemplate("tenants", {Widget("w")}, "", R"({"matchLabels":{"tenant":"x"}})");
  CHECK(Outcomes(world.Run()) == Names{"a/w applied"});
  world.AddNamespace("a");
  CHECK(Outcomes(world.Run()) == Names{"a/w pruned"});
  CHECK(world.Annotation("tenants", "contains-group-kinds").empty());
  CHECK(world.Status("tenants") == R"({"failures":[],"namespaces":0,"observedGeneration":1})");
}

TEST_CASE("An object that moves to another template is not deleted", "[migrate][population]") {
  World world;
  world.PutTemplate("one", {Widget("w"), Widget("v")});
  world.Run();
  world.PutTemplate("one", {Widget("v")});
  world.PutTemplate("two", {Widget("w", "y")});
  CHECK(Outcomes(world.Run()) ==
        Names{"a/v unchanged", "a/w applied", "b/v unchanged", "b/w applied"});
  CHECK(world.Stored("a/w") == "y");
  CHECK(Outcomes(world.Run()) ==
        Names{"a/v unchanged", "a/w unchanged", "b/v unchanged", "b/w unchanged"});
}

TEST_CASE("What was made of a template that is gone is deleted, as far as its kind is known",
          "[migrate][population]") {
  World world;
  world.PutTemplate("one", {Widget("v")});
  world.PutTemplate("two", {Widget("w"), Widget("g", "x", "gadgets")});
  world.Run();
  world.DeleteTemplate("two");
  SECTION("by a template that is there") {
    CHECK(Outcomes(world.Run()) ==
          Names{"a/v unchanged", "a/w pruned", "b/v unchanged", "b/w pruned"});
    CHECK(world.cluster.server.Stored("gadgets.demo.example.com", "a/g") != nullptr);
  }
  SECTION("not where it is there again") {
    world.cluster.server.AddFault({.target = "namespacetemplates/two", .before = [&world] {
                                     world.PutTemplate("two", {Widget("w")});
                                   }});
    const PopulationReport report = world.Run();
    CHECK(Outcomes(report) == Names{"a/v unchanged", "a/w kept", "b/v unchanged", "b/w kept"});
    CHECK(report.has_errors);
  }
  SECTION("not where there is no template any more") {
    world.DeleteTemplate("one");
    const PopulationReport report = world.Run();
    CHECK(report.objects.empty());
    CHECK_THAT(DeduplicatedMessages(report).at(0), Contains("no NamespaceTemplate"));
  }
}

}  // namespace population_test
}  // namespace migrate::populate
