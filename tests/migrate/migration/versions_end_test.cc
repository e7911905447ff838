#include <algorithm>
#include <catch2/catch.hpp>

#include "migrate/check/crd_request.h"
#include "migrate/migration/steps.h"
#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace versions_end_test {

using test_support::FakeFault;
using Strings = std::vector<std::string>;

const std::string kName = "widgets.demo.example.com";
const std::string kTarget = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + kName;

class Listener : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }

  Strings lines;
};

/// The end of a run over widgets that were stored in two versions.
struct Run {
  Run() {
    cluster.server.Add(test_support::FakeCrdText("widgets"));
    Store(R"(["v1beta1","v1"])");
    report.name = kName;
    report.storage_version = "v1";
    report.stored_before = report.stored_after = {"v1beta1", "v1"};
    shape = check::ShapeOf(*check::GetCrd(cluster.client, kTarget));
  }
  void Store(const std::string& versions) {
    cluster.server.PatchCrd(kName, R"({"status":{"storedVersions":)" + versions + "}}");
  }
  void UseEngine() { report.engine.emplace().migration = "storageversionmigrations/x"; }
  void End() { EndStoredVersions(report, {kTarget, shape}, {cluster.session(), listener}); }
  Strings Now() { return check::GetCrd(cluster.client, kTarget)->stored_versions; }
  std::ptrdiff_t Requests() { return std::ssize(cluster.server.requests()); }

  test_support::FakeCluster cluster;
  Listener listener;
  report::CrdMigration report;
  check::CrdShape shape;
};

TEST_CASE("Where all is proven storedVersions are trimmed", "[migrate][versions_end]") {
  Run run;
  run.End();
  CHECK(run.Now() == Strings{"v1"});
  CHECK(run.report.stored_after == Strings{"v1"});
  CHECK(run.report.kept_because.empty());
  CHECK(run.listener.lines.empty());
}

TEST_CASE("Where something speaks against it nothing is asked", "[migrate][versions_end]") {
  Run run;
  run.report.kept_because = "some objects are held";
  const auto before = run.Requests();
  run.End();
  CHECK(run.Requests() == before);
  CHECK(run.report.kept_because == "some objects are held");
}

TEST_CASE("What the cluster has trimmed without proof is put back", "[migrate][versions_end]") {
  Run run;
  run.UseEngine();
  run.report.kept_because = "some objects were not rewritten";
  run.Store(R"(["v1"])");
  run.End();
  CHECK(run.Now() == Strings{"v1beta1", "v1"});
  CHECK(run.report.stored_after == Strings{"v1beta1", "v1"});
  CHECK(run.listener.lines.empty());
}

TEST_CASE("That it cannot be put back is told with what is to stay", "[migrate][versions_end]") {
  Run run;
  run.UseEngine();
  run.report.kept_because = "some objects were not rewritten";
  run.Store(R"(["v1"])");
  run.cluster.server.AddFault(
      {.target = "/status", .answer = test_support::FakeStatus(403, "Forbidden", "not you")});
  run.End();
  CHECK(run.report.stored_after == Strings{"v1"});
  CHECK(run.listener.lines ==
        Strings{"Warning: widgets.demo.example.com: status.storedVersions is v1 and not v1beta1,v1 "
                "as before (Error from server (Forbidden): not you), though not all objects are "
                "verified: leave these versions in "
                "the CRD until a run has verified all"});
}

TEST_CASE("Where nothing was trimmed nothing is told, even of a CRD that has changed or is gone",
          "[migrate][versions_end]") {
  Run run;
  run.UseEngine();
  run.report.kept_because = "the migration could not go on";
  SECTION("changed") { run.shape.schemas = ~run.shape.schemas; }
  SECTION("gone") {
    run.cluster.server.Delete("customresourcedefinitions.apiextensions.k8s.io", kName);
  }
  run.End();
  CHECK(run.listener.lines.empty());
  CHECK(run.report.stored_after == Strings{"v1beta1", "v1"});
}

}  // namespace versions_end_test
}  // namespace migrate::migration
