#include "migrate/rewrite/run_state.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using End = RunState::End;
using Phase = MigrationState::Phase;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

RunOfCrd Widgets(std::int64_t generation, bool preserves = true) {
  return {.crd_name = "widgets.demo.example.com",
          .shape = {.uid = "crd-uid",
                    .generation = generation,
                    .preserves_unknown_fields = preserves,
                    .storage_version = "v1"},
          .stored_versions = {"v1beta1", "v1"}};
}

constexpr std::chrono::sys_days kNow = std::chrono::year(2026) / 11 / 22;

RunState Open(const TempFolder& folder, RunOfCrd run) {
  return {folder.path(), "cluster-uid", std::move(run), kNow};
}

/// What a run leaves that has made its backup, and was killed about the write that turns pruning
/// on.
void LeaveBackup(const TempFolder& folder, const std::string& pruning_on_resource_version = "") {
  RunState run = Open(folder, Widgets(3));
  run.NoteBackup("backup.ndjson", {{"shop", "one", "uid-1", {"spec.a"}}});
  if (!pruning_on_resource_version.empty()) run.NotePruningFoundOn(pruning_on_resource_version);
}

/// Leaves a file of a sweep, and says where.
fs::path LeaveSweep(const RunState& run) {
  fs::path file = run.MakeSweepFolder() / "rewrite.listed";
  std::ofstream(file) << "x";
  return file;
}

TEST_CASE("A first run has nothing to go on with", "[migrate][state]") {
  const TempFolder folder;
  RunState run = Open(folder, Widgets(3));
  CHECK_FALSE(run.goes_on());
  CHECK_FALSE(run.is_pruning_on());
  CHECK(run.stored_before() == Strings{"v1beta1", "v1"});
  CHECK(run.noted().generation == 3);
}

TEST_CASE("Runs are known to later ones, until one ends by itself", "[migrate][state]") {
  const TempFolder folder;
  {
    RunState killed = Open(folder, Widgets(3));
    CHECK(killed.earlier_identities().empty());
    killed.NoteIdentity("one");
  }
  {
    RunState killed = Open(folder, Widgets(3));
    CHECK(killed.earlier_identities() == Strings{"one"});
    killed.NoteIdentity("two");
    CHECK(killed.earlier_identities() == Strings{"one", "two"});
  }
  RunOfCrd partial = Widgets(3);
  partial.is_partial = true;
  CHECK(Open(folder, partial).earlier_identities() == Strings{"one", "two"});
  RunState last = Open(folder, Widgets(3));
  CHECK(last.earlier_identities() == Strings{"one", "two"});
  last.Close(End::kDone);
  CHECK(last.earlier_identities().empty());
}

TEST_CASE("Of many runs that were killed the last ones are known", "[migrate][state]") {
  const TempFolder folder;
  for (int run = 0; run < 40; ++run) {
    Open(folder, Widgets(3)).NoteIdentity(std::to_string(run));
  }
  const Strings known = Open(folder, Widgets(3)).earlier_identities();
  REQUIRE(known.size() == 16);
  CHECK(known.front() == "24");
  CHECK(known.back() == "39");
}

TEST_CASE("A run goes on with the sweeps of one that came to no end", "[migrate][state]") {
  const TempFolder folder;
  const fs::path file = LeaveSweep(Open(folder, Widgets(3)));
  RunOfCrd widgets = Widgets(3);
  widgets.stored_versions = {"v1"};  // somebody else has trimmed it
  const RunState second = Open(folder, widgets);
  CHECK(second.goes_on());
  CHECK(second.stored_before() == Strings{"v1beta1", "v1"});
  CHECK(fs::exists(file));
}

TEST_CASE("Sweeps of another generation or storage version are forgotten", "[migrate][state]") {
  const TempFolder folder;
  const fs::path file = LeaveSweep(Open(folder, Widgets(3)));
  RunOfCrd changed = Widgets(3);
  SECTION("generation") { changed.shape.generation = 4; }
  SECTION("storage version") { changed.shape.storage_version = "v2"; }
  const RunState second = Open(folder, changed);
  CHECK_FALSE(second.goes_on());
  CHECK_FALSE(fs::exists(file));
}

TEST_CASE("A run after the backup is behind the flip once the CRD prunes", "[migrate][state]") {
  const TempFolder folder;
  LeaveBackup(folder);
  SECTION("by the flip, whose answer was lost") {
    RunState run = Open(folder, Widgets(4, /*preserves=*/false));
    CHECK(run.is_pruning_on());
    CHECK(run.goes_on());
    CHECK(run.noted().backup == "backup.ndjson");
  }
  SECTION("by somebody who changed more than that") {
    RunState run = Open(folder, Widgets(7, /*preserves=*/false));
    CHECK(run.is_pruning_on());
    CHECK(run.noted().backup == "backup.ndjson");
    CHECK(run.noted().generation == 7);
  }
  SECTION("not before") { CHECK_FALSE(Open(folder, Widgets(3)).is_pruning_on()); }
  SECTION("the backup of another schema counts for nothing while the CRD preserves") {
    CHECK(Open(folder, Widgets(4)).noted().backup.empty());
  }
}

TEST_CASE("What a run has noted about the flip is what the next one knows", "[migrate][state]") {
  const TempFolder folder;
  LeaveBackup(folder);
  {
    RunState run = Open(folder, Widgets(3));
    run.NotePruningOn("1234", 4, kNow + std::chrono::seconds(1));
    CHECK(run.is_pruning_on());
    CHECK(run.TimeUntilNoticed(kNow + std::chrono::seconds(2)) == std::chrono::seconds(4));
    run.NoteSettled("1300");
  }
  const RunState next = Open(folder, Widgets(4, /*preserves=*/false));
  CHECK(next.is_pruning_on());
  CHECK(next.noted().phase == Phase::kBackupComplete);
  CHECK(next.noted().generation == 4);
  CHECK(next.noted().pruning_on_resource_version == "1234");
  CHECK(next.noted().settled_resource_version == "1300");
  REQUIRE(next.noted().losing.size() == 1);
  CHECK(next.noted().losing[0].name == "one");
}

TEST_CASE("A new backup takes back what was noted of an earlier flip", "[migrate][state]") {
  const TempFolder folder;
  LeaveBackup(folder, "1234");
  {
    RunState run = Open(folder, Widgets(3));
    run.NoteSettled("1300");
    run.NoteBackup("", {});
  }
  const RunState next = Open(folder, Widgets(3));
  CHECK(next.noted().backup.empty());
  CHECK(next.noted().losing.empty());
  CHECK(next.noted().pruning_on_resource_version.empty());
  CHECK(next.noted().settled_resource_version.empty());
}

TEST_CASE("The rewrite before the flip is gone on with until it is forgotten", "[migrate][state]") {
  const TempFolder folder;
  const fs::path before = Open(folder, Widgets(3)).MakeFolderBeforePruning();
  CHECK((fs::status(before).permissions() & fs::perms::all) == fs::perms::owner_all);
  {
    RunState second = Open(folder, Widgets(3));
    CHECK(second.goes_on());
    CHECK(second.MakeFolderBeforePruning() == before);
    second.ForgetBeforePruning();
  }
  CHECK_FALSE(fs::exists(before));
  CHECK_FALSE(Open(folder, Widgets(3)).goes_on());
}

TEST_CASE("Rewriting goes on with the CRD as it is behind the flip", "[migrate][state]") {
  const TempFolder folder;
  LeaveBackup(folder);
  const fs::path file = [&] {
    RunState first = Open(folder, Widgets(4, /*preserves=*/false));
    first.NoteRewriting(Widgets(4, /*preserves=*/false).shape);
    CHECK(first.noted().phase == Phase::kRewriting);
    return LeaveSweep(first);
  }();
  SECTION("unchanged") {
    CHECK(Open(folder, Widgets(4, /*preserves=*/false)).goes_on());
    CHECK(fs::exists(file));
  }
  SECTION("changed: what was rewritten is to be rewritten again, what is held stays held") {
    RunState second = Open(folder, Widgets(5, /*preserves=*/false));
    CHECK(second.is_pruning_on());
    CHECK_FALSE(fs::exists(file));
  }
}

TEST_CASE("What a run leaves depends on how it ended", "[migrate][state]") {
  const TempFolder folder;
  LeaveBackup(folder, "1234");
  const RunOfCrd pruning = Widgets(4, /*preserves=*/false);
  const auto end_with = [&](End end) {
    RunState run = Open(folder, pruning);
    run.NoteRewriting(pruning.shape);
    const fs::path file = LeaveSweep(run);
    run.Close(end);
    return fs::exists(file);
  };
  SECTION("in the middle") {
    CHECK(end_with(End::kInTheMiddle));
    CHECK(Open(folder, pruning).goes_on());
  }
  SECTION("with objects that are held") {
    CHECK_FALSE(end_with(End::kHolding));
    RunState next = Open(folder, pruning);
    CHECK(next.is_pruning_on());
    CHECK(next.noted().pruning_on_resource_version == "1234");
  }
  SECTION("with failures: the backup is still needed") {
    CHECK_FALSE(end_with(End::kFailures));
    RunState next = Open(folder, pruning);
    CHECK(next.goes_on());
    CHECK(next.is_pruning_on());
    CHECK(next.noted().phase == Phase::kRewriting);
  }
  SECTION("done") {
    CHECK_FALSE(end_with(End::kDone));
    RunState next = Open(folder, pruning);
    CHECK_FALSE(next.goes_on());
    CHECK_FALSE(next.is_pruning_on());
  }
}

TEST_CASE("After failures of a run that has turned nothing on the next begins anew",
          "[migrate][state]") {
  const TempFolder folder;
  {
    RunState run = Open(folder, Widgets(3, /*preserves=*/false));
    LeaveSweep(run);
    run.Close(End::kFailures);
  }
  CHECK_FALSE(Open(folder, Widgets(3, /*preserves=*/false)).goes_on());
}

TEST_CASE("A CRD may be noticed five seconds after a run first saw it as it is",
          "[migrate][state]") {
  using std::chrono::seconds;
  const TempFolder folder;
  CHECK(Open(folder, Widgets(3)).TimeUntilNoticed(kNow + seconds(1)) == seconds(4));
  CHECK(Open(folder, Widgets(3)).TimeUntilNoticed(kNow + seconds(9)) == seconds(0));
  {
    RunOfCrd partial = Widgets(4);
    partial.is_partial = true;
    CHECK(Open(folder, partial).TimeUntilNoticed(kNow + seconds(9)) == seconds(5));
  }
  const RunState changed(folder.path(), "cluster-uid", Widgets(4), kNow + seconds(9));
  CHECK(changed.TimeUntilNoticed(kNow + seconds(10)) == seconds(4));
}

TEST_CASE("That the cluster goes on is known to the next run", "[migrate][state]") {
  const TempFolder folder;
  {
    RunState run = Open(folder, Widgets(3, /*preserves=*/false));
    run.NoteEngine("widgets-1");
    run.Close(End::kInTheMiddle);
  }
  CHECK(StateFolder::IsLeft(folder.path(), "crd-uid"));
  RunState next = Open(folder, Widgets(3, /*preserves=*/false));
  CHECK(next.noted().engine_migration == "widgets-1");
  CHECK_FALSE(next.goes_on());
  next.Close(End::kDone);
  CHECK_FALSE(StateFolder::IsLeft(folder.path(), "crd-uid"));
}

TEST_CASE("A run that ends before it has begun anything leaves nothing", "[migrate][state]") {
  const TempFolder folder;
  const auto has_state = [&folder] {
    return std::ranges::any_of(
        fs::recursive_directory_iterator(folder.path()),
        [](const auto& entry) { return entry.path().extension() == ".json"; });
  };
  RunState run = Open(folder, Widgets(3));
  REQUIRE(has_state());
  SECTION("not even its own state") {
    run.Close(End::kInTheMiddle);
    CHECK_FALSE(has_state());
  }
  SECTION("but a backup") {
    run.NoteBackup("backup.ndjson", {});
    run.Close(End::kInTheMiddle);
    CHECK(has_state());
  }
  SECTION("but a sweep") {
    run.MakeSweepFolder();
    run.Close(End::kInTheMiddle);
    CHECK(has_state());
  }
  SECTION("but a rewrite before the flip") {
    run.MakeFolderBeforePruning();
    run.Close(End::kInTheMiddle);
    CHECK(has_state());
  }
}

TEST_CASE("What cannot be written is not noted", "[migrate][state]") {
  const TempFolder folder;
  RunState run = Open(folder, Widgets(3));
  run.NoteBackup("backup.ndjson", {});
  fs::path file;
  for (const fs::path& path : fs::recursive_directory_iterator(folder.path())) {
    if (path.filename() == "state.json") file = path;
  }
  REQUIRE(fs::remove(file));
  fs::create_directories(file / "in the way");
  CHECK_THROWS_AS(run.NotePruningFoundOn("1234"), kube::base::Error);
  CHECK(run.noted().pruning_on_resource_version.empty());
  CHECK(run.noted().backup == "backup.ndjson");
}

TEST_CASE("A partial run knows what is held, and leaves all as it was", "[migrate][state]") {
  const TempFolder folder;
  LeaveBackup(folder, "1234");
  RunOfCrd pruning = Widgets(4, /*preserves=*/false);
  const fs::path kept = LeaveSweep(Open(folder, pruning));
  pruning.is_partial = true;
  {
    RunState partial = Open(folder, pruning);
    CHECK(partial.is_pruning_on());
    CHECK_FALSE(partial.goes_on());
    partial.NoteRewriting(pruning.shape);
    const fs::path own = LeaveSweep(partial);
    CHECK(own != kept);
    partial.Close(End::kDone);
    CHECK_FALSE(fs::exists(own));
  }
  CHECK(Open(folder, pruning).noted().phase == Phase::kBackupComplete);
  CHECK(fs::exists(kept));
}

TEST_CASE("What was begun under another address is taken over only after a word",
          "[migrate][state]") {
  const TempFolder folder;
  RunOfCrd before = Widgets(3);
  before.address = "https://a";
  {
    RunState run = Open(folder, before);
    run.NoteBackup("backup.ndjson", {});
    run.Close(End::kInTheMiddle);
  }
  RunOfCrd behind = Widgets(4, /*preserves=*/false);
  behind.address = "https://b";
  std::vector<std::string> asked;
  bool answer = false;
  behind.may_take_over = [&](const std::string& address) {
    asked.push_back(address);
    return answer;
  };
  CHECK_THROWS_AS(Open(folder, behind), kube::base::Error);
  CHECK(asked == Strings{"https://a"});
  answer = true;
  {
    RunState run = Open(folder, behind);
    CHECK(run.goes_on());
    CHECK(run.noted().backup == "backup.ndjson");
    run.Close(End::kInTheMiddle);
  }
  // From then on it is known there.
  asked.clear();
  CHECK(Open(folder, behind).goes_on());
  CHECK(asked.empty());
}

}  // namespace
}  // namespace migrate::rewrite
