#include "migrate/migration/pruning_plan.h"

#include <catch2/catch.hpp>

#include "tests/support/fake_cluster.h"

namespace migrate::migration {
namespace pruning_plan_test {

using Strings = std::vector<std::string>;

report::FieldUse Field(const std::string& path, std::uint64_t objects = 1) {
  report::FieldUse use;
  use.path = path;
  use.objects = objects;
  use.examples = {"shop/a", "shop/b"};
  return use;
}

PruningDryRun DryRun2000() {
  PruningDryRun dry_run;
  report::CrdReport& crd = dry_run.report;
  crd.name = "widgets.demo.example.com";
  crd.storage_version = "v1";
  crd.stored_versions = {"v1beta1", "v1"};
  crd.object_count = 2000;
  dry_run.sizes.objects = 2000;
  report::VersionReport& v1 = crd.versions.emplace_back();
  v1.name = "v1";
  v1.storage = true;
  v1.objects_losing_fields = 1874;
  v1.pruned_fields = {Field("spec.legacyMode"), Field("spec.x", 1874)};
  crd.storage_migration = {1900, {Field("spec.a"), Field("spec.b"), Field("spec.c")}};
  dry_run.backup_objects = 1874;
  dry_run.backup_bytes = 4'300'000;
  return dry_run;
}

const std::string kEvents =
    "plan: every write that changes what is stored is an event for all who watch "
    "widgets.demo.example.com";

TEST_CASE("The plan tells what is lost, written and asked", "[migrate][pruning_plan]") {
  const PruningDryRun dry_run = DryRun2000();
  const UpdateWebhooks webhooks{{"policy.example.com"}, ""};
  CHECK(DescribePlan({.dry_run = dry_run,
                      .webhooks = webhooks,
                      .rewrites_before = true,
                      .backup = "b/w.ndjson"}) ==
        Strings{
            "widgets.demo.example.com: 1874 of 2000 objects would lose 2 fields (kubectl prune "
            "check widgets.demo.example.com)",
            "plan: removes .spec.x from 1874 objects (e.g. shop/a), .spec.legacyMode from 1 object "
            "(shop/a)",
            "plan: 2000 writes before pruning (stored as v1beta1 and v1), 2000 after, about "
            "25 s; 1 admission webhook is called for updates: policy.example.com",
            kEvents, "plan: back up 1874 objects, 4.1 MiB, to b/w.ndjson"});
}

TEST_CASE("In one pass more may be lost, and half is written", "[migrate][pruning_plan]") {
  const PruningDryRun dry_run = DryRun2000();
  const Strings lines = DescribePlan(
      {.dry_run = dry_run, .webhooks = {}, .in_one_pass = true, .pace = {.max_rate = 10}});
  CHECK_THAT(lines[0], Catch::Contains("1900 of 2000 objects would lose 3 fields"));
  CHECK(lines[2] ==
        "plan: 2000 writes, about 7 min; no admission webhook is registered for these updates");
  CHECK(lines.size() == 4);
}

TEST_CASE("The time is that of all passes, and large objects count", "[migrate][pruning_plan]") {
  PruningDryRun dry_run = DryRun2000();
  PruningPlan plan{.dry_run = dry_run, .webhooks = {}};
  plan.cost = {.object = 0.01, .byte = 1e-6};
  const auto writes = [&](std::uint64_t objects, std::uint64_t bytes) {
    dry_run.sizes.objects = objects;
    dry_run.sizes.bytes = bytes;
    return EstimateWrites(plan);
  };
  // Each takes 10 ms, and 1 s a MB; one that changes something 1.8 times as long.
  CHECK(writes(100, 0) == Approx(1.8 + 1));
  CHECK(writes(5, 5'000'000) == Approx(1.8 * 5.05 + 5.05));
  // Five rounds of reads after pruning is on, one for the backup, each a seventh of a write; and 5
  // s.
  CHECK_THAT(DescribePlan(plan)[2], Catch::Contains(" about 24 s;"));
  plan.verifies = false;
  CHECK(writes(100, 0) == Approx(1.8));
  plan.rewrites_before = true;
  CHECK(writes(100, 0) == Approx(1.8 + 1 + 1.8));
  plan.pace.max_rate = 10;
  CHECK(writes(100, 0) == Approx(30));
  CHECK_THAT(DescribePlan(plan)[2], Catch::Contains(" about 36 s;"));
}

TEST_CASE("The cost of a write is measured by dry runs of a few", "[migrate][pruning_plan]") {
  test_support::FakeCluster cluster;
  cluster.server.Add(test_support::FakeCrdText("widgets"));
  ObjectSizes sizes;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "w" + std::to_string(10 + i);
    const std::string text = test_support::FakeObjectText("widgets", name, "{}");
    cluster.server.Add(text);
    kube::json::Document object;
    REQUIRE_FALSE(object.Parse(text));
    CHECK(object.text_size() == text.size());
    sizes.Add(object.root(), static_cast<std::uint64_t>(i), i == 17 ? 1'001'000U : 1000U);
  }
  test_support::FakeFault slow;
  slow.times = 0;
  slow.latency = std::chrono::milliseconds(10);
  slow.target = "widgets/w1";
  test_support::FakeFault slower = slow;
  slower.target = "widgets/w27";
  slower.latency = std::chrono::seconds(2);
  cluster.server.AddFault(slower);
  cluster.server.AddFault(slow);
  const rewrite::SweepTarget target{
      .group = "demo.example.com", .version = "v1", .plural = "widgets"};
  SECTION("with the largest one") {
    const report::WriteCost cost = MeasureWriteCost(sizes, target, cluster.session());
    CHECK(cost.is_measured);
    CHECK(cost.byte == Approx(1.99e-6).epsilon(0.02));
    CHECK(cost.object == Approx(0.008).epsilon(0.05));
    CHECK(cost.SecondsFor(sizes.objects, sizes.bytes) == Approx(20 * 0.01 + 1.99).epsilon(0.05));
    CHECK(cluster.server.requests().size() == 6);
    for (const std::string& line : cluster.server.RequestLines()) {
      CHECK_THAT(line, Catch::EndsWith("?dryRun=All"));
    }
  }
  SECTION("and is as a rule where they are refused") {
    cluster.server.AddFault(
        {.target = "widgets/w12", .answer = test_support::FakeStatus(403, "Forbidden", "no")});
    CHECK_FALSE(MeasureWriteCost(sizes, target, cluster.session()).is_measured);
  }
}

TEST_CASE("Where nothing is lost there is nothing to back up", "[migrate][pruning_plan]") {
  PruningDryRun dry_run = DryRun2000();
  dry_run.report.versions[0].objects_losing_fields = 0;
  dry_run.backup_objects = 0;
  const Strings lines = DescribePlan({.dry_run = dry_run, .webhooks = {}, .backup = "b/w.ndjson"});
  CHECK(lines[0] == "widgets.demo.example.com: none of 2000 objects would lose a field");
  CHECK(lines.size() == 3);
}

TEST_CASE("What is not known, and who may undo it, is said", "[migrate][pruning_plan]") {
  PruningDryRun dry_run = DryRun2000();
  dry_run.report.object_errors = {"shop/one: too large"};
  dry_run.report.note = "not known";
  const UpdateWebhooks webhooks{{}, "Error from server (Forbidden): no"};
  const Strings lines = DescribePlan(
      {.dry_run = dry_run, .webhooks = webhooks, .gitops_owner = "Argo CD (label a/b)"});
  CHECK_THAT(lines[2], Catch::EndsWith(
                           "it is not known which admission webhooks are called for updates: Error "
                           "from server (Forbidden): no"));
  CHECK(lines[4] == "Warning: the server will refuse an object: shop/one: too large");
  CHECK(lines[5] == "Warning: not known");
  CHECK_THAT(lines[6], Catch::StartsWith(
                           "Warning: Argo CD (label a/b) manages "
                           "widgets.demo.example.com and may undo this or stop at it: pause it"));
}

TEST_CASE("Objects that pruning makes invalid in the version of the writes are warned of",
          "[migrate][pruning_plan]") {
  PruningDryRun dry_run = DryRun2000();
  dry_run.write_version = "v1";
  dry_run.report.versions.push_back(dry_run.report.versions[0]);
  report::VersionReport& v2 = dry_run.report.versions[1];
  v2.name = "v2";
  v2.objects_invalid_once_pruned = 1;
  v2.invalid_once_pruned = {"shop/old: spec.b: Required value"};
  CHECK(DescribePlan({.dry_run = dry_run, .webhooks = {}}).back() == kEvents);
  dry_run.write_version = "v2";
  CHECK(DescribePlan({.dry_run = dry_run, .webhooks = {}}).back() ==
        "Warning: once pruned, 1 object would be invalid, and updates refused (kubectl prune check "
        "widgets.demo.example.com): shop/old: spec.b: Required value");
  v2.objects_invalid_once_pruned = 2;
  v2.invalid_once_pruned = {"shop/a: spec.c: Required value", "shop/b: spec.c: Required value"};
  CHECK(
      DescribePlan({.dry_run = dry_run, .webhooks = {}}).back() ==
      "Warning: once pruned, 2 objects would be invalid, and updates refused (kubectl prune check "
      "widgets.demo.example.com): shop/a: spec.c: Required value, ...");
}

TEST_CASE("What the server will refuse is foretold, but for what it tolerates",
          "[migrate][pruning_plan]") {
  PruningDryRun dry_run = DryRun2000();
  report::VersionReport& version = dry_run.report.versions[0];
  dry_run.write_version = version.name;
  const std::string ready = DescribePlan({.dry_run = dry_run, .webhooks = {}}).back();
  report::ValidityReport& validity = version.validity.emplace();
  validity.server_tolerates = true;
  validity.fields = {{.path = "spec.a",
                      .message = "spec.a: tolerated",
                      .objects = 3,
                      .examples = {"shop/x"},
                      .tolerated = true}};
  CHECK(DescribePlan({.dry_run = dry_run, .webhooks = {}}).back() == ready);
  validity.fields.push_back({.path = "spec.b",
                             .message = "spec.b: Required value",
                             .objects = 1,
                             .examples = {"shop/y"}});
  validity.objects = 1;
  CHECK(DescribePlan({.dry_run = dry_run, .webhooks = {}}).back() ==
        "Warning: once pruned, the API server refuses every write of 1 object, which counts as "
        "invalid (kubectl prune check widgets.demo.example.com): shop/y: spec.b: Required value");
  validity.objects = 2;
  CHECK_THAT(DescribePlan({.dry_run = dry_run, .webhooks = {}}).back(),
             Catch::Contains("of 2 objects, which count as invalid") &&
                 Catch::EndsWith("spec.b: Required value, ..."));
}

TEST_CASE("Of many fields the plan names ten, those of most objects first",
          "[migrate][pruning_plan]") {
  PruningDryRun dry_run = DryRun2000();
  std::vector<report::FieldUse>& fields = dry_run.report.versions[0].pruned_fields;
  for (int i = 10; i < 20; ++i) fields.push_back(Field("spec.f" + std::to_string(i), 7));
  const Strings lines = DescribePlan({.dry_run = dry_run, .webhooks = {}});
  CHECK_THAT(
      lines[1],
      Catch::StartsWith("plan: removes .spec.x from 1874 objects (e.g. shop/a), .spec.f10 from 7 "
                        "objects (e.g. shop/a), ") &&
          Catch::EndsWith(".spec.f18 from 7 objects (e.g. shop/a), and 2 more fields"));
}

TEST_CASE("Many webhooks are counted, and some named", "[migrate][pruning_plan]") {
  const PruningDryRun dry_run = DryRun2000();
  const UpdateWebhooks webhooks{{"a", "b", "c", "d", "e", "f", "g"}, ""};
  const Strings lines = DescribePlan({.dry_run = dry_run, .webhooks = webhooks});
  CHECK_THAT(lines[2],
             Catch::EndsWith("7 admission webhooks are called for updates: a, b, c, d, e, 2 more"));
}

}  // namespace pruning_plan_test
}  // namespace migrate::migration
