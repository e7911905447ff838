#pragma once

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "kube/base/result.h"
#include "migrate/migration/migration.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
/// A CRD that preserves unknown fields, its objects, and who migrates them.
namespace migration_pruning_test {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

inline const std::string kName = "widgets.demo.example.com";
inline const std::string kCrdResource = "customresourcedefinitions.apiextensions.k8s.io";

/// Says yes, or no, and remembers what it was told.
class Person : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
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
    cluster.server.AddFault(
        {.target = "/customresourcedefinitions/" + kName, .times = 0, .before = [this] {
           if (is_written || !HasFinishedBackup()) return;
           is_written = true;
           Write("w1", "late");
         }});
  }
  /// A run that is interrupted when pruning is on, as w1 is about to be rewritten.
  void InterruptAfterPruningOn() {
    std::atomic<bool> stop{false};
    cluster.run_stop = &stop;
    cluster.server.AddFault({.target = "/widgets/w1", .times = 0, .before = [this, &stop] {
                               if (cluster.run_stop != nullptr) stop = Prunes();
                             }});
    REQUIRE(Migrate().outcome == report::Outcome::kInterrupted);
    cluster.run_stop = nullptr;
  }
  /// In the place of the namespace kube-system, from now on.
  void AnswerForCluster(const test_support::FakeAnswer& answer) {
    cluster.server.AddFault(
        {.target = "/api/v1/namespaces/kube-system", .times = 0, .answer = answer});
  }
  /// All objects are stored in the storage version: nothing is rewritten before pruning is turned
  /// on.
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

}  // namespace migration_pruning_test
}  // namespace migrate::migration
