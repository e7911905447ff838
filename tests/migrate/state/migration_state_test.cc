#include "migrate/rewrite/migration_state.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Phase = MigrationState::Phase;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

StateFolder Open(const TempFolder& folder, const std::string& uid = "crd-uid") {
  return StateFolder(folder.path(), "cluster-uid", uid, "widgets.demo.example.com");
}

mode_t ModeOf(const fs::path& path) {
  struct stat status = {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

MigrationState SomeState() {
  MigrationState state;
  state.phase = Phase::kBackupComplete;
  state.crd_uid = "crd-uid";
  state.generation = 7;
  state.generation_seen = 1'795'000'000'123;
  state.storage_version = "v1";
  state.stored_before = {"v1beta1", "v1"};
  state.backup = "backup/\"odd\"\n.ndjson";
  state.schemas = 0xfedcba9876543210;
  state.kept_fields = 0xfedcba9876543211;
  state.pruning_on_resource_version = "1234";
  state.engine_migration = "widgets-1";
  state.losing = {{"shop", "one", "uid-1", {"spec.a", "spec.ports[0].proto"}}, {"", "two", "", {}}};
  return state;
}

TEST_CASE("State that was saved is loaded by the next run", "[migrate][state]") {
  const TempFolder folder;
  Open(folder).Save(SomeState());
  const MigrationState state = Open(folder).Load();
  CHECK(state.phase == Phase::kBackupComplete);
  CHECK(state.crd_uid == "crd-uid");
  CHECK(state.generation == 7);
  CHECK(state.generation_seen == 1'795'000'000'123);
  CHECK(state.storage_version == "v1");
  CHECK(state.stored_before == Strings{"v1beta1", "v1"});
  CHECK(state.backup == "backup/\"odd\"\n.ndjson");
  CHECK(state.schemas == 0xfedcba9876543210);
  CHECK(state.engine_migration == "widgets-1");
  CHECK(state.pruning_on_resource_version == "1234");
  REQUIRE(state.losing.size() == 2);
  CHECK(state.losing[0].namespace_ == "shop");
  CHECK(state.losing[0].paths == Strings{"spec.a", "spec.ports[0].proto"});
  CHECK(state.losing[1].name == "two");
  CHECK(state.losing[1].paths.empty());
}

TEST_CASE("Each phase is loaded as it was saved", "[migrate][state]") {
  const TempFolder folder;
  StateFolder state_folder(folder.path(), "", "crd-uid", "widgets");
  for (const Phase phase :
       {Phase::kBeforePruning, Phase::kBackupComplete, Phase::kRewriting, Phase::kHolding}) {
    MigrationState state = SomeState();
    state.phase = phase;
    state_folder.Save(state);
    CHECK(state_folder.Load().phase == phase);
  }
}

TEST_CASE("A state that cannot be read is an error, as it may tell what is held",
          "[migrate][state]") {
  const TempFolder folder;
  const StateFolder state_folder(folder.path(), "c", "crd-uid", "widgets");
  fs::create_directory(state_folder.path() / "state.json");
  CHECK_THROWS_WITH(state_folder.Load(), Contains("cannot read") && Contains("state.json") &&
                                             Contains("run the same command again"));
}

TEST_CASE("Without state there is a default state", "[migrate][state]") {
  const TempFolder folder;
  StateFolder state_folder(folder.path(), "c", "crd-uid", "widgets");
  SECTION("none") {}
  SECTION("empty") { std::ofstream(state_folder.path() / "state.json").flush(); }
  const MigrationState state = state_folder.Load();
  CHECK(state.phase == Phase::kBeforePruning);
  CHECK(state.crd_uid == "crd-uid");
  CHECK(state.storage_version.empty());
}

TEST_CASE("A state that is not understood is an error, as it may tell what is held",
          "[migrate][state]") {
  const TempFolder folder;
  StateFolder state_folder(folder.path(), "c", "crd-uid", "widgets");
  const fs::path file = state_folder.path() / "state.json";
  SECTION("torn") {
    state_folder.Save(SomeState());
    fs::resize_file(file, fs::file_size(file) / 2);
  }
  SECTION("something else") { std::ofstream(file) << R"({"phase":"rewriting","generation":1})"; }
  SECTION("of another CRD") {
    MigrationState other = SomeState();
    other.crd_uid = "other";
    state_folder.Save(other);
  }
  SECTION("a link") { fs::create_symlink(folder.Write("elsewhere.json", "{}"), file); }
  CHECK_THROWS_WITH(state_folder.Load(), Contains("state.json"));
}

TEST_CASE("Nobody else may read the state", "[migrate][state]") {
  const TempFolder folder;
  StateFolder state_folder(folder.path(), "c", "u", "widgets");
  state_folder.Save(SomeState());
  CHECK(state_folder.path() == fs::path(folder.path()) / "c" / "u");
  CHECK(ModeOf(state_folder.path()) == 0700);
  CHECK(ModeOf(state_folder.path().parent_path()) == 0700);
  CHECK(ModeOf(state_folder.path() / "state.json") == 0600);
}

TEST_CASE("A folder that others may write to is closed to them", "[migrate][state]") {
  const TempFolder folder;
  fs::create_directories(fs::path(folder.path()) / "c" / "u");
  fs::permissions(fs::path(folder.path()) / "c" / "u", fs::perms::all);
  const StateFolder state_folder(folder.path(), "c", "u", "widgets");
  CHECK(ModeOf(state_folder.path()) == 0700);
}

TEST_CASE("A link in the place of the folder is not followed", "[migrate][state]") {
  const TempFolder folder, elsewhere;
  fs::create_directories(fs::path(folder.path()) / "c");
  fs::create_directory_symlink(elsewhere.path(), fs::path(folder.path()) / "c" / "u");
  CHECK_THROWS_AS(StateFolder(folder.path(), "c", "u", "widgets"), kube::base::Error);
}

TEST_CASE("A state folder of somebody else's is not used", "[migrate][state]") {
  if (geteuid() != 0) return;  // nobody else can make one
  const TempFolder folder;
  constexpr uid_t kSomebody = 12345;
  REQUIRE(chown(folder.path().c_str(), kSomebody, kSomebody) == 0);
  CHECK_THROWS_WITH(StateFolder(folder.path(), "c", "u", "widgets"),
                    Contains("cannot use") && Contains("--state-dir"));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("A uid cannot lead out of the folder", "[migrate][state]") {
  const TempFolder folder;
  const StateFolder state_folder(folder.path(), "../../x", "..", "widgets");
  CHECK(state_folder.path() == fs::path(folder.path()) / "______x" / "__");
}

TEST_CASE("The state of a CRD is found whether or not the cluster can be told",
          "[migrate][state]") {
  const TempFolder folder;
  const auto [first, second] = GENERATE(table<std::string, std::string>({{"c", ""}, {"", "c"}}));
  CHECK_FALSE(StateFolder::IsLeft(folder.path(), "crd-uid"));
  StateFolder(folder.path(), first, "crd-uid", "widgets").Save(SomeState());
  CHECK(StateFolder::IsLeft(folder.path(), "crd-uid"));
  CHECK_FALSE(StateFolder::IsLeft(folder.path(), "other-uid"));
  StateFolder found(folder.path(), second, "crd-uid", "widgets");
  CHECK(found.Load().generation == 7);
  found.Clear();
  CHECK_FALSE(StateFolder::IsLeft(folder.path(), "crd-uid"));
}

TEST_CASE("Two runs do not share a folder", "[migrate][state]") {
  const TempFolder folder;
  const StateFolder first = Open(folder);
  CHECK_THROWS_WITH(Open(folder), Contains("another migration of \"widgets.demo.example.com\" is "
                                           "running"));
  CHECK_NOTHROW(Open(folder, "other-uid"));
}

TEST_CASE("Clear forgets the state and every file and folder beside it", "[migrate][state]") {
  const TempFolder folder;
  StateFolder state_folder = Open(folder);
  state_folder.Save(SomeState());
  std::ofstream(state_folder.path() / "before.listed") << "x";
  fs::create_directory(state_folder.path() / "sweeps");
  std::ofstream(state_folder.path() / "sweeps" / "rewrite.listed") << "x";
  state_folder.Clear();
  CHECK(fs::is_empty(state_folder.path()));
  CHECK(state_folder.Load().phase == Phase::kBeforePruning);
  state_folder.Save(SomeState());
  CHECK(state_folder.Load().phase == Phase::kBackupComplete);
}

TEST_CASE("A folder that cannot be made is an error that names --state-dir", "[migrate][state]") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "");
  CHECK_THROWS_WITH(StateFolder(file + "/state", "c", "u", "w"),
                    Contains("cannot make") && Contains("--state-dir"));
}

/// Sets an environment variable for a test.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = getenv(name_.c_str())) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { setenv(name_.c_str(), old_.c_str(), 1); }

 private:
  std::string name_, old_;
};

TEST_CASE("State lives in XDG_STATE_HOME, else below the home folder", "[migrate][state]") {
  const Variable home("HOME", "/home/alice");
  {
    const Variable state("XDG_STATE_HOME", "/var/state");
    CHECK(DefaultStateDir() == "/var/state/kubectl-prune");
  }
  const Variable state("XDG_STATE_HOME", GENERATE("", "relative"));
  CHECK(DefaultStateDir() == "/home/alice/.local/state/kubectl-prune");
  const Variable no_home("HOME", "");
  CHECK_THROWS_AS(DefaultStateDir(), kube::base::Error);
}

}  // namespace
}  // namespace migrate::rewrite
