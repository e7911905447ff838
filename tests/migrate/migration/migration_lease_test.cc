#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "kube/json/json.h"
#include "migrate/migration/migration.h"
#include "tests/migrate/lease/inline_leases.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
namespace migration_lease_test {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using kube::client::lease_test::SpecText;
using test_support::FakeCluster;
using test_support::FakeCrdText;
using test_support::FakeFault;
using test_support::FakeObjectText;
using Strings = std::vector<std::string>;

const std::string kWidgets = "widgets.demo.example.com";
const std::string kLeaseResource = "leases.coordination.k8s.io";
const std::string kOther = "alice@bastion/4711/0000000000000001";

class Listener : public rewrite::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const rewrite::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }

  Strings lines;
};

/// Three widgets that may be stored as v1beta1, and a run that takes the Lease of their CRD.
struct LeasedWidgets {
  LeasedWidgets() {
    cluster.server.Add(kube::client::lease_test::kLeaseCrd);
    cluster.server.Add(FakeCrdText("widgets"));
    cluster.server.PatchCrd(kWidgets, R"({"status":{"storedVersions":["v1beta1","v1"]}})");
    for (const char* name : {"w0", "w1", "w2"}) {
      cluster.server.Add(FakeObjectText("widgets", name, R"({"a":"1","extra":true})"));
    }
    options.crd_names = {"widgets"};
    options.state_dir = state.path();
    options.lease = {.leases = &leases, .self = {"bob", "laptop", 1, 2}};
  }

  report::CrdMigration Run() {
    report::MigrationReport report = Migrate(options, {cluster.session(), listener});
    REQUIRE(report.crds.size() == 1);
    return report.crds[0];
  }
  std::string LeaseName() const {
    const kube::json::Value* crd =
        cluster.server.Stored("customresourcedefinitions.apiextensions.k8s.io", kWidgets);
    return "kubectl-prune-" + kWidgets + "-" + std::string(crd->Find("metadata")->FindText("uid"));
  }
  /// Makes the Lease that of `holder`, as others do it; renewed at "00:00:10".
  void Give(const std::string& holder, const std::string& renewed = "00:00:00") {
    cluster.server.Add(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{)"
                       R"("namespace":"default","name":")" +
                       LeaseName() + R"("},"spec":)" + SpecText(holder, renewed, "00:00:00", 30) +
                       "}");
  }
  std::string Holder() const {
    const kube::json::Value* lease =
        cluster.server.Stored(kLeaseResource, "default/" + LeaseName());
    REQUIRE(lease != nullptr);
    return std::string(lease->Find("spec")->FindText("holderIdentity"));
  }
  /// Is run when the target is asked for the n-th time.
  void When(const std::string& target, std::function<void()> before, int first = 1,
            kube::base::Clock::Duration latency = {}) {
    cluster.server.AddFault(
        {.target = target, .first = first, .before = std::move(before), .latency = latency});
  }
  /// Which of the requests is the first of this method whose target holds this; -1: none is.
  std::ptrdiff_t FirstOf(const std::string& method, const std::string& target) const {
    const auto& requests = cluster.server.requests();
    const auto found = std::ranges::find_if(requests, [&](const auto& request) {
      return request.method == method && request.target.find(target) != std::string::npos;
    });
    return found == requests.end() ? -1 : found - requests.begin();
  }
  Strings StoredVersions() const {
    Strings versions;
    for (const auto& version :
         cluster.server.Stored("customresourcedefinitions.apiextensions.k8s.io", kWidgets)
             ->Find("status")
             ->Find("storedVersions")
             ->elements()) {
      versions.emplace_back(version.text());
    }
    return versions;
  }

  FakeCluster cluster;
  test_support::TempFolder state;
  migration::lease_test::InlineLeases leases{cluster.session()};
  MigrationOptions options;
  Listener listener;
};

const Strings kBothVersions = {"v1beta1", "v1"};

TEST_CASE("A run takes the Lease before it writes, and gives it back", "[migrate][lease]") {
  LeasedWidgets widgets;
  const report::CrdMigration crd = widgets.Run();
  CHECK(crd.outcome == report::Outcome::kDone);
  const std::ptrdiff_t taken = widgets.FirstOf("POST", "/leases");
  REQUIRE(taken >= 0);
  CHECK(taken < widgets.FirstOf("PATCH", "/widgets/"));
  CHECK(widgets.Holder().empty());
  for (const std::string& line : widgets.listener.lines) {
    CHECK(line.find("Lease") == std::string::npos);
  }
}

TEST_CASE("A dry run takes no Lease", "[migrate][lease]") {
  LeasedWidgets widgets;
  widgets.options.dry_run = GENERATE(report::DryRun::kClient, report::DryRun::kServer);
  widgets.Run();
  CHECK(widgets.FirstOf("GET", "/leases") == -1);
  CHECK(widgets.FirstOf("POST", "/leases") == -1);
}

TEST_CASE("Beside a run that is alive nothing is written", "[migrate][lease]") {
  LeasedWidgets widgets;
  widgets.Give(kOther);
  widgets.When(
      "/leases/", [&] { widgets.Give(kOther, "00:00:05"); }, 2);
  const report::CrdMigration crd = widgets.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("alice@bastion (process 4711) is at work on it since "
                                 "2026-01-01T00:00:00Z"));
  CHECK(widgets.FirstOf("PATCH", "/widgets/") == -1);
  CHECK(widgets.Holder() == kOther);
  CHECK(widgets.StoredVersions() == kBothVersions);
}

TEST_CASE("A run that died elsewhere is followed, and all is looked at anew", "[migrate][lease]") {
  LeasedWidgets widgets;
  widgets.Give(kOther);
  // What the other one did last.
  widgets.When("/leases/", [&] {
    widgets.cluster.server.PatchCrd(kWidgets, R"({"status":{"storedVersions":["v1"]}})");
  });
  const report::CrdMigration crd = widgets.Run();
  CHECK(crd.outcome == report::Outcome::kDone);
  CHECK(widgets.cluster.clock.passed() >= 30s);
  CHECK(crd.stored_before == Strings{"v1"});
  CHECK(crd.counts[report::ObjectClass::kRewritten] == 3);
  CHECK(widgets.Holder().empty());
}

TEST_CASE("A run that died on this machine is followed at once", "[migrate][lease]") {
  LeasedWidgets widgets;
  // The first run is killed when it has the Lease: it comes to no end.
  struct Killed {};
  widgets.When("/widgets/w0", [] { throw Killed(); });
  migration::Holder first{"bob", "laptop", 7, 8};
  widgets.options.lease.self = first;
  CHECK_THROWS_AS(widgets.Run(), Killed);
  widgets.Give(IdentityOf(first));
  const auto before = widgets.cluster.clock.passed();
  widgets.options.lease.self = {"bob", "laptop", 9, 10};
  CHECK(widgets.Run().outcome == report::Outcome::kDone);
  // What waits for servers to notice a change of the CRD takes five seconds.
  CHECK(widgets.cluster.clock.passed() - before < 10s);
}

TEST_CASE("A run that loses the Lease writes nothing more", "[migrate][lease]") {
  LeasedWidgets widgets;
  // While a write is slow the Lease goes to another one, before it is renewed the first time.
  widgets.When(
      "/widgets/w0", [] {}, 1, 20s);
  widgets.When(
      "/leases/", [&] { widgets.Give(kOther, "00:00:05"); }, 2);
  widgets.options.pace.concurrency = 1;
  const report::CrdMigration crd = widgets.Run();
  CHECK(crd.outcome == report::Outcome::kError);
  CHECK_THAT(crd.error, Contains("was lost: it is held by alice@bastion (process 4711)") &&
                            Contains("run the same command again: it resumes"));
  CHECK(widgets.FirstOf("PATCH", "/widgets/w2") == -1);
  CHECK(widgets.StoredVersions() == kBothVersions);
  CHECK(widgets.Holder() == kOther);
}

TEST_CASE("Without rights to Leases a run goes on, and warns", "[migrate][lease]") {
  LeasedWidgets widgets;
  widgets.cluster.server.Forbid(kLeaseResource);
  CHECK(widgets.Run().outcome == report::Outcome::kDone);
  CHECK(std::ranges::count_if(widgets.listener.lines, [](const std::string& line) {
          return line.starts_with("Warning: " + kWidgets +
                                  ": another run over the same objects would not be noticed");
        }) == 1);
  CHECK(widgets.StoredVersions() == Strings{"v1"});
}

}  // namespace migration_lease_test
}  // namespace migrate::migration
