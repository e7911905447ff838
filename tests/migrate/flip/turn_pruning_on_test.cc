#include "migrate/migration/turn_pruning_on.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "kube/base/result.h"
#include "migrate/check/cluster_crds.h"
#include "migrate/check/crd_request.h"
#include "migrate/migration/after_pruning_on.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
namespace turn_pruning_on_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using Phase = rewrite::MigrationState::Phase;
using Strings = std::vector<std::string>;

const std::string kName = "widgets.demo.example.com";
const std::string kCrd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + kName;
const std::string kSettled = "waiting until the server prunes: 5 of 5 reads pruned (2.0 s)";

/// Answers as it is told, and writes down what it is told.
class Person : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  void RequireAnswer() override {
    if (!can_answer) throw kube::base::Error("nobody can be asked");
  }
  bool Confirm(const std::string& question) override {
    questions.push_back(question);
    if (meanwhile) meanwhile();
    return agrees;
  }
  bool agrees = true, can_answer = true;
  std::function<void()> meanwhile{};  // while the question waits
  Strings lines, questions;
};

/// A CRD that preserves unknown fields, and three objects of which two lose a field.
struct World {
  explicit World(const std::string& stored_versions = R"(["v1"])") {
    std::string crd = FakeCrdText("widgets", R"(,"preserveUnknownFields":true)");
    crd.insert(crd.size() - 1, R"(,"status":{"storedVersions":)" + stored_versions + "}");
    cluster.server.Add(crd);
    Write("a", R"({"x":1})");
    Write("b", R"({"x":2})");
    Write("plain", R"({"a":"1"})");
    options.backup_dir = fs::path(folder.path()) / "backup";
    options.now = [] { return std::chrono::sys_days(2026y / 11 / 21) + 3h + 15min; };
    cluster.run_stop = &stop;
  }
  void Write(const std::string& name, const std::string& spec) {
    test_support::WriteFakeObject(cluster.server, "widgets", name, spec);
  }
  check::LiveCrd& Live() {
    const cluster::ProgressFunction none;
    cluster::ClusterReader reader(cluster.session(), {}, none);
    crds = check::ReadClusterCrds({.names = {kName}}, {}, reader);
    return crds.crds.at(kName);
  }
  static PruningTurnedOn BackUpAndTurnOn(const PruningRun& run, const PruningOptions& options) {
    BackedUp backed_up = BackUp(run, options);
    return TurnPruningOn(run, options, std::move(backed_up));
  }
  PruningTurnedOn TurnOn(const check::LiveCrd& live) { return Run(live, BackUpAndTurnOn); }
  PruningTurnedOn TurnOn() { return TurnOn(Live()); }
  PruningTurnedOn Resume() { return Run(Live(), ResumePruning); }
  PruningTurnedOn Run(const check::LiveCrd& live, decltype(ResumePruning)& function) {
    rewrite::RunState state(
        folder.path(), "cluster",
        {.crd_name = kName, .shape = live.shape, .stored_versions = {}, .is_partial = false},
        options.now());
    const rewrite::MigrationSession session{cluster.session(), person};
    return function({.crd = live,
                     .scope = scope,
                     .sweep_options = sweep_options,
                     .dry_run = dry_run,
                     .state = state,
                     .session = session},
                    options);
  }
  rewrite::MigrationState State() {
    const check::LiveCrd& live = Live();
    return rewrite::StateFolder(folder.path(), "cluster", live.shape.uid, kName).Load();
  }
  bool IsPruningOn() {
    const auto crd = check::GetCrd(cluster.client, kCrd);
    REQUIRE(crd);
    return !crd->preserve_unknown_fields;
  }
  bool IsHeld(const PruningTurnedOn& enabled, const std::string& name) const {
    const auto* metadata = cluster.server.Stored(kName, "shop/" + name)->Find("metadata");
    cluster::ListedObject object;
    object.name = name;
    object.uid = metadata->FindText("uid");
    object.resource_version = metadata->FindText("resourceVersion");
    return enabled.is_held && enabled.is_held(object);
  }
  Strings Backups() const {
    Strings names;
    if (!fs::exists(options.backup_dir)) return names;
    for (const auto& entry : fs::directory_iterator(options.backup_dir)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  /// Does something, or lets something happen, when pruning is turned on.
  void AtTurningOn(FakeFault fault) {
    fault.target = kCrd;
    fault.first = (options.no_backup ? kReadsWithoutBackup : kReadsBeforePruning) + 1;
    cluster.server.AddFault(fault);
  }
  /// Is interrupted when the backup is complete, and the write that turns pruning on not asked for.
  PruningTurnedOn BackUpOnly() {
    cluster.server.AddFault(
        {.target = kCrd, .first = kReadsBeforePruning, .before = [this] { stop = true; }});
    PruningTurnedOn interrupted = TurnOn();
    REQUIRE(interrupted.outcome == report::Outcome::kInterrupted);
    stop = false;
    return interrupted;
  }
  fs::path StatePath() {
    const check::LiveCrd& live = Live();
    return rewrite::StateFolder(folder.path(), "cluster", live.shape.uid, kName).path();
  }
  std::ptrdiff_t Writes() const {
    return std::ranges::count_if(cluster.server.requests(),
                                 [](const auto& request) { return request.method != "GET"; });
  }

  // By Live(), at the start of TurnOn(), behind the question, behind the backup, and before the
  // write.
  static constexpr int kReadsBeforePruning = 5, kReadsWithoutBackup = 4;

  FakeCluster cluster;
  test_support::TempFolder folder;
  Person person;
  check::ClusterCrds crds;
  std::atomic<bool> stop = false;
  PruningOptions options;
  report::DryRun dry_run = report::DryRun::kNone;
  rewrite::RewriteScope scope{
      .crd_name = kName,
      .target = {.group = "demo.example.com", .version = "v1", .plural = "widgets"}};
  rewrite::SweepOptions sweep_options;
};

// The dry run of one write, and the write that turns pruning on.
constexpr int kDryWriteAndTurnOn = 2;

TEST_CASE("Pruning is turned on behind a backup and a question", "[migrate][turn_pruning_on]") {
  World world;
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kDone);
  CHECK(world.IsPruningOn());
  const std::string backup = "widgets.demo.example.com-20261121T031500Z.ndjson";
  CHECK(world.Backups() == Strings{backup});
  CHECK(enabled.backup == (world.options.backup_dir / backup).string());
  CHECK(world.person.questions == Strings{"Turn pruning on for widgets.demo.example.com? "
                                          "apiextensions.k8s.io/v1 cannot turn it off again."});
  REQUIRE(world.person.lines.size() == 7);
  CHECK(world.person.lines[0] ==
        "widgets.demo.example.com: 2 of 3 objects would lose 1 field (kubectl prune check "
        "widgets.demo.example.com)");
  CHECK_THAT(world.person.lines[4], Catch::StartsWith("plan: back up 2 objects") &&
                                        Catch::EndsWith(", to " + enabled.backup));
  CHECK_THAT(world.person.lines[5], Catch::StartsWith("backup: " + enabled.backup + " (2 objects"));
  CHECK(world.person.lines[6] == kSettled);
  for (const char* name : {"a", "b", "plain"}) CHECK_FALSE(world.IsHeld(enabled, name));
  const rewrite::MigrationState state = world.State();
  CHECK(state.phase == Phase::kBackupComplete);
  CHECK(state.backup == enabled.backup);
  CHECK_FALSE(state.pruning_on_resource_version.empty());
  CHECK_FALSE(enabled.before_pruning);
}

TEST_CASE("Nothing is written where the answer is no", "[migrate][turn_pruning_on]") {
  World world;
  world.person.agrees = false;
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK(enabled.error == "pruning was not turned on, as that was not confirmed");
  CHECK(world.Writes() == 0);
  CHECK(world.Backups().empty());
}

TEST_CASE("Nothing is written where somebody else turns pruning on meanwhile",
          "[migrate][turn_pruning_on]") {
  World world(R"(["v1beta1","v1"])");
  world.person.meanwhile = [&world] {
    world.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  };
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::StartsWith("spec.preserveUnknownFields was turned off") &&
                                Catch::Contains("nobody can make a backup any more"));
  CHECK(world.Writes() == 0);
}

TEST_CASE("A dry run tells the plan, asks nobody and writes nothing",
          "[migrate][turn_pruning_on]") {
  World world(R"(["v1beta1","v1"])");
  world.dry_run = GENERATE(report::DryRun::kClient, report::DryRun::kServer);
  CHECK(world.TurnOn().outcome == report::Outcome::kDone);
  CHECK(world.person.questions.empty());
  CHECK(world.person.lines.size() == 5);
  CHECK(world.Backups().empty());
  CHECK_FALSE(world.IsPruningOn());
  // The switch and one object, both with dryRun=All.
  CHECK(world.Writes() == (world.dry_run == report::DryRun::kServer ? 2 : 0));
  CHECK(world.State().phase == Phase::kBeforePruning);
}

TEST_CASE("A dry run shows why the server would refuse", "[migrate][turn_pruning_on]") {
  World world;
  world.dry_run = report::DryRun::kServer;
  world.cluster.server.AddFault(
      {.target = "dryRun=All",
       .answer = test_support::FakeStatus(422, "Invalid", "spec.validation: no")});
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::StartsWith("the server would not turn pruning on: ") &&
                                Catch::Contains("spec.validation: no"));
}

TEST_CASE("Objects in several stored versions are rewritten before", "[migrate][turn_pruning_on]") {
  World world(R"(["v1beta1","v1"])");
  SECTION("all of them") {
    const PruningTurnedOn enabled = world.TurnOn();
    CHECK(enabled.outcome == report::Outcome::kDone);
    REQUIRE(enabled.before_pruning);
    CHECK(enabled.before_pruning->Total() == 3);
  }
  SECTION("not in a single pass") {
    world.options.single_pass = true;
    const PruningTurnedOn enabled = world.TurnOn();
    CHECK(enabled.outcome == report::Outcome::kDone);
    CHECK_FALSE(enabled.before_pruning);
    CHECK(world.Writes() == kDryWriteAndTurnOn);
    // v1beta1 does not know spec.a: "plain" may lose it.
    CHECK_THAT(world.person.lines[4], Catch::Contains("back up 3 objects"));
  }
  SECTION("one that fails stops it") {
    world.cluster.server.AddFault(
        {.target = "/widgets/b",
         .times = 0,
         .answer = test_support::FakeStatus(422, "Invalid", "spec.x: bad")});
    const PruningTurnedOn enabled = world.TurnOn();
    CHECK(enabled.outcome == report::Outcome::kFailures);
    CHECK_THAT(enabled.error, Catch::StartsWith("pruning was not turned on, and nothing was"));
    REQUIRE(enabled.failures.size() == 1);
    CHECK(enabled.failures[0].name == "b");
    CHECK_FALSE(world.IsPruningOn());
    CHECK(world.Backups().empty());
    CHECK(world.State().phase == Phase::kBeforePruning);
  }
}

TEST_CASE("An object that was written in the gap is held", "[migrate][turn_pruning_on]") {
  World world;
  FakeFault fault;
  fault.before = [&] {
    world.Write("b", R"({"x":3})");
    world.Write("new", R"({"x":4})");
  };
  SECTION("by default") {}
  SECTION("not where that is not wanted") { world.options.rewrite_unbacked = true; }
  SECTION("not without a backup") { world.options.no_backup = true; }
  world.AtTurningOn(fault);
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kDone);
  const bool holds = !world.options.rewrite_unbacked && !world.options.no_backup;
  CHECK(world.IsHeld(enabled, "b") == holds);
  CHECK(world.IsHeld(enabled, "new") == holds);
  CHECK_FALSE(world.IsHeld(enabled, "a"));
  world.Write("new", "{}");
  CHECK_FALSE(world.IsHeld(enabled, "new"));
  CHECK(world.Backups().empty() == world.options.no_backup);
}

TEST_CASE("Pruning is not turned on where a webhook would keep objects from being rewritten",
          "[migrate][turn_pruning_on]") {
  World world;
  if (GENERATE(false, true)) {  // also where no object loses anything
    for (const char* name : {"a", "b"}) world.Write(name, "{}");
  }
  world.cluster.server.AddFault(
      {.target = "?dryRun=All",
       .times = 0,
       .answer = test_support::FakeStatus(
           500, "InternalError", "Internal error occurred: failed calling webhook \"a.b\"")});
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::Contains("failed calling webhook"));
  CHECK_FALSE(world.IsPruningOn());
  CHECK(world.Backups().empty());
}

TEST_CASE("What was written until the servers were seen to prune is held",
          "[migrate][turn_pruning_on]") {
  World world;
  FakeFault fault;
  fault.target = "/namespaces/shop/widgets/";  // the wait reads an object
  fault.first = 2;                             // behind the dry run of a write
  fault.before = [&] { world.Write("new", R"({"x":4})"); };
  world.cluster.server.AddFault(fault);
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kDone);
  CHECK(world.IsHeld(enabled, "new"));
  CHECK_FALSE(world.IsHeld(enabled, "a"));
  CHECK_FALSE(world.State().settled_resource_version.empty());
  world.Write("later", "{}");
  CHECK_FALSE(world.IsHeld(enabled, "later"));
}

TEST_CASE("Where no object can show it, servers get the time that any change may take",
          "[migrate][turn_pruning_on]") {
  World world;
  SECTION("as all were written meanwhile") {
    world.cluster.server.AddFault({.target = "watch=", .before = [&] {
                                     for (const char* name : {"a", "b"})
                                       world.Write(name, R"({"x":5})");
                                   }});
  }
  SECTION("as nothing is lost but a null") {
    for (const char* name : {"a", "b"}) world.Write(name, R"({"a":null})");
  }
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kDone);
  CHECK_FALSE(enabled.backup.empty());
  CHECK(world.cluster.clock.passed() >= 5s);
  CHECK_FALSE(world.State().settled_resource_version.empty());
}

// A server that has not noticed that pruning is on stores what others write as they send it.
TEST_CASE("Behind a flip that loses nothing it is waited for servers all the same",
          "[migrate][turn_pruning_on]") {
  World world;
  for (const char* name : {"a", "b"}) world.Write(name, R"({"a":"1"})");
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kDone);
  CHECK(enabled.backup.empty());
  CHECK(world.cluster.clock.passed() >= 5s);
  CHECK_FALSE(world.State().settled_resource_version.empty());
}

TEST_CASE("What breaks behind the flip is told as such, and leaves what to go on with",
          "[migrate][turn_pruning_on]") {
  World world;
  const fs::path in_the_way = world.StatePath() / "state.json.new";
  FakeFault fault;
  fault.before = [&] { fs::create_directory(in_the_way); };
  world.AtTurningOn(fault);
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK(enabled.has_turned_on);
  CHECK(fs::exists(enabled.backup));
  CHECK_THAT(enabled.error,
             Catch::StartsWith("pruning is on, but this run broke off: cannot write") &&
                 Catch::Contains("with the same --state-dir") &&
                 !Catch::Contains("choose another folder"));
  fs::remove(in_the_way);
  fault.target = "/v1/widgets";
  fault.first = 1;
  world.cluster.server.AddFault(fault);
  const PruningTurnedOn broken = world.Resume();
  CHECK(broken.outcome == report::Outcome::kError);
  CHECK(broken.backup == enabled.backup);
  CHECK_THAT(broken.error, Catch::StartsWith("pruning is on, but this run broke off"));
  fs::remove(in_the_way);
  const PruningTurnedOn resumed = world.Resume();
  CHECK(resumed.outcome == report::Outcome::kDone);
  CHECK(resumed.backup == enabled.backup);
  CHECK_FALSE(world.IsHeld(resumed, "a"));
}

TEST_CASE("Without its backup a later run does not go on by itself", "[migrate][turn_pruning_on]") {
  World world;
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kDone);
  const fs::path elsewhere = enabled.backup + ".moved";
  fs::rename(enabled.backup, elsewhere);
  const PruningTurnedOn resumed = world.Resume();
  CHECK(resumed.outcome == report::Outcome::kError);
  CHECK_THAT(resumed.error, Catch::Contains("the backup " + enabled.backup + " is not there") &&
                                Catch::Contains("--rewrite-unbacked"));
  SECTION("but with it") { fs::rename(elsewhere, enabled.backup); }
  SECTION("but where that is wanted") { world.options.rewrite_unbacked = true; }
  SECTION("but where none is wanted") { world.options.no_backup = true; }
  SECTION("but where all is rewritten, and some objects are held") {
    rewrite::MigrationState state = world.State();
    state.phase = Phase::kHolding;
    rewrite::StateFolder(world.folder.path(), "cluster", state.crd_uid, kName).Save(state);
  }
  CHECK(world.Resume().outcome == report::Outcome::kDone);
}

TEST_CASE("Whoever has turned pruning on, what is written later is not held",
          "[migrate][turn_pruning_on]") {
  World world;
  world.BackUpOnly();
  world.cluster.server.PatchCrd(kName, R"({"spec":{"names":{"plural":"widgets",)"
                                       R"("kind":"Kindwidgets","shortNames":["w"]}}})");
  world.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  world.Write("b", R"({"x":7})");
  const PruningTurnedOn resumed = world.Resume();
  REQUIRE(resumed.outcome == report::Outcome::kDone);
  CHECK_FALSE(world.IsHeld(resumed, "a"));
  CHECK(world.IsHeld(resumed, "b"));
  world.Write("b", "{}");
  CHECK_FALSE(world.IsHeld(resumed, "b"));
  world.Write("new", "{}");
  CHECK_FALSE(world.IsHeld(resumed, "new"));
}

TEST_CASE("What was written since a run over some of the objects saw servers prune is not held",
          "[migrate][turn_pruning_on]") {
  World world;
  REQUIRE(world.TurnOn().outcome == report::Outcome::kDone);
  const std::string settled = world.State().settled_resource_version;
  REQUIRE_FALSE(settled.empty());
  // That run has rewritten some, and left the phase as it was.
  world.Write("b", R"({"a":"1"})");
  const PruningTurnedOn resumed = world.Resume();
  REQUIRE(resumed.outcome == report::Outcome::kDone);
  CHECK(world.State().settled_resource_version == settled);
  CHECK_FALSE(world.IsHeld(resumed, "b"));
}

TEST_CASE("Held objects stay held in a later run until somebody writes them",
          "[migrate][turn_pruning_on]") {
  World world;
  FakeFault fault;
  fault.before = [&] { world.Write("b", R"({"x":3})"); };
  world.AtTurningOn(fault);
  REQUIRE(world.TurnOn().outcome == report::Outcome::kDone);
  const PruningTurnedOn resumed = world.Resume();
  CHECK(resumed.outcome == report::Outcome::kDone);
  CHECK(world.IsHeld(resumed, "b"));
  CHECK_FALSE(world.IsHeld(resumed, "a"));
  world.Write("b", "{}");
  CHECK_FALSE(world.IsHeld(resumed, "b"));
  world.options.rewrite_unbacked = true;
  CHECK_FALSE(world.Resume().is_held);
}

TEST_CASE("A flip whose answer is lost is found out", "[migrate][turn_pruning_on]") {
  World world;
  FakeFault fault;
  fault.lost_after = 0;
  SECTION("by the same run") {
    world.AtTurningOn(fault);
    const PruningTurnedOn enabled = world.TurnOn();
    CHECK(enabled.outcome == report::Outcome::kDone);
    CHECK_FALSE(world.IsHeld(enabled, "a"));
  }
  SECTION("by the next one") {
    fault.times = 60;  // more than this run tries
    world.AtTurningOn(fault);
    const PruningTurnedOn enabled = world.TurnOn();
    CHECK(enabled.outcome == report::Outcome::kError);
    CHECK_THAT(enabled.error, Catch::StartsWith("it is not known whether pruning was turned on"));
    CHECK(world.Backups().size() == 1);
    while (!world.cluster.client.Get(kCrd)) continue;
    CHECK(world.IsPruningOn());
    const rewrite::MigrationState state = world.State();
    CHECK(state.phase == Phase::kBackupComplete);
    CHECK(state.pruning_on_resource_version.empty());
    world.Write("late", R"({"x":9})");
    const PruningTurnedOn resumed = world.Resume();
    CHECK(resumed.outcome == report::Outcome::kDone);
    CHECK(resumed.backup == state.backup);
    CHECK_FALSE(world.IsHeld(resumed, "a"));
    // After pruning is on, but nobody had seen that the server prunes.
    CHECK(world.IsHeld(resumed, "late"));
    CHECK_FALSE(world.State().pruning_on_resource_version.empty());
  }
}

TEST_CASE("A CRD that is changed meanwhile is not flipped", "[migrate][turn_pruning_on]") {
  World world;
  FakeFault fault;
  fault.before = [&] {
    world.cluster.server.PatchCrd(kName, R"({"spec":{"names":{"plural":"widgets",)"
                                         R"("kind":"Kindwidgets","shortNames":["w"]}}})");
  };
  world.AtTurningOn(fault);
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::Contains("was changed meanwhile"));
  CHECK_FALSE(world.IsPruningOn());
}

TEST_CASE("A server that does not prune in time ends the run, and the next one goes on",
          "[migrate][turn_pruning_on]") {
  World world;
  bool is_stale = true;
  world.cluster.server.ServeStale([&] { return is_stale; });
  world.options.settle_timeout = 10s;
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::Contains("not every API server prunes yet") &&
                                Catch::Contains("run the same command again"));
  CHECK(world.Writes() == kDryWriteAndTurnOn);
  CHECK(world.Resume().outcome == report::Outcome::kError);
  is_stale = false;
  CHECK(world.Resume().outcome == report::Outcome::kDone);
  CHECK(world.person.lines.back() == kSettled);
  CHECK(world.person.questions.size() == 1);
  CHECK(world.Writes() == kDryWriteAndTurnOn);
}

TEST_CASE("A field that has come into the schema is not waited for", "[migrate][turn_pruning_on]") {
  World world;
  world.cluster.server.ServeStale([] { return true; });
  world.options.settle_timeout = 10s;
  const PruningTurnedOn enabled = world.TurnOn();
  REQUIRE(enabled.outcome == report::Outcome::kError);
  CHECK(enabled.has_turned_on);
  world.cluster.server.PatchCrd(kName, R"({"spec":{"versions":[{"name":"v1","served":true,
      "storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{
      "type":"object","properties":{"x":{"type":"integer"}}}}}}}]}})");
  const PruningTurnedOn resumed = world.Resume();
  CHECK(resumed.outcome == report::Outcome::kDone);
  CHECK_FALSE(resumed.has_turned_on);
  CHECK(world.IsHeld(resumed, "plain"));  // which has a field that only the old schema knows
}

TEST_CASE("Objects that may not be read end the wait at once", "[migrate][turn_pruning_on]") {
  World world;
  world.cluster.server.AddFault(
      {.target = "/widgets/a",
       .times = 0,
       .answer = test_support::FakeStatus(403, "Forbidden", "alice may not get widgets")});
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::Contains("pruning is on") &&
                                Catch::Contains("alice may not get widgets") &&
                                Catch::Contains("the right to get"));
  CHECK(world.cluster.clock.passed() < 2s);
}

TEST_CASE("Where nobody can be asked no object is read", "[migrate][turn_pruning_on]") {
  World world;
  world.person.can_answer = false;
  CHECK_THROWS_WITH(world.TurnOn(), "nobody can be asked");
  CHECK(std::ranges::none_of(world.cluster.server.requests(), [](const auto& request) {
    return request.target.find("/v1/widgets") != std::string::npos;
  }));
}

TEST_CASE("A CRD that is no longer what was checked is not backed up",
          "[migrate][turn_pruning_on]") {
  World world;
  const check::LiveCrd& live = world.Live();
  world.cluster.server.PatchCrd(kName, R"({"spec":{"scope":"Cluster"}})");
  const PruningTurnedOn enabled = world.TurnOn(live);
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error, Catch::Contains("changed meanwhile"));
  CHECK(world.person.lines.empty());
}

TEST_CASE("An earlier backup counts until the next one is complete", "[migrate][turn_pruning_on]") {
  World world;
  const std::string backup = world.BackUpOnly().backup;
  REQUIRE(world.Backups().size() == 1);
  world.Write("b", R"({"x":3})");
  FakeFault flip;
  flip.target = "/v1/widgets?";
  flip.first = 2;  // the list of the plan is the first one
  flip.before = [&] {
    world.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  };
  world.cluster.server.AddFault(flip);
  world.options.now = [] { return std::chrono::sys_days(2027y / 1 / 1); };
  REQUIRE(world.TurnOn().outcome == report::Outcome::kError);
  REQUIRE(world.IsPruningOn());
  const PruningTurnedOn resumed = world.Resume();
  CHECK(resumed.backup == backup);
  CHECK(world.Backups().size() == 1);
  CHECK_FALSE(world.IsHeld(resumed, "a"));
  CHECK(world.IsHeld(resumed, "b"));
}

TEST_CASE("A backup that cannot be written keeps pruning off", "[migrate][turn_pruning_on]") {
  World world;
  world.options.backup_dir = world.folder.Write("file", "");
  const PruningTurnedOn enabled = world.TurnOn();
  CHECK(enabled.outcome == report::Outcome::kError);
  CHECK_THAT(enabled.error,
             Catch::Contains("cannot write the backup") && Catch::Contains("--backup-dir"));
  CHECK(world.person.questions.empty());
  CHECK_FALSE(world.IsPruningOn());
}

// However far a run has come, a signal leaves either nothing done, or what the same command goes on
// with.
TEST_CASE("A signal at any request leaves no half work", "[migrate][turn_pruning_on]") {
  for (int request = 3;; ++request) {
    CAPTURE(request);
    World world;
    world.cluster.server.AddFault(
        {.target = "/", .first = request, .before = [&] { world.stop = true; }});
    const PruningTurnedOn enabled = world.TurnOn();
    if (!world.stop) break;
    world.stop = false;
    if (!world.IsPruningOn()) {
      CHECK(enabled.outcome == report::Outcome::kInterrupted);
      world.options.now = [] { return std::chrono::sys_days(2027y / 1 / 1); };
      CHECK(world.TurnOn().outcome == report::Outcome::kDone);
    } else {
      if (enabled.outcome != report::Outcome::kDone)
        CHECK(enabled.outcome == report::Outcome::kInterrupted);
      const PruningTurnedOn resumed = world.Resume();
      CHECK(resumed.outcome == report::Outcome::kDone);
      CHECK_FALSE(world.IsHeld(resumed, "a"));
    }
    for (const std::string& name : world.Backups()) CHECK_THAT(name, Catch::EndsWith("Z.ndjson"));
  }
}

}  // namespace turn_pruning_on_test
}  // namespace migrate::migration
