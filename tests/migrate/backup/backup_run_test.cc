#include "migrate/rewrite/backup_run.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "kube/base/result.h"
#include "migrate/check/cluster_crds.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using Step = BackupRun::Step;
using Strings = std::vector<std::string>;

const std::string kWidgets = "widgets.demo.example.com";
const std::string kList = "/apis/demo.example.com/v1/widgets?limit";

/// Three objects, of which one loses nothing, and where they are backed up to.
struct BackingUp {
  BackingUp() {
    cluster.server.Add(FakeCrdText("widgets", R"(,"preserveUnknownFields":true)"));
    Write("a", R"({"x":1})");
    Write("b", R"({"x":2})");
    Write("plain", R"({"a":"1"})");
    const cluster::ProgressFunction none;
    cluster::ClusterReader reader(cluster.session(), {}, none);
    crds = check::ReadClusterCrds({.names = {kWidgets}}, {}, reader);
    forecast.emplace(*crds.crds.at(kWidgets).checks.at(0), "v1", false);
  }
  void Write(const std::string& name, const std::string& spec) {
    test_support::WriteFakeObject(cluster.server, "widgets", name, spec);
  }
  /// Does something before the list, or its chunk with this number, is answered.
  void Before(int chunk, std::function<void()> act) {
    cluster.server.AddFault({.target = kList, .first = chunk, .before = std::move(act)});
  }
  BackupRun Run() { return {options, *forecast, {cluster.client, cluster.clock, &stop}}; }
  Strings Specs() const {
    std::ifstream file(options.path);
    Strings specs;
    for (std::string line; std::getline(file, line);) {
      kube::json::Document object;
      REQUIRE_FALSE(object.Parse(line));
      specs.push_back(std::string(object.root().Find("metadata")->FindText("name")) + " " +
                      kube::json::Print(*object.root().Find("spec")));
    }
    return specs;
  }
  bool IsKnown(const std::string& name) const {
    const auto known = KnownWrites::Read(folder.path() + "/known");
    REQUIRE(known);
    const auto* metadata = cluster.server.Stored(kWidgets, "shop/" + name)->Find("metadata");
    return known->Contains(metadata->FindText("uid"), metadata->FindText("resourceVersion"));
  }

  FakeCluster cluster;
  test_support::TempFolder folder;
  check::ClusterCrds crds;
  std::optional<check::RewriteForecast> forecast;
  std::atomic<bool> stop = false;
  BackupRunOptions options{.target = "/apis/demo.example.com/v1/widgets",
                           .path = fs::path(folder.path()) / "backup" / "w-1.ndjson",
                           .known_writes = folder.path() + "/known",
                           .generation = 1};
};

TEST_CASE("Objects that a rewrite changes are backed up, and all are known",
          "[migrate][backup_run]") {
  BackingUp backing_up;
  BackupRun run = backing_up.Run();
  CHECK(run.Read() == Step::kDone);
  run.EndWatch();
  const BackupSummary summary = run.Complete();
  CHECK(summary.objects == 2);
  CHECK(backing_up.Specs() == Strings{R"(a {"x":1})", R"(b {"x":2})"});
  for (const char* name : {"a", "b", "plain"}) CHECK(backing_up.IsKnown(name));
  CHECK(run.unwatched_because().empty());
  REQUIRE(run.losing().size() == 2);
  CHECK(run.losing()[0].name == "a");
  CHECK(run.losing()[0].paths == Strings{"spec.x"});
}

TEST_CASE("What is written while the list is read is in the backup as last written",
          "[migrate][backup_run]") {
  BackingUp backing_up;
  backing_up.options.chunk_size = 2;
  backing_up.Before(2, [&] {
    backing_up.Write("b", R"({"x":3})");
    backing_up.Write("b", R"({"x":4})");
    backing_up.Write("new", R"({"x":5})");
    backing_up.cluster.server.Delete(kWidgets, "shop/a");
  });
  BackupRun run = backing_up.Run();
  CHECK(run.Read() == Step::kDone);
  run.EndWatch();
  run.Complete();
  CHECK(backing_up.Specs() == Strings{R"(b {"x":4})", R"(new {"x":5})"});
  CHECK(backing_up.IsKnown("b"));
  CHECK(backing_up.IsKnown("new"));
  CHECK(run.losing().empty());
}

TEST_CASE("What is written after the list and before the end is in the backup",
          "[migrate][backup_run]") {
  BackingUp backing_up;
  // The watch connects again at once, and shows what was written meanwhile.
  backing_up.cluster.server.AddFault({.target = "watch=1", .before = [&] {
                                        backing_up.Write("a", R"({"a":"fixed"})");
                                        backing_up.Write("plain", R"({"x":6})");
                                      }});
  BackupRun run = backing_up.Run();
  CHECK(run.Read() == Step::kDone);
  run.EndWatch();
  run.Complete();
  CHECK(backing_up.Specs() == Strings{R"(b {"x":2})", R"(plain {"x":6})"});
}

TEST_CASE("What is written once the backup is complete is not known", "[migrate][backup_run]") {
  BackingUp backing_up;
  BackupRun run = backing_up.Run();
  CHECK(run.Read() == Step::kDone);
  run.EndWatch();
  run.Complete();
  backing_up.Write("a", R"({"x":7})");
  CHECK_FALSE(backing_up.IsKnown("a"));
  CHECK(backing_up.IsKnown("b"));
}

TEST_CASE("Where the server forgets too soon the list is read again", "[migrate][backup_run]") {
  BackingUp backing_up;
  FakeFault fault;
  fault.target = "watch=1";
  fault.before = [&] {
    backing_up.Write("b", R"({"x":8})");
    backing_up.cluster.server.Compact();
  };
  SECTION("once") {
    backing_up.cluster.server.AddFault(fault);
    BackupRun run = backing_up.Run();
    CHECK(run.Read() == Step::kDone);
    run.EndWatch();
    run.Complete();
    CHECK(backing_up.Specs() == Strings{R"(a {"x":1})", R"(b {"x":8})"});
  }
  SECTION("each time") {
    fault.times = 0;
    backing_up.cluster.server.AddFault(fault);
    {
      BackupRun run = backing_up.Run();
      CHECK(run.Read() == Step::kFailed);
      CHECK_THAT(run.error(), Catch::Contains("too old resource version"));
    }
    CHECK(fs::is_empty(backing_up.options.path.parent_path()));
  }
}

TEST_CASE("Without the right to watch there is a backup of the list", "[migrate][backup_run]") {
  BackingUp backing_up;
  backing_up.cluster.server.AddFault(
      {.target = "watch=1", .answer = test_support::FakeStatus(403, "Forbidden", "cannot watch")});
  BackupRun run = backing_up.Run();
  CHECK(run.Read() == Step::kDone);
  CHECK_THAT(run.unwatched_because(), Catch::Contains("cannot watch"));
  run.EndWatch();
  CHECK(run.Complete().objects == 2);
}

TEST_CASE("A list that cannot be read makes no backup", "[migrate][backup_run]") {
  BackingUp backing_up;
  backing_up.cluster.server.Forbid(kWidgets);
  {
    BackupRun run = backing_up.Run();
    CHECK(run.Read() == Step::kFailed);
    CHECK_THAT(run.error(), Catch::Contains("Forbidden"));
  }
  CHECK(fs::is_empty(backing_up.options.path.parent_path()));
  CHECK_FALSE(KnownWrites::Read(backing_up.folder.path() + "/known"));
}

TEST_CASE("A signal ends the backup, and leaves nothing of it", "[migrate][backup_run]") {
  BackingUp backing_up;
  SECTION("while the list is read") {
    backing_up.Before(1, [&] { backing_up.stop = true; });
  }
  SECTION("after it") {
    backing_up.cluster.server.AddFault(
        {.target = "watch=1", .before = [&] { backing_up.stop = true; }});
  }
  {
    BackupRun run = backing_up.Run();
    CHECK(run.Read() == Step::kInterrupted);
  }
  CHECK(fs::is_empty(backing_up.options.path.parent_path()));
}

}  // namespace
}  // namespace migrate::rewrite
