#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "migrate/migration/migration.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
/// What the tests of Migrate share.
namespace migration_test {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;
using test_support::FakeStatus;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

inline const std::string kName = "widgets.demo.example.com";
inline const std::string kCrdResource = "customresourcedefinitions.apiextensions.k8s.io";
inline const std::string kPreserves = R"(,"preserveUnknownFields":true)";

/// Remembers what it was told.
class Listener : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }

  bool Heard(const std::string& text) const {
    return std::ranges::any_of(
        lines, [&text](const std::string& line) { return line.find(text) != std::string::npos; });
  }

  Strings lines;
};

/// A cluster with widgets that were stored as v1beta1, some with a field that v1 does not know.
struct Widgets {
  explicit Widgets(int objects = 3) {
    cluster.server.Add(FakeCrdText("widgets"));
    cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":["v1beta1","v1"]}})");
    for (int i = 0; i < objects; ++i) {
      cluster.server.Add(
          FakeObjectText("widgets", "w" + std::to_string(i), R"({"a":"1","extra":true})"));
    }
    options.crd_names = {"widgets"};
    options.state_dir = state.path();
  }

  report::MigrationReport MigrateAll() { return Migrate(options, {cluster.session(), listener}); }
  report::CrdMigration MigrateOne() {
    report::MigrationReport report = MigrateAll();
    REQUIRE(report.crds.size() == 1);
    return report.crds[0];
  }
  std::size_t Writes() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        cluster.server.requests(), [](const kube::client::HttpRequest& request) {
          return (request.method == "PATCH" || request.method == "PUT") &&
                 request.target.find("dryRun=All") == std::string::npos;
        }));
  }
  bool HasExtra(const std::string& name) const {
    return cluster.server.Stored(kName, "shop/" + name)->Find("spec")->Find("extra") != nullptr;
  }
  Strings StoredVersions() const {
    Strings versions;
    const kube::json::Value* crd = cluster.server.Stored(kCrdResource, kName);
    for (const kube::json::Value& version :
         crd->Find("status")->Find("storedVersions")->elements()) {
      versions.emplace_back(version.text());
    }
    return versions;
  }
  /// Those that a run may go on from; what it proved, and what failed, stays.
  std::size_t StateFiles() const {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(state.path())) {
      const fs::path folder = entry.path().parent_path().filename();
      const bool is_kept = folder == "proofs" || folder == "failed";
      files += entry.is_regular_file() && !is_kept ? 1 : 0;
    }
    return files;
  }
  void FailWrites(const std::string& target, FakeFault fault) {
    fault.target = target;
    fault.times = 0;
    cluster.server.AddFault(std::move(fault));
  }

  FakeCluster cluster;
  TempFolder state;
  MigrationOptions options;
  Listener listener;
};

inline const Strings kBoth = {"v1beta1", "v1"};

}  // namespace migration_test
}  // namespace migrate::migration
