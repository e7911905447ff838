#include "migrate/populate/population.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace population_test {

using Catch::Matchers::Contains;

TEST_CASE("What is wrong with one object keeps nothing else from being applied",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("bad"), Widget("w")});
  world.cluster.server.AddFault({.target = "/widgets/bad",
                                 .times = 0,
                                 .answer = FakeStatus(422, "Invalid", "spec.a: Invalid value")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/bad failed", "a/w applied", "b/bad failed", "b/w applied"});
  CHECK(Messages(report) == Names{"spec.a: Invalid value", "spec.a: Invalid value"});
  CHECK(world.Status("every") ==
        R"({"failures":[{"message":"spec.a: Invalid value","namespace":"a","object":)"
        R"("Kindwidgets.demo.example.com \"bad\""},{"message":"spec.a: Invalid value",)"
        R"("namespace":"b","object":"Kindwidgets.demo.example.com \"bad\""}],"namespaces":2,)"
        R"("observedGeneration":1})");
}

TEST_CASE("Where an object could not be applied nothing of its template is deleted",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w"), Widget("g", "x", "gadgets")});
  world.Run();
  world.PutTemplate("every", {Widget("v")});
  world.cluster.server.AddFault(
      {.target = "namespaces/a/widgets/v", .times = 0, .answer = FakeStatus(422, "Invalid", "no")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/v failed", "a/Kindgadgets/g kept", "a/w kept", "b/v applied",
                                  "b/Kindgadgets/g pruned", "b/w pruned"});
  CHECK(world.Annotation("every", "contains-group-kinds") ==
        "Kindgadgets.demo.example.com,Kindwidgets.demo.example.com");
}

TEST_CASE("What no namespace can have is refused", "[migrate][population]") {
  World world;
  world.PutTemplate(
      "every",
      {R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"more"}})", Widget("w")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/Namespace/more refused", "a/w applied",
                                  "b/Namespace/more refused", "b/w applied"});
}

TEST_CASE("A kind that the cluster does not have fails alone", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("n", "x", "nothings"), Widget("w")});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) ==
        Names{"a/Kindnothings/n failed", "a/w applied", "b/Kindnothings/n failed", "b/w applied"});
  CHECK(Messages(report).at(0) ==
        R"(no matches for kind "Kindnothings" in version "demo.example.com/v1")");
}

TEST_CASE("A group that cannot be read hides its own kinds alone", "[migrate][population]") {
  World world;
  std::string crd = test_support::FakeCrdText("others");
  for (std::size_t at; (at = crd.find("demo.example.com")) != crd.npos;)
    crd.replace(at, 16, "down.example.org");
  world.cluster.server.Add(crd);
  std::string other = Widget("o", "x", "others");
  other.replace(other.find("demo.example.com"), 16, "down.example.org");
  world.PutTemplate("every", {other, Widget("w")});
  world.Run();
  world.cluster.server.AddFault({.target = "/apis/down.example.org/",
                                 .times = 0,
                                 .answer = FakeStatus(503, "ServiceUnavailable", "no endpoints")});
  world.PutTemplate("every", {other, Widget("v")});

  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/Kindothers/o failed", "a/v applied", "a/w kept",
                                  "b/Kindothers/o failed", "b/v applied", "b/w kept"});
  CHECK_THAT(Messages(report).at(0), Contains("no endpoints"));
  CHECK(report.has_errors);
  CHECK(world.Annotation("every", "contains-group-kinds") ==
        "Kindothers.down.example.org,Kindwidgets.demo.example.com");
}

TEST_CASE("A deletion after a conflict is proven anew", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.options.namespaces = {"a"};
  world.Run();
  world.PutTemplate("every", {});
  FakeFault fault;
  fault.target = "namespaces/a/widgets/w";
  const std::string path = "/apis/demo.example.com/v1/namespaces/a/widgets/w";
  SECTION("it is still what was made of the template") {
    fault.before = [&world, &path] {
      world.Send("PATCH", path, "application/merge-patch+json",
                 R"({"metadata":{"labels":{"more":"x"}}})");
    };
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w pruned"});
    CHECK(world.Deletions().size() == 2);
    CHECK(world.Stored("a/w") == "-");
  }
  SECTION("somebody has made it his own") {
    fault.before = [&world, &path] {
      world.Send("PATCH", path, "application/merge-patch+json",
                 R"({"metadata":{"labels":{"policy/namespace-template-name":null}}})");
    };
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w kept"});
    CHECK(world.Stored("a/w") == "x");
  }
  SECTION("it is another object of its name") {
    fault.before = [&world] {
      world.cluster.server.Delete(kWidgets, "a/w");
      world.cluster.server.Add(
          R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
          R"("name":"w","namespace":"a"},"spec":{"a":"theirs"}})");
    };
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w kept"});
    CHECK(world.Stored("a/w") == "theirs");
  }
  SECTION("somebody else was faster") {
    fault.before = [&world] { world.cluster.server.Delete(kWidgets, "a/w"); };
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w gone"});
  }
}

TEST_CASE("A template that is changed meanwhile has nothing deleted", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.Run();
  world.PutTemplate("every", {Widget("v")});
  world.cluster.server.AddFault({.target = "namespaces/a/widgets/v", .before = [&world] {
                                   world.PutTemplate("every", {Widget("v"), Widget("w")});
                                 }});
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/v unchanged", "a/w kept", "b/v unchanged", "b/w kept"});
  CHECK(report.has_errors);
  CHECK(world.Stored("a/w") == "x");
}

TEST_CASE("A server with too much to do is tried again", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  FakeFault fault;
  fault.target = "/widgets/w";
  fault.times = 3;
  fault.answer = FakeStatus(429, "TooManyRequests", "later");
  fault.answer->headers.push_back({"Retry-After", "2"});
  world.cluster.server.AddFault(fault);
  CHECK(Outcomes(world.Run()) == Names{"a/w applied", "b/w applied"});
  CHECK(world.cluster.clock.passed() >= std::chrono::seconds(2));
}

TEST_CASE("A template that is disabled meanwhile has nothing deleted", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.options.namespaces = {"a"};
  world.Run();
  world.PutTemplate("every", {Widget("w")});
  world.cluster.server.AddFault(
      {.target = "namespaces/a/widgets/w?", .before = [&world] {
         world.Send("PATCH", "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every",
                    "application/merge-patch+json",
                    R"({"metadata":{"labels":{"policy/namespace-template-apply":"disable"}}})");
       }});
  CHECK(Outcomes(world.Run()) == Names{"a/w unchanged", "a/v kept"});
  CHECK(world.Stored("a/v") == "x");
}

TEST_CASE("What was made of a template that is left alone is not taken by another one",
          "[migrate][population]") {
  World world;
  world.options.namespaces = {"a"};
  world.PutTemplate("late", {Widget("w", "late")});
  world.Run();
  world.PutTemplate("early", {Widget("w", "early")});
  SECTION("it is disabled, and has it no more") {
    world.PatchTemplate("late", {});
    world.Send("PATCH", "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/late",
               "application/merge-patch+json",
               R"({"metadata":{"labels":{"policy/namespace-template-apply":"disable"}}})");
  }
  SECTION("it cannot be used") {
    world.Send("PATCH", "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/late",
               "application/merge-patch+json",
               R"({"spec":{"namespaces":{"labelSelector":{"matchExpressions":[)"
               R"({"key":"a","operator":"In"}]}}}})");
  }
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/w refused"});
  CHECK_THAT(Messages(report).at(0), Contains("was made of the template late"));
  CHECK(world.Stored("a/w") == "late");
}

// An Ingress was in extensions and in networking.k8s.io, and stored once.
TEST_CASE("An object that is in two groups is not deleted as that of the first",
          "[migrate][population]") {
  World world;
  world.options.namespaces = {"a"};
  world.PutTemplate("every", {Widget("w", "x", "gadgets")});
  world.Run();
  const std::string uid = world.MetadataOf("gadgets.demo.example.com", "a/w", "uid");
  world.PutTemplate("every", {Widget("w")});
  FakeFault fault;
  fault.target = "namespaces/a/widgets/w?";
  fault.answer.emplace().body =
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w",)"
      R"("namespace":"a","resourceVersion":"99","uid":")" +
      uid + "\"}}";
  world.cluster.server.AddFault(fault);
  CHECK(Outcomes(world.Run()) == Names{"a/w applied"});
  CHECK(world.Deletions().empty());
}

TEST_CASE("A template that somebody else writes at the same time is written after him",
          "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  const std::string target = "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every";
  FakeFault fault;
  fault.target = "namespacetemplates/every?";
  SECTION("he has written a label") {
    fault.before = [&world, &target] {
      world.Send("PATCH", target, "application/merge-patch+json",
                 R"({"metadata":{"labels":{"of":"jo"}}})");
    };
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w applied", "b/w applied"});
    CHECK(world.Annotation("every", "additional-namespaces") == "a,b");
  }
  SECTION("he has written the spec") {
    fault.before = [&world] { world.PutTemplate("every", {Widget("v")}); };
    world.cluster.server.AddFault(fault);
    const PopulationReport report = world.Run();
    CHECK(Outcomes(report) == Names{"a/w failed", "b/w failed"});
    CHECK(report.has_errors);
    CHECK_THAT(DeduplicatedMessages(report).at(0), Contains("was changed meanwhile"));
  }
  SECTION("the server is not well for a moment") {
    fault.answer = FakeStatus(500, "InternalError", "etcdserver: leader changed");
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w applied", "b/w applied"});
  }
}

TEST_CASE("A dry run writes nothing", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.Run();
  world.PutTemplate("every", {Widget("v")});
  SECTION("the client's sends nothing") {
    world.options.dry_run = report::DryRun::kClient;
    CHECK(Outcomes(world.Run()) == Names{"a/v applied", "a/w pruned", "b/v applied", "b/w pruned"});
    CHECK(world.Requests().empty());
  }
  SECTION("the server's sends everything") {
    world.options.dry_run = report::DryRun::kServer;
    CHECK(Outcomes(world.Run()) == Names{"a/v applied", "a/w pruned", "b/v applied", "b/w pruned"});
    CHECK(
        world.Requests("PATCH") ==
        Names{"PATCH /apis/demo.example.com/v1/namespaces/a/widgets/v" + kManager + "&dryRun=All",
              "PATCH /apis/demo.example.com/v1/namespaces/b/widgets/v" + kManager + "&dryRun=All"});
    for (const std::string& body : world.Deletions())
      CHECK_THAT(body, Contains(R"("dryRun":["All"])"));
    CHECK(world.Deletions().size() == 2);
  }
  CHECK(world.Stored("a/w") == "x");
  CHECK(world.Stored("a/v") == "-");
}

TEST_CASE("Only the namespaces that are named are populated", "[migrate][population]") {
  World world;
  world.PutTemplate("every", {Widget("w")});
  world.options.namespaces = {"b"};
  CHECK(Outcomes(world.Run()) == Names{"b/w applied"});
  CHECK(world.Annotation("every", "additional-namespaces") == "b");
  // It would tell of the others, too.
  CHECK(world.Status("every") == "-");
  SECTION("one that is not there") {
    world.options.namespaces = {"b", "nosuch"};
    const PopulationReport report = world.Run();
    CHECK(Outcomes(report) == Names{"b/w unchanged"});
    CHECK(DeduplicatedMessages(report) == Names{"namespaces \"nosuch\" not found"});
    CHECK(report.has_errors);
  }
  SECTION("kube-system") {
    world.options.namespaces = {"kube-system"};
    const PopulationReport report = world.Run();
    CHECK(report.objects.empty());
    CHECK(DeduplicatedMessages(report) == Names{"kube-system is never populated"});
  }
}

TEST_CASE("A cluster without NamespaceTemplates is told so", "[migrate][population]") {
  World world;
  world.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kTemplates);
  CHECK_THAT(world.ErrorOfRun(), Contains("krew/manifests/populate/crd.yaml"));
}

TEST_CASE("A run that is stopped begins nothing new", "[migrate][population]") {
  World world;
  std::atomic<bool> stop = false;
  world.cluster.run_stop = &stop;
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  world.cluster.server.AddFault(
      {.target = "namespaces/a/widgets/w", .before = [&stop] { stop = true; }});
  const PopulationReport report = world.Run();
  CHECK(report.is_interrupted);
  CHECK(world.Stored("a/v") == "-");
  CHECK(world.Status("every") == "-");
  stop = false;
  CHECK(world.Run().objects.size() == 4);
}

}  // namespace population_test
}  // namespace migrate::populate
