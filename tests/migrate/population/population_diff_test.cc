#include <map>

#include "migrate/check/object_diff.h"
#include "tests/migrate/population/population_world.h"

namespace migrate::populate {
namespace population_test {

using Catch::Matchers::Contains;
using Values = std::map<std::string, std::string>;

/// "x -> y": spec.a of each object that differs, by "NAMESPACE/NAME"; "-": there is none.
struct DiffRecorder : check::ChangeTaker {
  static std::string TextOf(const kube::json::Value& object) {
    const kube::json::Value* spec = object.Find("spec");
    return spec == nullptr ? "-" : std::string(spec->FindText("a"));
  }
  void Take(const check::ObjectChange& change) override {
    ++count;
    const std::string key = std::string(change.namespace_).append("/").append(change.name);
    if (change.differs) changes[key] = TextOf(change.now) + " -> " + TextOf(change.after);
    after[key] = TextOf(change.after);
  }

  Values changes, after;
  int count = 0;
};

struct DiffWorld : World {
  DiffWorld() {
    options.dry_run = report::DryRun::kServer;
    options.changes = &recorder;
    options.namespaces = {"a"};
  }
  void RunForGood() {
    options.dry_run = report::DryRun::kNone;
    options.changes = nullptr;
    Run();
    options.dry_run = report::DryRun::kServer;
    options.changes = &recorder;
  }
  void WriteAsJo(const std::string& name, const std::string& a) {
    std::string body = Widget(name, a);
    body.replace(body.find(R"("name")"), 0, R"("namespace":"a",)");
    ApplyAs("jo", "a/widgets/" + name, body);
  }

  DiffRecorder recorder;
};

const std::string kWidgetsOfA = "/apis/demo.example.com/v1/namespaces/a/widgets/";

TEST_CASE("What is shown is what is done, object by object", "[migrate][population]") {
  DiffWorld world;
  world.PutTemplate("every",
                    {Widget("changes"), Widget("goes"), Widget("theirs"), Widget("stays")});
  world.RunForGood();
  world.PutTemplate("every",
                    {Widget("changes", "y"), Widget("new"), Widget("theirs"), Widget("stays")});
  world.WriteAsJo("theirs", "z");

  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/changes applied", "a/new applied", "a/theirs applied",
                                  "a/stays applied", "a/goes pruned"});
  CHECK_THAT(Messages(report).at(0), Contains("set back what others had changed"));
  CHECK(world.recorder.changes == Values{{"a/changes", "x -> y"},
                                         {"a/goes", "x -> -"},
                                         {"a/new", "- -> x"},
                                         {"a/theirs", "z -> x"}});
  CHECK(world.recorder.count == 5);
  CHECK(world.Stored("a/changes") == "x");
  CHECK(world.Stored("a/new") == "-");
  world.RunForGood();
  for (const auto& [key, value] : world.recorder.after) CHECK(world.Stored(key) == value);
}

TEST_CASE("To show it nothing is sent that would be stored", "[migrate][population]") {
  DiffWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.RunForGood();
  world.PutTemplate("every", {Widget("v", "x", "gadgets")});
  CHECK(Outcomes(world.Run()) == Names{"a/Kindgadgets/v applied", "a/w pruned"});
  CHECK(world.Requests() ==
        Names{"PATCH /apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates/every" + kManager +
                  "&dryRun=All",
              "PATCH /apis/demo.example.com/v1/namespaces/a/gadgets/v" + kManager + "&dryRun=All",
              "DELETE " + kWidgetsOfA + "w?dryRun=All&propagationPolicy=Background"});
  CHECK(world.Deletions() == Names{""});
  CHECK(world.Stored("a/w") == "x");
}

TEST_CASE("A member of another ApplySet is an error where it would be, and is not shown",
          "[migrate][population]") {
  DiffWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.ApplyAs("kubectl-applyset", "a/widgets/w",
                R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{)"
                R"("name":"w","namespace":"a","labels":{"applyset.kubernetes.io/part-of":"x"}},)"
                R"("spec":{"a":"theirs"}})");
  const PopulationReport report = world.Run();
  CHECK(Outcomes(report) == Names{"a/w failed"});
  CHECK_THAT(Messages(report).at(0), Contains("another ApplySet"));
  CHECK(world.recorder.count == 0);
}

TEST_CASE("An object that is written meanwhile is compared with what it was then",
          "[migrate][population]") {
  DiffWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.RunForGood();
  world.PutTemplate("every", {Widget("w", "y")});
  FakeFault fault;
  fault.target = "widgets/w?";
  int version = 0;
  fault.before = [&world, &version] { world.WriteAsJo("w", "jo" + std::to_string(++version)); };
  SECTION("once, and it is read once more") {
    world.cluster.server.AddFault(fault);
    world.Run();
    CHECK(world.recorder.changes == Values{{"a/w", "jo1 -> y"}});
    CHECK(world.Requests("GET").back() == "GET " + kWidgetsOfA + "w");
  }
  SECTION("without an end, and it is compared all the same") {
    fault.times = 0;
    world.cluster.server.AddFault(fault);
    CHECK(Outcomes(world.Run()) == Names{"a/w applied"});
    CHECK(std::ranges::count(world.Requests("GET"), "GET " + kWidgetsOfA + "w") == 4);
    CHECK(world.recorder.count == 1);
  }
}

TEST_CASE("What cannot be read is an error, and is not shown", "[migrate][population]") {
  DiffWorld world;
  world.PutTemplate("every", {Widget("bad"), Widget("w")});
  world.RunForGood();
  FakeFault fault;
  fault.target = "widgets/bad";
  fault.times = 0;
  fault.answer = FakeStatus(403, "Forbidden", "no");
  world.cluster.server.AddFault(fault);
  SECTION("of what is applied") {
    world.PutTemplate("every", {Widget("bad", "y"), Widget("w", "y")});
    CHECK(Outcomes(world.Run()) == Names{"a/bad failed", "a/w applied"});
    CHECK(world.recorder.changes == Values{{"a/w", "x -> y"}});
  }
  SECTION("of what is pruned") {
    world.PutTemplate("every", {Widget("w")});
    CHECK(Outcomes(world.Run()) == Names{"a/w applied", "a/bad failed"});
    CHECK(world.recorder.changes.empty());
  }
  SECTION("for a moment") {
    fault.times = 2;
    fault.answer = FakeStatus(500, "InternalError", "etcdserver: leader changed");
    DiffWorld other;
    other.PutTemplate("every", {Widget("bad")});
    other.cluster.server.AddFault(fault);
    CHECK(Outcomes(other.Run()) == Names{"a/bad applied"});
    CHECK(other.recorder.changes == Values{{"a/bad", "- -> x"}});
  }
}

TEST_CASE("What somebody has made his own by the time that it is read is not shown as pruned",
          "[migrate][population]") {
  DiffWorld world;
  world.PutTemplate("every", {Widget("w")});
  world.RunForGood();
  world.PutTemplate("every", {});
  world.cluster.server.AddFault(
      {.target = "widgets/w", .before = [&world] {
         world.Send("PATCH", kWidgetsOfA + "w", "application/merge-patch+json",
                    R"({"metadata":{"labels":{"policy/namespace-template-name":null}}})");
       }});
  CHECK(Outcomes(world.Run()) == Names{"a/w kept"});
  CHECK(world.recorder.count == 0);
  CHECK(world.Requests("DELETE").empty());
}

TEST_CASE("Where what is shown cannot be kept the run ends", "[migrate][population]") {
  struct Full : check::ChangeTaker {
    void Take(const check::ObjectChange&) override { throw kube::base::Error("disk full"); }
  };
  Full full;
  DiffWorld world;
  world.options.changes = &full;
  world.options.namespaces.clear();
  world.PutTemplate("every", {Widget("w"), Widget("v")});
  CHECK(world.ErrorOfRun() == "disk full");
}

}  // namespace population_test
}  // namespace migrate::populate
