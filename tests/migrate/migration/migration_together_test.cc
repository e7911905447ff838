// Migrate() of several CRDs, whose waits pass at the same time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "migrate/migration/migration.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
namespace migration_together_test {

namespace fs = std::filesystem;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

/// Agrees, and remembers what it was told.
class Person : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool MayAsk() const override { return may_ask; }
  bool Confirm(const std::string&) override { return true; }

  /// Where a line begins so; the number of lines if there is none.
  std::size_t Find(const std::string& begin) const {
    const auto found = std::ranges::find_if(
        lines, [&begin](const std::string& line) { return line.starts_with(begin); });
    return static_cast<std::size_t>(found - lines.begin());
  }

  bool may_ask = false;
  Strings lines;
};

/// CRDs kind0, kind1, ... that preserve unknown fields, each with objects of which every one has a
/// field that pruning removes.
struct Crds {
  explicit Crds(int count, int objects = 2) {
    for (int i = 0; i < count; ++i) {
      const std::string plural = "kind" + std::to_string(i);
      cluster.server.Add(FakeCrdText(plural, R"(,"preserveUnknownFields":true)"));
      for (int k = 0; k < objects; ++k) {
        cluster.server.Add(
            FakeObjectText(plural, "o" + std::to_string(k), R"({"a":"1","extra":true})"));
      }
    }
    options.all = true;
    options.enable_pruning = true;
    options.pruning.backup_dir = fs::path(folder.path()) / "backup";
    options.state_dir = fs::path(folder.path()) / "state";
  }

  report::MigrationReport Run() { return Migrate(options, {cluster.session(), person}); }
  bool HasExtra(int number, const std::string& object) const {
    return cluster.server.Stored(NameOf(number), "shop/" + object)->Find("spec")->Find("extra") !=
           nullptr;
  }
  static std::string NameOf(int number) {
    return "kind" + std::to_string(number) + ".demo.example.com";
  }
  double Seconds() const { return std::chrono::duration<double>(cluster.clock.passed()).count(); }

  FakeCluster cluster;
  TempFolder folder;
  MigrationOptions options;
  Person person;
};

TEST_CASE("The waits of many CRDs pass at the same time", "[migrate][migration]") {
  Crds one(1), many(40);
  REQUIRE(one.Run().crds.size() == 1);
  const report::MigrationReport report = many.Run();
  REQUIRE(report.crds.size() == 40);
  for (const report::CrdMigration& crd : report.crds) {
    CAPTURE(crd.name, crd.error);
    CHECK(crd.outcome == report::Outcome::kDone);
    CHECK(crd.pruning_enabled);
    CHECK(crd.verified);
    CHECK(crd.counts[report::ObjectClass::kRewritten] == 2);
    CHECK_FALSE(crd.backup.empty());
  }
  CHECK(std::ranges::is_sorted(report.crds, {}, &report::CrdMigration::name));
  for (int i = 0; i < 40; ++i) {
    CHECK_FALSE(many.HasExtra(i, "o0"));
    CHECK_FALSE(many.HasExtra(i, "o1"));
  }
  CHECK(one.Seconds() >= 5);  // servers may take so long to notice the switch
  CHECK(many.Seconds() < 4 * one.Seconds());
}

TEST_CASE("What is told of several CRDs says of which", "[migrate][migration]") {
  Crds crds(3);
  crds.Run();
  const Strings& lines = crds.person.lines;
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK((line.starts_with("migrating kind") || line.starts_with("kind")));
  }
  for (int i = 0; i < 3; ++i) {
    for (const char* what : {"backup: ", "waiting until the server prunes: ", "verified: "}) {
      CAPTURE(i, what);
      CHECK(crds.person.Find(Crds::NameOf(i) + ": " + what) < lines.size());
    }
  }
}

TEST_CASE("Where a person is asked CRDs are migrated one after the other", "[migrate][migration]") {
  Crds crds(2);
  crds.person.may_ask = true;
  REQUIRE(crds.Run().crds.size() == 2);
  CHECK(crds.person.Find("verified: ") < crds.person.Find("migrating kind1"));
}

TEST_CASE("A CRD that fails does not keep others from being migrated at the same time",
          "[migrate][migration]") {
  Crds crds(3);
  crds.cluster.server.AddFault(
      {.target = "/kind1",
       .times = 0,
       .answer = test_support::FakeStatus(403, "Forbidden", "kind1 is forbidden")});
  const report::MigrationReport report = crds.Run();
  REQUIRE(report.crds.size() == 3);
  CHECK(report.crds[1].outcome == report::Outcome::kError);
  for (const int number : {0, 2}) {
    CHECK(report.crds[static_cast<std::size_t>(number)].outcome == report::Outcome::kDone);
    CHECK_FALSE(crds.HasExtra(number, "o0"));
  }
  CHECK(crds.HasExtra(1, "o0"));
}

TEST_CASE("What is written behind the wait, while others are worked on, is not held",
          "[migrate][migration]") {
  Crds crds(2);
  crds.cluster.server.Add(FakeObjectText("kind0", "plain", R"({"a":"1"})"));
  FakeFault slow;  // the sweep of kind0: by its end kind1 has long been waiting for its turn
  slow.target = "/kind0/plain";
  slow.latency = std::chrono::seconds(30);
  crds.cluster.server.AddFault(slow);
  FakeFault late = FakeFault();
  late.target = "/kind0/plain";
  late.first = 2;  // of the pass that verifies
  late.before = [&] {
    test_support::WriteFakeObject(crds.cluster.server, "kind1", "o0", R"({"a":"2"})");
  };
  crds.cluster.server.AddFault(late);
  const report::MigrationReport report = crds.Run();
  REQUIRE(report.crds.size() == 2);
  CHECK(report.crds[0].outcome == report::Outcome::kDone);
  CHECK(report.crds[1].counts[report::ObjectClass::kHeld] == 0);
  CHECK(report.crds[1].outcome == report::Outcome::kDone);
  CHECK(crds.Seconds() > 30);
}

TEST_CASE("A signal ends the migrations of all CRDs, and a later run goes on with each",
          "[migrate][migration]") {
  Crds crds(40);
  std::atomic<bool> stop{false};
  crds.cluster.run_stop = &stop;
  crds.cluster.server.AddFault({.target = "/namespaces/shop/kind3/o1", .times = 0, .before = [&] {
                                  stop = stop || crds.cluster.run_stop != nullptr;
                                }});
  const report::MigrationReport interrupted = crds.Run();
  REQUIRE_FALSE(interrupted.crds.empty());
  CHECK(std::ranges::any_of(interrupted.crds, [](const report::CrdMigration& crd) {
    return crd.outcome == report::Outcome::kInterrupted;
  }));
  CHECK(std::ranges::none_of(interrupted.crds, [](const report::CrdMigration& crd) {
    return crd.outcome == report::Outcome::kError;
  }));
  crds.cluster.run_stop = nullptr;
  for (const report::CrdMigration& crd : crds.Run().crds) {
    CAPTURE(crd.name, crd.error);
    CHECK(crd.outcome == report::Outcome::kDone);
  }
  for (int i = 0; i < 40; ++i) CHECK_FALSE(crds.HasExtra(i, "o1"));
}

}  // namespace migration_together_test
}  // namespace migrate::migration
