#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "kube/json/json.h"
#include "migrate/migration/migration.h"
#include "migrate/shards/shard_changes.h"
#include "migrate/shards/shard_record_json.h"
#include "tests/migrate/lease/inline_leases.h"
#include "tests/support/fake_cluster.h"
#include "tests/support/temp_folder.h"

namespace migrate::migration {
namespace migration_shards_test {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;
using report::ObjectClass;
using report::Outcome;
using shards::Shard;
using shards::ShardRecord;
using test_support::FakeFault;
using Step = shards::ShardPart::Step;

const std::string kWidgets = "widgets.demo.example.com";
const std::string kCrdResource = "customresourcedefinitions.apiextensions.k8s.io";

class Listener : public sweep::MigrationObserver {
 public:
  void OnLine(const std::string& line) override { lines.push_back(line); }
  void OnProgress(const std::string&, const sweep::SweepProgress&) override {}
  bool Confirm(const std::string&) override { return true; }

  Strings lines;
};

/// Twenty widgets that are migrated by two shards; odd ones have a field too many.
struct ShardedWidgets {
  explicit ShardedWidgets(const std::string& more = "") {
    cluster.server.Add(kube::lease::lease_test::kLeaseCrd);
    cluster.server.Add(test_support::FakeCrdText("widgets", more));
    cluster.server.PatchCrd(kWidgets, R"({"status":{"storedVersions":["v1beta1","v1"]}})");
    for (int i = 0; i < 20; ++i) {
      cluster.server.Add(
          test_support::FakeObjectText("widgets", "w" + std::to_string(10 + i),
                                       i % 2 == 0 ? R"({"a":"1"})" : R"({"a":"1","extra":true})"));
    }
    options.crd_names = {"widgets"};
    options.lease = {.leases = &leases};
    options.pruning.backup_dir = backups.path();
  }

  report::CrdMigration Run(Shard shard, std::uint64_t number = 1) {
    options.shard = shard;
    options.state_dir = state.path() + "/" + std::to_string(shard.number);
    options.lease.self = {"bob", "pod-" + std::to_string(shard.number), 1, number};
    report::MigrationReport report = Migrate(options, {cluster.session(), listener});
    REQUIRE(report.crds.size() == 1);
    return report.crds[0];
  }
  std::string Uid(const std::string& resource, const std::string& key) const {
    return std::string(cluster.server.Stored(resource, key)->Find("metadata")->FindText("uid"));
  }
  std::string RecordKey() const {
    return "default/kubectl-prune-" + kWidgets + "-" + Uid(kCrdResource, kWidgets);
  }
  std::optional<ShardRecord> Record() const {
    const kube::json::Value* map = cluster.server.Stored("configmaps", RecordKey());
    if (map == nullptr) return std::nullopt;
    return shards::ReadShardRecord(map->Find("data")->FindText("record"));
  }
  Strings StoredVersions() const {
    Strings versions;
    for (const auto& version : cluster.server.Stored(kCrdResource, kWidgets)
                                   ->Find("status")
                                   ->Find("storedVersions")
                                   ->elements()) {
      versions.emplace_back(version.text());
    }
    return versions;
  }
  /// How many objects a shard has.
  std::uint64_t SizeOf(Shard shard) const {
    std::uint64_t size = 0;
    for (int i = 0; i < 20; ++i) {
      const std::string key = "shop/w" + std::to_string(10 + i);
      size += shard.Has(Uid(kWidgets, key)) ? 1 : 0;
    }
    return size;
  }
  std::ptrdiff_t Writes() const {
    return std::ranges::count_if(cluster.server.requests(), [](const auto& request) {
      return request.method == "PATCH" && request.target.find("/widgets/w") != std::string::npos &&
             request.target.find("dryRun") == std::string::npos;
    });
  }
  /// Whenever the record is read the other shard has done what there was to do for it.
  void LetOtherFollow(int other) {
    FakeFault fault;
    fault.target = "/configmaps/";
    fault.times = 0;
    fault.before = [this, other] { Follow(other); };
    cluster.server.AddFault(fault);
  }
  void Follow(int other) {
    std::optional<ShardRecord> record = Record();
    if (!record) return;
    ShardRecord next = *record;
    shards::ShardPart& part = next.parts.at(static_cast<std::size_t>(other));
    part.holder = "other";
    if (next.phase == ShardRecord::Phase::kPreparing) shards::NoteOpenBackup(next, other);
    if (next.phase == ShardRecord::Phase::kClosing) shards::NoteClosedBackup(next, other, "/x");
    if (next != *record) Put(next);
  }
  void Put(const ShardRecord& next) {
    kube::json::Document map;
    map.root() =
        kube::json::DeepCopy(*cluster.server.Stored("configmaps", RecordKey()), map.arena());
    const std::string text = shards::PrintShardRecord(next);
    map.root().Find("data")->Set("record", kube::json::Value::String(text), map.arena());
    kube::http::HttpRequest put;
    put.method = "PUT";
    put.target = "/api/v1/namespaces/default/configmaps/" + RecordKey().substr(8);
    put.body = kube::json::Print(map.root());
    CHECK(cluster.server.Answer(put, {}).status == 200);
  }

  test_support::FakeCluster cluster;
  test_support::TempFolder state, backups;
  lease::lease_test::InlineLeases leases{cluster.session()};
  MigrationOptions options;
  Listener listener;
};

const Strings kBothVersions = {"v1beta1", "v1"};

TEST_CASE("Each shard migrates its objects, and the last one trims", "[migrate][shards]") {
  ShardedWidgets widgets;
  const report::CrdMigration first = widgets.Run({0, 2});
  CHECK(first.outcome == Outcome::kDone);
  CHECK(first.verified);
  CHECK(first.counts.Total() == widgets.SizeOf({0, 2}));
  REQUIRE(first.shard);
  CHECK(first.shard->missing == "shard 1 has not come");
  CHECK_THAT(first.kept_because, Contains("shard 1 has not come"));
  CHECK(widgets.StoredVersions() == kBothVersions);
  const report::CrdMigration last = widgets.Run({1, 2});
  CHECK(last.outcome == Outcome::kDone);
  CHECK(last.counts.Total() == widgets.SizeOf({1, 2}));
  CHECK(last.kept_because.empty());
  REQUIRE(last.shard);
  CHECK(last.shard->missing.empty());
  REQUIRE(last.shard->counts.size() == 2);
  CHECK(last.shard->counts[0][ObjectClass::kRewritten] +
            last.shard->counts[1][ObjectClass::kRewritten] ==
        10);
  CHECK(widgets.StoredVersions() == Strings{"v1"});
  CHECK(widgets.Record()->phase == ShardRecord::Phase::kEnded);
  // Once to rewrite, and once to verify.
  CHECK(widgets.Writes() == 40);
}

TEST_CASE("A shard that is done is not done again", "[migrate][shards]") {
  ShardedWidgets widgets;
  widgets.Run({0, 2});
  const auto writes = widgets.Writes();
  const report::CrdMigration again = widgets.Run({0, 2}, 2);
  CHECK(again.outcome == Outcome::kDone);
  CHECK(again.verified);
  CHECK(again.counts.Total() == widgets.SizeOf({0, 2}));
  CHECK(widgets.Writes() == writes);
}

TEST_CASE("Nothing is trimmed while an object of any shard has failed", "[migrate][shards]") {
  ShardedWidgets widgets;
  FakeFault invalid;
  invalid.target = "/widgets/w1";  // the first ten
  invalid.times = 1;
  invalid.answer = test_support::FakeStatus(422, "Invalid", "is invalid");
  widgets.cluster.server.AddFault(invalid);
  const int failing = Shard{0, 2}.Has(widgets.Uid(kWidgets, "shop/w10")) ? 0 : 1;
  const report::CrdMigration failed = widgets.Run({failing, 2});
  CHECK(failed.outcome == Outcome::kFailures);
  const report::CrdMigration other = widgets.Run({1 - failing, 2});
  CHECK(other.outcome == Outcome::kDone);
  CHECK(widgets.StoredVersions() == kBothVersions);
  CHECK_THAT(other.kept_because, Contains("shard " + std::to_string(failing) + " is failed"));
  // Its successor tries again, and is the last one then.
  CHECK(widgets.Run({failing, 2}, 2).outcome == Outcome::kDone);
  CHECK(widgets.StoredVersions() == Strings{"v1"});
}

TEST_CASE("A shard turns pruning on once all are ready for it", "[migrate][shards]") {
  ShardedWidgets widgets(R"(,"preserveUnknownFields":true)");
  widgets.options.enable_pruning = true;
  widgets.LetOtherFollow(1);
  const report::CrdMigration crd = widgets.Run({0, 2});
  CHECK(crd.outcome == Outcome::kDone);
  CHECK(crd.error.empty());
  CHECK(crd.pruning_enabled);
  CHECK(crd.verified);
  REQUIRE(crd.before_flip);
  CHECK(crd.before_flip->Total() == widgets.SizeOf({0, 2}));
  CHECK_THAT(crd.backup, Contains(kWidgets + "-shard-0-of-2-"));
  CHECK(widgets.Record()->phase == ShardRecord::Phase::kRewriting);
  CHECK(widgets.Record()->parts[0].step == Step::kDone);
  CHECK_FALSE(widgets.Record()->flip_resource_version.empty());
  CHECK(widgets.StoredVersions() == kBothVersions);
}

/// Once a shard has taken part, with the CRD as it was before the flip, others turn pruning on and
/// do what there was to do up to the end.
struct OvertakenWidgets : ShardedWidgets {
  OvertakenWidgets() : ShardedWidgets(R"(,"preserveUnknownFields":true)") {
    options.enable_pruning = true;
    FakeFault others;
    others.target = "/configmaps/";
    others.times = 0;
    others.before = [this] {
      const auto record = Record();
      if (!record || std::exchange(is_done, true)) return;
      cluster.server.PatchCrd(kWidgets, R"({"spec":{"preserveUnknownFields":false}})");
      ShardRecord next = *record;
      shards::NoteFlip(next, record->generation + 1, "");
      for (int shard = 0; shard < 2; ++shard) {
        shards::NoteResult(next, shard, {.step = Step::kDone, .is_verified = true});
      }
      Put(next);
    };
    cluster.server.AddFault(others);
  }

  bool is_done = false;
};

TEST_CASE("A shard that others do while it comes is brought to the end", "[migrate][shards]") {
  OvertakenWidgets widgets;
  const report::CrdMigration crd = widgets.Run({0, 2});
  CHECK(widgets.is_done);
  CHECK(crd.error.empty());
  CHECK(crd.outcome == Outcome::kDone);
  CHECK(widgets.StoredVersions() == Strings{"v1"});
  CHECK(widgets.Writes() == 0);
}

TEST_CASE("A shard may be stopped while it reads anew", "[migrate][shards]") {
  OvertakenWidgets widgets;
  std::atomic<bool> stop = false;
  widgets.cluster.run_stop = &stop;
  FakeFault signal;
  signal.target = "selfsubjectaccessreviews";
  signal.times = 0;
  signal.before = [&] { stop = widgets.is_done; };
  widgets.cluster.server.AddFault(signal);
  const report::CrdMigration crd = widgets.Run({0, 2});
  CHECK(widgets.is_done);
  CHECK(crd.outcome == Outcome::kInterrupted);
  CHECK(widgets.StoredVersions() == kBothVersions);
}

TEST_CASE("Without the other shard pruning stays off", "[migrate][shards]") {
  ShardedWidgets widgets(R"(,"preserveUnknownFields":true)");
  widgets.options.enable_pruning = true;
  widgets.options.shard_timeout = 5min;
  const report::CrdMigration crd = widgets.Run({0, 2});
  CHECK(crd.outcome == Outcome::kError);
  CHECK_THAT(crd.error, Contains("pruning was not turned on") && Contains("shard 1 has not come"));
  CHECK_FALSE(crd.pruning_enabled);
  CHECK(widgets.Record()->parts[0].step == Step::kFailed);
  CHECK(widgets.cluster.server.Stored(kCrdResource, kWidgets)
            ->Find("spec")
            ->Find("preserveUnknownFields")
            ->AsBool());
}

TEST_CASE("A successor that knows nothing of the backup does not rewrite", "[migrate][shards]") {
  ShardedWidgets widgets(R"(,"preserveUnknownFields":true)");
  widgets.options.enable_pruning = true;
  widgets.LetOtherFollow(1);
  // The first program is killed once pruning is on, and its disk with it.
  struct Killed {};
  FakeFault killed;
  killed.target = "/widgets/w";
  killed.times = 0;
  killed.before = [&] {
    const auto record = widgets.Record();
    if (record && record->phase == ShardRecord::Phase::kRewriting) throw Killed();
  };
  widgets.cluster.server.AddFault(killed);
  CHECK_THROWS_AS(widgets.Run({0, 2}), Killed);
  std::filesystem::remove_all(widgets.state.path() + "/0");
  const auto writes = widgets.Writes();
  const report::CrdMigration successor = widgets.Run({0, 2}, 2);
  CHECK(successor.outcome == Outcome::kError);
  CHECK_THAT(successor.error, Contains("--rewrite-unbacked"));
  CHECK(widgets.Writes() == writes);
}

TEST_CASE("Shards of other flags, or without rights, are refused", "[migrate][shards]") {
  ShardedWidgets widgets;
  SECTION("flags") {
    widgets.Run({0, 2});
    widgets.options.keep_stored_versions = true;
    CHECK_THAT(widgets.Run({1, 2}).error, Contains("with other flags"));
  }
  SECTION("Leases") {
    widgets.cluster.server.Forbid("leases.coordination.k8s.io");
    CHECK_THAT(widgets.Run({0, 2}).error, Contains("shards cannot do without Leases"));
  }
  SECTION("ConfigMaps") {
    widgets.cluster.server.Forbid("configmaps");
    CHECK_THAT(widgets.Run({0, 2}).error, Contains("cannot get the ConfigMap"));
    CHECK(widgets.Writes() == 0);
  }
}

}  // namespace migration_shards_test
}  // namespace migrate::migration
