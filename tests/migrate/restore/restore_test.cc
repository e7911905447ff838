#include "migrate/restore/restore.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/migrate/restore/restore_world.h"

namespace migrate::restore {
namespace restore_test {

using Catch::Matchers::Contains;

std::string FieldsText(const std::vector<report::RestoredField>& fields) {
  std::string text;
  for (const auto& field : fields) {
    text += (text.empty() ? "" : " ") + field.path + ":" + std::to_string(field.objects);
  }
  return text;
}

TEST_CASE("What pruning took comes back, and is read back", "[migrate][restore]") {
  World world;
  const report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(Text(crd.counts) == "restored 6");
  CHECK(FieldsText(crd.restored) == "spec.l[*].o:6 spec.old:6 status.since:3");
  CHECK(crd.verified);
  CHECK(crd.verification.read == 6);
  CHECK(crd.verification.as_restored == 6);
  CHECK(crd.pruned_by ==
        (std::filesystem::path(world.folder.path()) / "widgets-1.crd.json").string());
  CHECK(world.observer.lines.empty());
  world.CheckAllAreBack();
  // A patch of the object for each, and one of the status for every other.
  CHECK(world.Requests("PATCH") == 9);

  const report::CrdRestore again = world.Run();
  CHECK(again.outcome == report::Outcome::kDone);
  CHECK(Text(again.counts) == "unchanged 6");
  CHECK(again.verified);
  CHECK(world.Requests("PATCH") == 9);
}

TEST_CASE("managedFields that the write would empty are kept", "[migrate][restore]") {
  World world;
  world.cluster.server.EmptyManagedFields();
  const auto entry = [](const std::string& version) {
    return R"({"apiVersion":"demo.example.com/)" + version +
           R"(","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:a":{}}},)"
           R"("manager":"m","operation":"Apply"})";
  };
  std::string text = World::Widget(World::Name(1), "u-" + World::Name(1), World::Pruned(1));
  text.insert(text.find(R"("name")"), R"("managedFields":[)" + entry("v0") + "],");
  world.cluster.server.Add(text);
  CHECK(Text(world.Run().counts) == "restored 6");
  world.CheckAllAreBack();
  const auto* stored = world.cluster.server.Stored(kWidgets, "shop/" + World::Name(1));
  const auto* entries = stored->Find("metadata")->Find("managedFields");
  REQUIRE(entries != nullptr);
  CHECK(kube::json::Print(*entries) == "[" + entry("v1") + "]");
}

TEST_CASE("Without the CRD of then all comes back that is missing, and that is said",
          "[migrate][restore]") {
  World world;
  world.ForgetCrd();
  world.Write(0, R"("spec":{"l":[{"n":"x"},{"n":"y"}]},"status":{"phase":"q"})");
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "restored 6");
  CHECK(crd.pruned_by.empty());
  CHECK(world.Stored(0) == R"({"a":0,"l":[{"n":"x","o":1},{"n":"y"}],"old":7}{"phase":"q"})");
  REQUIRE(world.observer.lines.size() == 1);
  CHECK_THAT(world.observer.lines[0],
             Contains("by which schemas its objects were pruned is not known") &&
                 Contains("\"widgets-1.crd.json\""));
  SECTION("nothing can be overwritten then") {
    world.options.settings.compare.overwrite = true;
    CHECK_THAT(world.ErrorOfRun(), Contains("--pruned-by"));
  }
}

TEST_CASE("Later writers win, unless what they have set is to be overwritten",
          "[migrate][restore]") {
  World world;
  world.Write(0, R"("spec":{"a":50,"old":8,"l":[{"n":"x"},{"n":"y"}]},"status":{"phase":"q"})");
  SECTION("they win") {
    const report::CrdRestore crd = world.Run();
    CHECK(Text(crd.counts) == "restored 6");
    CHECK(FieldsText(crd.kept) == "spec.old:1");
    CHECK(world.Stored(0) == R"({"a":50,"l":[{"n":"x","o":1},{"n":"y"}],"old":8}{"phase":"q"})");
  }
  SECTION("what pruning took is overwritten, and nothing else") {
    world.options.settings.compare.overwrite = true;
    CHECK(Text(world.Run().counts) == "restored 6");
    CHECK(world.Stored(0) == R"({"a":50,"l":[{"n":"x","o":1},{"n":"y"}],"old":7}{"phase":"q"})");
  }
}

TEST_CASE("A list that was changed is a conflict, and nothing of its object is written",
          "[migrate][restore]") {
  World world;
  const std::string rest = R"("spec":{"a":0,"l":[{"n":"y"},{"n":"x"}]},"status":{"phase":"p"})";
  world.Write(0, rest);
  report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(Text(crd.counts) == "restored 5, conflict 1");
  REQUIRE(crd.failures.size() == 1);
  CHECK(crd.failures[0].name == "w100");
  CHECK(crd.failures[0].paths == std::vector<std::string>{"spec.l"});
  CHECK(world.Stored(0) == R"({"a":0,"l":[{"n":"y"},{"n":"x"}]}{"phase":"p"})");
  SECTION("other fields of it can be chosen") {
    world.options.settings.compare.fields = *kube::meta::FieldChoice::Parse({"spec.old", "status"});
    crd = world.Run();
    CHECK(Text(crd.counts) == "restored 1, unchanged 5");
    CHECK(world.Stored(0) == R"({"a":0,"l":[{"n":"y"},{"n":"x"}],"old":7}{"phase":"p"})");
  }
}

TEST_CASE("What was deleted is gone, or made anew", "[migrate][restore]") {
  World world;
  world.Delete(1);
  SECTION("gone") {
    const report::CrdRestore crd = world.Run();
    CHECK(crd.outcome == report::Outcome::kFailures);
    CHECK(Text(crd.counts) == "restored 5, gone 1");
    CHECK(world.Stored(1) == "none");
  }
  SECTION("made anew, with its status, and unchanged in the next run") {
    world.options.settings.recreate = true;
    const report::CrdRestore crd = world.Run();
    CHECK(crd.outcome == report::Outcome::kDone);
    CHECK(Text(crd.counts) == "restored 5, recreated 1");
    CHECK(crd.verification.as_restored == 6);
    world.CheckAllAreBack();
    const auto* metadata =
        world.cluster.server.Stored(kWidgets, "shop/" + World::Name(1))->Find("metadata");
    CHECK(metadata->FindText("uid") != "u-w101");
    CHECK(Text(world.Run().counts) == "unchanged 6");
  }
  SECTION("another object of its name stays as it is") {
    world.options.settings.recreate = true;
    world.cluster.server.Add(World::Widget("w101", "another", R"("spec":{"a":99})"));
    const report::CrdRestore crd = world.Run();
    CHECK(Text(crd.counts) == "restored 5, gone 1");
    CHECK_THAT(crd.failures.at(0).message, Contains("another object of its name"));
    CHECK(world.Stored(1) == R"({"a":99})");
  }
  SECTION("one that was made anew without its status gets it") {
    world.options.settings.recreate = true;
    world.cluster.server.Add(World::Widget(
        "w101", "another", R"("spec":{"a":1,"old":7,"l":[{"n":"x","o":1},{"n":"y"}]})"));
    CHECK(Text(world.Run().counts) == "restored 6");
    world.CheckAllAreBack();
  }
}

TEST_CASE("What the schemas would prune of a new object keeps it from being made",
          "[migrate][restore]") {
  // The schema became narrower since: a is not what pruning took.
  World world(2);
  std::string crd = WidgetsCrd(kFixed);
  const std::string known = R"("a":{"type":"integer"}, )";
  crd.erase(crd.find(known), known.size());
  world.cluster.server.Add(crd);
  world.Delete(1);
  world.options.settings.recreate = true;
  world.options.settings.dry_run = GENERATE(report::DryRun::kNone, report::DryRun::kClient);
  const report::CrdRestore restored = world.Run();
  CHECK(Text(restored.counts) == "restored 1, failed 1");
  REQUIRE(restored.failures.size() == 1);
  CHECK_THAT(restored.failures[0].message,
             Contains("would prune this of a new one: .spec.a;") && Contains("not made anew"));
  CHECK(world.Stored(1) == "none");
}

TEST_CASE("What makes new objects go away again is told", "[migrate][restore]") {
  World world(2);
  std::ofstream(world.options.backup, std::ios::app)
      << R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"z","namespace":)"
         R"("shop","uid":"u-z","deletionTimestamp":"2026-11-01T00:00:00Z","finalizers":["a/b"],)"
         R"("ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u-o"}]},)"
         R"("spec":{"a":1,"old":2}})"
      << "\n";
  world.options.settings.recreate = true;
  SECTION("made") {
    CHECK(Text(world.Run().counts) == "restored 2, recreated 1");
    REQUIRE(world.observer.lines.size() == 2);
    CHECK_THAT(world.observer.lines[0], Contains("1 object made anew had owners"));
    CHECK_THAT(world.observer.lines[1], Contains("was being deleted when the backup was made"));
  }
  SECTION("in a namespace that does not exist") {
    world.options.settings.dry_run = report::DryRun::kClient;
    FakeFault fault = World::Always("/api/v1/namespaces/shop");
    fault.answer = FakeStatus(404, "NotFound", "namespaces \"shop\" not found");
    world.cluster.server.AddFault(fault);
    world.Run();
    REQUIRE(world.observer.lines.size() == 3);
    CHECK_THAT(world.observer.lines[2],
               Contains("namespaces \"shop\" not found: no object can be made anew in it"));
  }
}

TEST_CASE("A dry run by the server fails where the answer lacks what was sent",
          "[migrate][restore]") {
  World world(1);
  world.options.settings.dry_run = report::DryRun::kServer;
  FakeFault fault = World::Always("dryRun=All");
  fault.answer.emplace();
  fault.answer->body = World::Widget("w100", "u-w100", World::Pruned(0));
  world.cluster.server.AddFault(fault);
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "failed 1");
  CHECK_THAT(crd.failures.at(0).message, Contains("does not show what it brought"));
}

TEST_CASE("Nothing is written where the schema would prune the fields again",
          "[migrate][restore]") {
  World world;
  world.cluster.server.Add(WidgetsCrd(""));
  report::CrdRestore crd = world.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK(Text(crd.counts) == "not-tried 6");
  CHECK(FieldsText(crd.refused) == "spec.old:6");
  CHECK_THAT(crd.error,
             Contains(".spec.old (in 6 objects)") &&
                 Contains("kubectl get crd widgets.demo.example.com -o yaml > crd.yaml") &&
                 Contains("kubectl prune suggest --local -f crd.yaml -f " + world.options.backup));
  CHECK(world.Requests("PATCH") == 0);
  SECTION("other fields can be chosen") {
    world.options.settings.compare.fields = *kube::meta::FieldChoice::Parse({".status"});
    crd = world.Run();
    CHECK(Text(crd.counts) == "restored 3, unchanged 3");
    CHECK(FieldsText(crd.restored) == "status.since:3");
  }
}

TEST_CASE("A field that pruning did not take may be unknown", "[migrate][restore]") {
  // The schema became narrower since: a is not what pruning took.
  World world;
  std::string crd = WidgetsCrd(kFixed);
  const std::string known = R"("a":{"type":"integer"}, )";
  crd.erase(crd.find(known), known.size());
  world.cluster.server.Add(crd);
  CHECK(Text(world.Run().counts) == "restored 6");
}

TEST_CASE("A dry run by the client writes nothing, and says what it would", "[migrate][restore]") {
  World world;
  world.options.settings.dry_run = report::DryRun::kClient;
  world.options.settings.recreate = true;
  world.Delete(5);
  const report::CrdRestore crd = world.Run();
  CHECK(Text(crd.counts) == "restored 5, recreated 1");
  REQUIRE(crd.objects.size() == 6);
  CHECK(crd.objects[1].name == "w101");
  CHECK(crd.objects[1].restored ==
        std::vector<std::string>{"spec.old", "spec.l[0].o", "status.since"});
  CHECK_FALSE(crd.verified);
  CHECK(world.Requests("PATCH") + world.Requests("POST /apis/demo") == 0);
}

TEST_CASE("A dry run by the client says what the server would refuse, however many these are",
          "[migrate][restore]") {
  World world(70);
  std::string crd = WidgetsCrd(R"(,"old":{"type":"integer","maximum":5})");
  world.cluster.server.Add(crd);
  world.options.settings.dry_run = report::DryRun::kClient;
  world.options.settings.recreate = true;
  world.Delete(69);
  const report::CrdRestore restored = world.Run();
  CHECK(Text(restored.counts) == "invalid 70");
  REQUIRE(restored.failures.size() == 70);
  for (const int i : {0, 69}) {
    CHECK(restored.failures[static_cast<std::size_t>(i)].code == 422);
    CHECK(restored.failures[static_cast<std::size_t>(i)].message ==
          "Widget.demo.example.com \"" + World::Name(i) +
              "\" is invalid: spec.old: Invalid value: 7: spec.old in body should be less than or "
              "equal to 5");
  }
}

TEST_CASE("What the schema refuses of a status alone is refused behind the rest",
          "[migrate][restore]") {
  World world(2);
  std::string crd = WidgetsCrd(kFixed);
  const std::string since = R"("since":{"type":"integer"})";
  crd.replace(crd.find(since), since.size(), R"("since":{"type":"integer","maximum":2})");
  world.cluster.server.Add(crd);
  world.options.settings.dry_run = report::DryRun::kClient;
  const report::CrdRestore restored = world.Run();
  CHECK(Text(restored.counts) == "restored 1, invalid 1");
  CHECK(restored.failures.at(0).name == "w101");
}

TEST_CASE("A dry run by the server has it judge every write", "[migrate][restore]") {
  World world;
  world.options.settings.dry_run = report::DryRun::kServer;
  world.options.settings.recreate = true;
  world.Delete(5);
  CHECK(Text(world.Run().counts) == "accepted 6");
  CHECK(world.Requests("PATCH") == 7);
  CHECK(world.Stored(0) == R"({"a":0,"l":[{"n":"x"},{"n":"y"}]}{"phase":"p"})");
  CHECK(world.Stored(5) == "none");
}

TEST_CASE("Objects are chosen by name, namespace and selectors", "[migrate][restore]") {
  World world;
  SECTION("by name") {
    world.options.targets = {{"widgets", "w102"}, {"Widget", "w103"}};
    CHECK(Text(world.Run().counts) == "restored 2, not-chosen 4");
    CHECK(world.Stored(2) == World::WholeStored(2));
    CHECK(world.Stored(1) != World::WholeStored(1));
  }
  SECTION("by CRD") {
    world.options.targets = {{"widgets.demo.example.com", ""}};
    CHECK(Text(world.Run().counts) == "restored 6");
  }
  SECTION("by a namespace that has none of them") {
    world.options.objects.namespace_ = "elsewhere";
    CHECK(Text(world.Run().counts) == "not-chosen 6");
  }
  SECTION("by a name that another namespace has") {
    world.options.objects.namespace_ = "elsewhere";
    world.options.targets = {{"widgets", "w102"}};
    CHECK_THAT(world.ErrorOfRun(),
               Contains("has no objects of widgets/w102 in namespace elsewhere"));
  }
  SECTION("by fields, of which one is nowhere") {
    world.options.settings.compare.fields =
        *kube::meta::FieldChoice::Parse({".spec.old", ".spec.l[*].o", ".spec.typo"});
    CHECK(Text(world.Run().counts) == "restored 6");
    CHECK(
        world.observer.lines ==
        std::vector<std::string>{
            "note: --fields .spec.typo: no object of the backup that was chosen has such a field"});
  }
  SECTION("by what the server selects") {
    world.options.objects.field_selector = "metadata.name=w104";
    CHECK(Text(world.Run().counts) == "restored 1, not-chosen 5");
  }
  SECTION("by a name that is not in the backup") {
    world.options.targets = {{"widgets", "w999"}};
    CHECK_THAT(world.ErrorOfRun(), Contains("has no objects of widgets/w999"));
    world.options.targets = {{"gizmos", ""}};
    CHECK_THAT(world.ErrorOfRun(), Contains("has no objects of gizmos"));
  }
}

TEST_CASE("A null comes back where the server keeps it", "[migrate][restore]") {
  World world(1);
  std::ofstream(world.options.backup)
      << World::Widget("w100", "u-w100", R"("spec":{"a":null,"old":null})") << "\n";
  world.Write(0, R"("spec":{})");
  CHECK(Text(world.Run().counts) == "restored 1");
  CHECK(world.Stored(0) == R"({"old":null})");
  CHECK(Text(world.Run().counts) == "unchanged 1");
}

TEST_CASE("A backup that is not whole, or not one, is not begun with", "[migrate][restore]") {
  World world(2);
  const auto error_of = [&world](const std::string& text) {
    std::ofstream(world.options.backup, std::ios::binary) << text;
    const std::string error = world.ErrorOfRun();
    CHECK(world.Requests("PATCH") == 0);
    return error;
  };
  const std::string whole = World::Widget("w100", "u-w100", World::Whole(0)) + "\n";
  const std::string secret = "s3cr3t";
  CHECK_THAT(error_of(whole + R"({"apiVersion":"demo.example.com/v1","spec":{"old":"s3cr3t)"),
             Contains("cannot read the backup: ") && Contains("not the whole backup") &&
                 !Contains(secret));
  CHECK_THAT(error_of("\x1f\x8b\x08"), Contains("gunzip it first"));
  CHECK_THAT(error_of(WidgetsCrd("")), Contains("it is a CustomResourceDefinition"));
  CHECK_THAT(error_of(whole + whole), Contains("has shop/w100 more than once"));
  CHECK_THAT(error_of(whole + R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})"),
             Contains("it is no custom resource"));
  CHECK_THAT(
      error_of(
          R"({"apiVersion":"demo.example.com/v1","kind":"Widget","metadata":{"name":"../a"}})"),
      Contains("it has no name that an object can have"));
  CHECK_THAT(
      error_of(R"({"apiVersion":"no.example.com/v1","kind":"None","metadata":{"name":"a"}})"),
      Contains(
          "has a, and the cluster has no CustomResourceDefinition named \"None.no.example.com\""));
  CHECK_THAT(error_of(""), Contains("holds no objects"));
  CHECK_THAT(error_of(whole + "[1,2]"), Contains("cannot read the backup: "));
  CHECK_THAT(error_of(whole + "\xff\xfe\x00{{{"), Contains("cannot read the backup: "));
}

TEST_CASE("A backup may be a list, or YAML", "[migrate][restore]") {
  World world(2);
  std::ofstream(world.options.backup)
      << R"({"apiVersion":"v1","kind":"List","items":[)" +
             World::Widget("w100", "u-w100", World::Whole(0)) + "," +
             World::Widget("w101", "u-w101", World::Whole(1)) + "]}";
  CHECK(Text(world.Run().counts) == "restored 2");
  world.CheckAllAreBack(2);
}

TEST_CASE("The CRD of then has to be that of the objects", "[migrate][restore]") {
  World world(1);
  const std::filesystem::path file = std::filesystem::path(world.folder.path()) / "other.yaml";
  std::string crd = WidgetsCrd("");
  crd.replace(crd.find("widgets.demo"), 7, "gizmos");
  std::ofstream(file) << crd;
  world.options.pruned_by = file.string();
  CHECK_THAT(world.ErrorOfRun(),
             Contains("is the CustomResourceDefinition gizmos.demo.example.com"));
  std::ofstream(file) << "a: b";
  CHECK_THAT(world.ErrorOfRun(), Contains("holds 0 CustomResourceDefinitions"));
  world.options.pruned_by = (std::filesystem::path(world.folder.path()) / "none").string();
  CHECK_THAT(world.ErrorOfRun(), Contains("does not exist"));
}

TEST_CASE("The CRD of then has to be one by which pruning took something", "[migrate][restore]") {
  World world(1);
  const std::filesystem::path file = std::filesystem::path(world.folder.path()) / "fixed.yaml";
  std::ofstream(file) << WidgetsCrd(kFixed);
  world.options.pruned_by = file.string();
  CHECK_THAT(world.ErrorOfRun(), Contains("\"" + file.string() + "\"") &&
                                     Contains("takes nothing from any of these objects"));
  CHECK(world.Requests("PATCH") == 0);
}

TEST_CASE("What lies beside the backup is told as what it is", "[migrate][restore]") {
  World world(1);
  const std::filesystem::path folder = world.folder.path();
  SECTION("of another CRD") {
    std::string crd = WidgetsCrd("");
    crd.replace(crd.find("widgets.demo"), 7, "gizmos");
    std::ofstream(folder / "widgets-1.crd.json") << crd;
    world.Run();
    REQUIRE(world.observer.lines.size() == 1);
    CHECK_THAT(
        world.observer.lines[0],
        Contains("widgets-1.crd.json\" is the CustomResourceDefinition gizmos.demo.example.com") &&
            !Contains("there is no"));
  }
  SECTION("broken") {
    std::ofstream(folder / "widgets-1.crd.json") << "{\"a\":";
    CHECK_THAT(world.ErrorOfRun(), Contains("widgets-1.crd.json") && Contains("--pruned-by"));
  }
  SECTION("of a link") {
    std::filesystem::create_directory(folder / "links");
    std::filesystem::create_symlink(folder / "widgets-1.ndjson",
                                    folder / "links" / "newest.ndjson");
    world.options.backup = (folder / "links" / "newest.ndjson").string();
    CHECK_THAT(world.Run().pruned_by, Catch::Matchers::EndsWith("widgets-1.crd.json"));
    CHECK(world.observer.lines.empty());
  }
}

TEST_CASE("A folder is no backup", "[migrate][restore]") {
  World world(1);
  world.options.backup = std::string(world.folder.path());
  CHECK_THAT(world.ErrorOfRun(), Contains("is a folder: name one of the backups in it"));
}

TEST_CASE("Fields of an object are counted however many there are", "[migrate][restore]") {
  World world(1);
  std::string many;
  for (int i = 0; i < 150; ++i) many += (i ? ",\"f" : "\"f") + std::to_string(i) + "\":1";
  std::ofstream(world.options.backup)
      << World::Widget("w100", "u-w100", R"("spec":{"a":1,"m":{)" + many + "}}") << "\n";
  world.cluster.server.Add(WidgetsCrd(
      R"(,"old":{"type":"integer"},"m":{"type":"object","x-kubernetes-preserve-unknown-fields":true})"));
  world.Write(0, R"("spec":{"a":1,"m":{"f0":1}})");
  const report::CrdRestore crd = world.Run();
  CHECK(crd.restored.size() == 149);
  REQUIRE(crd.objects.size() == 1);
  CHECK(crd.objects[0].restored.size() == 100);
  CHECK(crd.objects[0].restored_count == 149);
  CHECK_THAT(report::JoinPaths(crd.objects[0].restored, crd.objects[0].restored_count),
             Catch::Matchers::EndsWith(" and 49 more"));
}

TEST_CASE("Missing rights are told before anything is written", "[migrate][restore]") {
  World world(1);
  const auto missing = [](const std::string& what) {
    return "the right to " + what +
           " is missing; ask for it (krew/manifests/restorer.yaml has all that restore needs), or "
           "be "
           "somebody else by --as. Nothing was written";
  };
  SECTION("of the object") {
    world.cluster.server.Deny("patch", kWidgets);
    CHECK(world.ErrorOfRun() == missing("patch widgets.demo.example.com"));
  }
  SECTION("of the status") {
    world.cluster.server.Deny("patch", kWidgets + "/status");
    CHECK(world.ErrorOfRun() == missing("patch widgets.demo.example.com/status"));
  }
  SECTION("to make anew") {
    world.cluster.server.Deny("create", kWidgets);
    CHECK(world.ErrorOfRun().empty());
    world.options.settings.recreate = true;
    CHECK(world.ErrorOfRun() == missing("create widgets.demo.example.com"));
  }
}

}  // namespace restore_test
}  // namespace migrate::restore
