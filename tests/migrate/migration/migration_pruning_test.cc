// Migrate() from a CRD that preserves unknown fields to one whose objects are clean.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "kube/base/error.h"
#include "kube/system/file_text.h"
#include "migrate/migration/migration.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
namespace migration_pruning_test {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

const std::string kName = "widgets.demo.example.com";
const std::string kCrdResource = "customresourcedefinitions.apiextensions.k8s.io";

/// Says yes, or no, and remembers what it was told.
class Person : public sweep::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const sweep::SweepProgress&) override {}
  void RequireAnswer() override {
    if (!is_there) throw kube::base::Error("nobody can be asked");
  }
  bool Confirm(const std::string&) override {
    ++asked;
    return agrees;
  }

  bool is_there = true, agrees = true;
  int asked = 0;
  Strings lines;
};

/// Widgets of a CRD that preserves unknown fields; each has one that pruning removes.
struct Preserved {
  Preserved() {
    cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1beta1","v1"]}})");
    for (const char* name : {"w0", "w1", "w2"}) Write(name, "1");
    options.crd_names = {"widgets"};
    options.enable_pruning = true;
    options.pruning.backup_dir = fs::path(folder.path()) / "backup";
    options.state_dir = fs::path(folder.path()) / "state";
  }

  void Write(const std::string& name, const std::string& a) {
    cluster.server.Add(
        FakeObjectText("widgets", name, R"({"a":")" + a + R"(","b":"2","extra":true})"));
  }
  report::CrdMigration Migrate() {
    report::MigrationReport report = migration::Migrate(options, {cluster.session(), person});
    REQUIRE(report.crds.size() == 1);
    return report.crds[0];
  }
  const kube::json::Value& Crd() const { return *cluster.server.Stored(kCrdResource, kName); }
  bool Prunes() const { return !Crd().Find("spec")->Find("preserveUnknownFields")->AsBool(); }
  std::size_t StoredVersions() const {
    return Crd().Find("status")->Find("storedVersions")->size();
  }
  bool HasExtra(const std::string& name) const {
    return cluster.server.Stored(kName, "shop/" + name)->Find("spec")->Find("extra") != nullptr;
  }
  bool HasBackup() const {
    return fs::exists(options.pruning.backup_dir) && !fs::is_empty(options.pruning.backup_dir);
  }
  /// Somebody writes w1 when the backup is complete, and pruning not yet on.
  void WriteBehindBackup() {
    FakeFault fault;
    fault.target = "/customresourcedefinitions/" + kName;
    fault.times = 0;
    fault.before = [this] {
      if (is_written || !HasFinishedBackup()) return;
      is_written = true;
      Write("w1", "late");
    };
    cluster.server.AddFault(fault);
  }
  /// A run that is interrupted when pruning is on, as w1 is about to be rewritten.
  void InterruptBehindFlip() {
    std::atomic<bool> stop{false};
    cluster.run_stop = &stop;
    FakeFault fault;
    fault.target = "/widgets/w1";
    fault.times = 0;
    fault.before = [this, &stop] {
      if (cluster.run_stop != nullptr) stop = Prunes();
    };
    cluster.server.AddFault(fault);
    REQUIRE(Migrate().outcome == report::Outcome::kInterrupted);
    cluster.run_stop = nullptr;
  }
  /// In the place of the namespace kube-system, from now on.
  void AnswerForCluster(const test_support::FakeAnswer& answer) {
    FakeFault fault;
    fault.target = "/api/v1/namespaces/kube-system";
    fault.times = 0;
    fault.answer = answer;
    cluster.server.AddFault(fault);
  }
  /// All objects are stored in the storage version: nothing is rewritten before the flip.
  void StoreInOneVersion() {
    cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1"]}})");
  }
  /// Somebody changes the CRD so, to a schema without spec.a.
  static std::string PatchWithoutA(const std::string& more = "") {
    return R"({"spec":{)" + more + R"("versions":[{"name":"v1","served":true,"storage":true,)" +
           R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)" +
           R"("properties":{"z":{"type":"string"}}}}}}}]}})";
  }
  bool HasFinishedBackup() const {
    if (!fs::exists(options.pruning.backup_dir)) return false;
    const fs::directory_iterator files(options.pruning.backup_dir);
    return std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
      return file.path().extension() == ".ndjson";
    });
  }

  FakeCluster cluster;
  TempFolder folder;
  MigrationOptions options;
  Person person;
  bool is_written = false;
};

TEST_CASE("A question that is declined, or nobody is asked, leaves nothing behind",
          "[migrate][migration]") {
  Preserved world;
  SECTION("declined") { world.person.agrees = false; }
  SECTION("nobody is there") { world.person.is_there = false; }
  CHECK(world.Migrate().outcome == report::Outcome::kError);
  for (const auto& entry : fs::recursive_directory_iterator(world.options.state_dir)) {
    CHECK(entry.path().extension() != ".json");
  }
}

TEST_CASE("managedFields that were emptied before the flip are named by who goes on behind it",
          "[migrate][migration]") {
  Preserved preserved;
  preserved.cluster.server.EmptyManagedFields();
  std::string owned = FakeObjectText("widgets", "w0", R"({"a":"1","extra":true})");
  owned.insert(owned.find(R"("namespace")"),
               R"("managedFields":[{"manager":"m","operation":"Apply","apiVersion":)"
               R"("demo.example.com/v1alpha1","fieldsType":"FieldsV1",)"
               R"("fieldsV1":{"f:spec":{"f:a":{}}}}],)");
  preserved.cluster.server.Add(owned);
  preserved.options.cleaning = owners::Cleaning::kNever;
  preserved.InterruptBehindFlip();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.verified);
  CHECK(crd.managed_fields_emptied == std::set<std::string>{"shop/w0"});
}

TEST_CASE("Pruning is turned on, and every object is clean afterwards",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.error.empty());
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.pruning_enabled);
  CHECK(preserved.person.asked == 1);
  REQUIRE(crd.before_flip);
  CHECK(crd.before_flip->Total() == 3);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(crd.counts.Total() == 3);
  CHECK(crd.verified);
  CHECK(fs::exists(crd.backup));
  CHECK(preserved.Prunes());
  CHECK(preserved.StoredVersions() == 1);
  for (const char* name : {"w0", "w1", "w2"}) CHECK_FALSE(preserved.HasExtra(name));
}

TEST_CASE("What a run was foretold to take, and whether it was agreed to, is reported",
          "[migrate][migration][migration_pruning]") {
  Preserved world;
  SECTION("done") {}
  SECTION("a dry run asks nobody") { world.options.dry_run = report::DryRun::kClient; }
  SECTION("declined") { world.person.agrees = false; }
  const report::CrdMigration done = world.Migrate();
  REQUIRE(done.foretold_loss);
  CHECK(done.foretold_loss->objects == 3);
  CHECK(done.foretold_loss->objects_losing_fields == 3);
  // The storage version specifies spec.a alone.
  REQUIRE(done.foretold_loss->pruned_fields.size() == 2);
  CHECK(done.foretold_loss->pruned_fields[0].path == "spec.b");
  CHECK(done.foretold_loss->pruned_fields[1].path == "spec.extra");
  CHECK(done.foretold_loss->pruned_fields[1].objects == 3);
  CHECK(done.foretold_loss->is_agreed == (world.person.asked > 0 && world.person.agrees));
  // All of it was told, before the question.
  for (const std::string& line : done.foretold_loss->plan) {
    CHECK(std::ranges::find(world.person.lines, line) != world.person.lines.end());
  }
  CHECK_FALSE(done.foretold_loss->plan.empty());
}

TEST_CASE("A run that goes on behind the flip has nothing foretold",
          "[migrate][migration][migration_pruning]") {
  Preserved world;
  world.StoreInOneVersion();
  world.InterruptBehindFlip();
  CHECK_FALSE(world.Migrate().foretold_loss);
}

TEST_CASE("The same command again asks nothing and rewrites nothing",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.Migrate();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(preserved.person.asked == 1);
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK_FALSE(crd.pruning_enabled);
  CHECK(crd.counts[report::ObjectClass::kUnchanged] == 3);
}

TEST_CASE("Who says no has changed nothing", "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.person.agrees = false;
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_FALSE(preserved.Prunes());
  CHECK_FALSE(preserved.HasBackup());
  CHECK(preserved.HasExtra("w0"));
  CHECK(preserved.StoredVersions() == 2);
}

TEST_CASE("What etcd may hold of a CRD that prunes already is not rewritten without a question",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  preserved.cluster.server.Add(
      R"({"apiVersion":"demo.example.com/v1","kind":"Kindwidgets","metadata":{"namespace":"shop",)"
      R"("name":"w1","managedFields":[{"manager":"op","apiVersion":"demo.example.com/v1",)"
      R"("fieldsV1":{"f:spec":{"f:a":{},"f:extra":{}}}}]},"spec":{"a":"1","extra":true}})");
  const auto warning = [&] {
    const Strings& lines = preserved.person.lines;
    return std::ranges::count_if(lines, [](const std::string& line) {
      return line.starts_with("Warning: " + kName + ": pruning is on already") &&
             line.find(": .spec.extra (") != line.npos;
    });
  };
  SECTION("no") {
    preserved.person.agrees = false;
    const report::CrdMigration crd = preserved.Migrate();
    CHECK(crd.outcome == report::Outcome::kError);
    CHECK(crd.error == "nothing was rewritten, as that was not confirmed");
    CHECK(preserved.person.asked == 1);
    CHECK(warning() == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("yes") {
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 1);
    CHECK(warning() == 1);
    CHECK_FALSE(preserved.HasExtra("w1"));
    // What was verified is not doubted again, whatever else of the CRD changes.
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    preserved.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})");
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 1);
  }
  SECTION("a dry run only warns") {
    preserved.options.dry_run = GENERATE(report::DryRun::kClient, report::DryRun::kServer);
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 0);
    CHECK(warning() == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("who does not ask for pruning knows that it is on, and is only told") {
    preserved.options.enable_pruning = false;
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(preserved.person.asked == 0);
    CHECK(warning() == 1);
    CHECK(preserved.Migrate().outcome == report::Outcome::kDone);
    CHECK(warning() == 1);  // it is proven now
  }
}

TEST_CASE("A dry run turns nothing on", "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.options.dry_run = GENERATE(report::DryRun::kClient, report::DryRun::kServer);
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.error.empty());
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts.Total() == 3);
  CHECK(preserved.person.asked == 0);
  CHECK_FALSE(crd.pruning_enabled);
  CHECK_FALSE(preserved.Prunes());
  CHECK_FALSE(preserved.HasBackup());
  CHECK_FALSE(fs::exists(preserved.options.state_dir));
  CHECK(preserved.HasExtra("w0"));
}

TEST_CASE(
    "Nothing is turned on where a webhook keeps objects from being written, which a dry run tells "
    "at once too",
    "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.options.pruning.single_pass = true;
  preserved.options.dry_run = GENERATE(report::DryRun::kNone, report::DryRun::kServer);
  FakeFault fault;
  fault.target = "/widgets/w";
  fault.times = 0;
  // apiserver pkg/admission/plugin/webhook/generic: a call that failed, with failurePolicy Fail.
  fault.answer = test_support::FakeStatus(
      500, "InternalError",
      "Internal error occurred: failed calling webhook \"hook.example.com\": connection refused");
  preserved.cluster.server.AddFault(fault);
  const auto start = preserved.cluster.clock.passed();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("turned on, as no object could be rewritten now: ") &&
                            Contains("failed calling webhook \"hook.example.com\""));
  CHECK_FALSE(preserved.Prunes());
  CHECK(preserved.cluster.clock.passed() - start < std::chrono::seconds(10));
}

TEST_CASE("An object that the backup does not have as it was last written stays held",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.WriteBehindBackup();
  const report::CrdMigration first = preserved.Migrate();
  REQUIRE(preserved.is_written);
  CHECK(first.outcome == report::Outcome::kFailures);
  CHECK(first.counts[report::ObjectClass::kHeld] == 1);
  CHECK(first.counts[report::ObjectClass::kRewritten] == 2);
  REQUIRE(first.failures.size() == 1);
  CHECK(first.failures[0].name == "w1");
  CHECK(first.kept_because == "some objects are held");
  CHECK(preserved.StoredVersions() == 2);
  CHECK(preserved.HasExtra("w1"));

  MigrationOptions& options = preserved.options;
  SECTION("by the next run") {
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.counts[report::ObjectClass::kHeld] == 1);
    CHECK(again.counts[report::ObjectClass::kUnchanged] == 2);
    CHECK(preserved.HasExtra("w1"));
    CHECK(preserved.StoredVersions() == 2);
  }
  SECTION("by a run without --enable-pruning") {
    options.enable_pruning = false;
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("by a run over some objects") {
    options.enable_pruning = false;
    options.namespace_ = "shop";
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("by --retry-from") {
    options.enable_pruning = false;
    options.crd_names = {};
    options.retried = {{{kName, "shop", "w1"}}};
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("by --no-backup") {
    options.pruning.no_backup = true;
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("where it may no longer be known which cluster it is") {
    preserved.AnswerForCluster(test_support::FakeStatus(403, "Forbidden", "no"));
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("where the cluster cannot be told for the moment, as nothing is done then") {
    preserved.AnswerForCluster(test_support::FakeStatus(500, "InternalError", "etcd is down"));
    CHECK_THROWS_WITH(preserved.Migrate(), Contains("kube-system") && Contains("etcd is down"));
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("also where the CRD was changed since") {
    preserved.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})");
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("but not with --rewrite-unbacked") {
    options.pruning.rewrite_unbacked = true;
    const report::CrdMigration last = preserved.Migrate();
    CHECK(last.outcome == report::Outcome::kDone);
    CHECK(last.counts[report::ObjectClass::kRewritten] == 1);
    CHECK_FALSE(preserved.HasExtra("w1"));
    CHECK(preserved.StoredVersions() == 1);
  }
}

/// A run without the state of the run that was `preserved.Migrate()`, by the report of it.
void RetryElsewhere(Preserved& preserved, const report::CrdMigration& report) {
  MigrationOptions& options = preserved.options;
  options.enable_pruning = false;
  options.crd_names = {};
  options.retried.emplace();
  for (const report::ObjectFailure& failure : report.failures) {
    options.retried->push_back({report.name, failure.namespace_, failure.name,
                                failure.object_class == report::ObjectClass::kHeld});
  }
  options.state_dir = fs::path(preserved.folder.path()) / "elsewhere";
}

TEST_CASE("What a report names as held stays held where there is no state of that run",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.WriteBehindBackup();
  const report::CrdMigration first = preserved.Migrate();
  REQUIRE(first.counts[report::ObjectClass::kHeld] == 1);
  RetryElsewhere(preserved, first);
  MigrationOptions& options = preserved.options;

  SECTION("alone") {
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.outcome == report::Outcome::kFailures);
    CHECK(again.counts[report::ObjectClass::kHeld] == 1);
    CHECK(again.counts.Total() == 1);
    REQUIRE(again.failures.size() == 1);
    CHECK_THAT(again.failures[0].message,
               Contains("--state-dir") && Contains("--rewrite-unbacked"));
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("and is not taken for accepted by a dry run") {
    options.dry_run = report::DryRun::kServer;
    CHECK(preserved.Migrate().counts[report::ObjectClass::kHeld] == 1);
  }
  SECTION("while the others are rewritten") {
    preserved.Write("w0", "again");
    options.retried->push_back({kName, "shop", "w0"});
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.counts[report::ObjectClass::kHeld] == 1);
    CHECK(again.counts[report::ObjectClass::kRewritten] == 1);
    CHECK_FALSE(preserved.HasExtra("w0"));
    CHECK(preserved.HasExtra("w1"));
  }
  SECTION("but not with --rewrite-unbacked") {
    options.pruning.rewrite_unbacked = true;
    const report::CrdMigration again = preserved.Migrate();
    CHECK(again.outcome == report::Outcome::kDone);
    CHECK(again.counts[report::ObjectClass::kRewritten] == 1);
    CHECK_FALSE(preserved.HasExtra("w1"));
  }
  SECTION("but not where that state tells that it was written since") {
    options.state_dir = fs::path(preserved.folder.path()) / "state";
    SECTION("not yet") {
      const report::CrdMigration again = preserved.Migrate();
      REQUIRE(again.failures.size() == 1);
      CHECK(again.failures[0].object_class == report::ObjectClass::kHeld);
      CHECK_THAT(again.failures[0].message, Contains("after the backup"));
    }
    SECTION("now") {
      preserved.Write("w1", "much later");
      const report::CrdMigration again = preserved.Migrate();
      CHECK(again.outcome == report::Outcome::kDone);
      CHECK(again.counts[report::ObjectClass::kHeld] == 0);
      CHECK(again.counts.Total() == 1);
    }
  }
}

TEST_CASE("A server that never prunes ends the wait, and nothing is rewritten",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  bool is_stale = true;
  preserved.cluster.server.ServeStale([&is_stale] { return is_stale; });
  const report::CrdMigration first = preserved.Migrate();
  CHECK(first.outcome == report::Outcome::kError);
  CHECK_THAT(first.error, Contains("pruning is on") && Contains("--settle-timeout"));
  CHECK(first.pruning_enabled);
  CHECK(first.counts.Total() == 0);
  CHECK(preserved.Prunes());
  CHECK(preserved.HasExtra("w0"));
  CHECK(preserved.StoredVersions() == 2);

  is_stale = false;
  const report::CrdMigration second = preserved.Migrate();
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(second.backup == first.backup);
  CHECK(second.verified);
  CHECK(preserved.StoredVersions() == 1);
}

TEST_CASE("A run that is stopped behind the flip is gone on with",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  std::atomic<bool> stop{false};
  preserved.cluster.run_stop = &stop;
  FakeFault fault;
  fault.target = "/widgets/w1";
  fault.times = 0;
  fault.before = [&] {
    if (preserved.Prunes()) stop = true;
  };
  preserved.cluster.server.AddFault(fault);
  const report::CrdMigration first = preserved.Migrate();
  CHECK(first.outcome == report::Outcome::kInterrupted);
  CHECK(first.error == "interrupted; pruning is on");
  CHECK(preserved.Prunes());
  CHECK(preserved.StoredVersions() == 2);

  stop = false;
  fault.before = nullptr;
  preserved.cluster.run_stop = nullptr;
  const report::CrdMigration second = preserved.Migrate();
  CHECK(preserved.person.asked == 1);
  CHECK(second.outcome == report::Outcome::kDone);
  CHECK(second.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(second.counts.Total() == 3);
  CHECK(second.backup == first.backup);
  CHECK(preserved.StoredVersions() == 1);
}

TEST_CASE("Who is interrupted in the rewrite behind the flip is told that pruning is on",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  std::atomic<bool> stop{false};
  preserved.cluster.run_stop = &stop;
  preserved.options.concurrency = 1;
  FakeFault fault;
  fault.target = "/widgets/w1";
  fault.times = 0;
  fault.before = [&] { stop = preserved.Prunes() && !preserved.HasExtra("w0"); };
  preserved.cluster.server.AddFault(fault);
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kInterrupted);
  CHECK(crd.error == "interrupted; pruning is on");
  CHECK(crd.counts[report::ObjectClass::kRewritten] > 0);
  CHECK(crd.counts[report::ObjectClass::kNotTried] > 0);
}

TEST_CASE("A backup whose objects somebody else had pruned meanwhile is none",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.options.chunk_size = 1;
  bool is_flipped = false;
  FakeFault fault;
  fault.target = "continue=";
  fault.times = 0;
  fault.before = [&] {
    if (is_flipped || preserved.person.asked == 0) return;
    is_flipped = true;
    preserved.cluster.server.PatchCrd(kName, R"({"spec":{"preserveUnknownFields":false}})");
  };
  preserved.cluster.server.AddFault(fault);
  const report::CrdMigration crd = preserved.Migrate();
  REQUIRE(is_flipped);
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("the backup is thrown away") && Contains("was turned off") &&
                            Contains("without one"));
  CHECK(crd.backup.empty());
  CHECK_FALSE(crd.pruning_enabled);
  CHECK_FALSE(preserved.HasBackup());
  CHECK(preserved.HasExtra("w1"));
  CHECK(preserved.Migrate().backup.empty());
}

TEST_CASE("A backup is made by the schemas of when pruning is turned on",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.cluster.server.Add(FakeObjectText("widgets", "plain", R"({"a":"1"})"));
  preserved.cluster.server.Add(FakeCrdText("gizmos"));
  preserved.options.crd_names = {"gizmos", "widgets"};
  FakeFault fault;
  fault.target = "/v1/gizmos";
  fault.before = [&] { preserved.cluster.server.PatchCrd(kName, preserved.PatchWithoutA()); };
  preserved.cluster.server.AddFault(fault);
  const report::MigrationReport report =
      Migrate(preserved.options, {preserved.cluster.session(), preserved.person});
  REQUIRE(report.crds.size() == 2);
  const report::CrdMigration& widgets = report.crds[1];
  REQUIRE(widgets.name == kName);
  CHECK(widgets.outcome == report::Outcome::kDone);
  const auto backup = kube::system::ReadFileText(widgets.backup);
  REQUIRE(backup);
  CHECK_THAT(*backup, Contains(R"("name":"plain")"));
}

TEST_CASE("A flip by others that changes the schemas too holds what is not in the backup",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.cluster.server.Add(FakeObjectText("widgets", "plain", R"({"a":"1"})"));
  std::atomic<bool> stop{false};
  preserved.cluster.run_stop = &stop;
  FakeFault fault;
  fault.target = "/customresourcedefinitions/" + kName;
  fault.times = 0;
  fault.before = [&] {
    if (!preserved.Prunes()) stop = preserved.HasFinishedBackup();
  };
  preserved.cluster.server.AddFault(fault);
  REQUIRE(preserved.Migrate().outcome == report::Outcome::kInterrupted);
  stop = false;
  preserved.cluster.server.PatchCrd(kName,
                                    preserved.PatchWithoutA(R"("preserveUnknownFields":false,)"));
  SECTION("for the same command") {}
  SECTION("for a run over some objects") {
    preserved.options.enable_pruning = false;
    preserved.options.namespace_ = "shop";
  }
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kFailures);
  CHECK(crd.counts[report::ObjectClass::kHeld] == 1);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK_FALSE(preserved.HasExtra("w1"));
  const auto* plain = preserved.cluster.server.Stored(kName, "shop/plain");
  CHECK(plain->Find("spec")->Find("a") != nullptr);
}

TEST_CASE("A schema that only lets more values be valid holds no object",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.cluster.server.Add(FakeObjectText("widgets", "plain", R"({"a":"1"})"));
  preserved.InterruptBehindFlip();
  std::string versions = kube::json::Print(*preserved.Crd().Find("spec")->Find("versions"));
  const std::string schema = R"("openAPIV3Schema":{)";
  versions.insert(versions.find(schema) + schema.size(), R"("description":"looser",)");
  preserved.cluster.server.PatchCrd(kName, R"({"spec":{"versions":)" + versions + "}}");
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts.Total() == 4);
  CHECK(crd.counts[report::ObjectClass::kHeld] == 0);
  for (const char* name : {"w0", "w1", "w2"}) CHECK_FALSE(preserved.HasExtra(name));
}

TEST_CASE("A run over all CRDs goes on with one that was interrupted",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.StoreInOneVersion();
  preserved.options.crd_names = {};
  preserved.options.all = true;
  preserved.InterruptBehindFlip();
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK_FALSE(preserved.HasExtra("w1"));
  const report::MigrationReport again =
      Migrate(preserved.options, {preserved.cluster.session(), preserved.person});
  CHECK(again.crds.empty());
}

TEST_CASE("The path of a backup holds in any folder", "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  preserved.options.pruning.backup_dir = fs::relative(preserved.options.pruning.backup_dir);
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(fs::path(crd.backup).is_absolute());
  CHECK(fs::exists(crd.backup));
}

TEST_CASE("A change of the CRD before the flip is an error, not a failure of objects",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  FakeFault fault;
  fault.target = "/widgets/w1";
  fault.latency = std::chrono::seconds(15);
  fault.before = [&preserved] { preserved.cluster.server.PatchCrd(kName, R"({"spec":{"x":1}})"); };
  preserved.cluster.server.AddFault(fault);
  const report::CrdMigration crd = preserved.Migrate();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_FALSE(preserved.Prunes());
  CHECK(preserved.StoredVersions() == 2);
}

TEST_CASE("The flag --all turns pruning on where the schema allows it",
          "[migrate][migration][migration_pruning]") {
  Preserved preserved;
  for (const std::string name : {"gizmos", "gears"}) {
    preserved.cluster.server.Add(FakeCrdText(name, R"(,"preserveUnknownFields":true)"));
    preserved.cluster.server.PatchCrd(
        name + ".demo.example.com",
        R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{
          "openAPIV3Schema":{"type":"object","properties":{"spec":{}}}}}]}})");
  }
  preserved.cluster.server.Add(FakeCrdText("gadgets"));
  preserved.options.crd_names = {};
  preserved.options.all = true;
  const report::MigrationReport report =
      migration::Migrate(preserved.options, {preserved.cluster.session(), preserved.person});
  REQUIRE(report.crds.size() == 1);
  CHECK(report.crds[0].name == kName);
  CHECK(report.crds[0].outcome == report::Outcome::kDone);
  REQUIRE(report.left_out.size() == 2);
  CHECK(report.left_out[0].name == "gears.demo.example.com");
  CHECK(report.left_out[0].reason == report::LeftOutReason::kBlocked);
  CHECK(std::ranges::count_if(preserved.person.lines, [](const std::string& line) {
          return line.find("left out") != std::string::npos;
        }) == 1);
  CHECK(std::ranges::any_of(preserved.person.lines, [](const std::string& line) {
    return line.starts_with("note: gears.demo.example.com and 1 more are left out: what is wrong");
  }));
}

}  // namespace migration_pruning_test
}  // namespace migrate::migration
