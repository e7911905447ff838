#include "migrate/cluster/private_file.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::cluster {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("A private file gets its name when it is complete", "[migrate][private_file]") {
  const test_support::TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "a";
  {
    PrivateFile file(path.string() + ".new");
    file.Write("one\n");
    file.Write("two\n");
    CHECK(file.size() == 8);
    CHECK_FALSE(fs::exists(path));
    file.MoveTo(path);
  }
  CHECK(Read(path) == "one\ntwo\n");
  CHECK_FALSE(fs::exists(path.string() + ".new"));
  struct stat status = {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("A private file takes no name that is taken, unless it is to replace",
          "[migrate][private_file]") {
  const test_support::TempFolder folder;
  const std::string other = folder.Write("other", "precious");
  const fs::path path = fs::path(folder.path()) / "a";
  {
    PrivateFile file(path);
    file.Write("one");
    CHECK_THROWS_WITH(file.MoveToNew(other), Catch::Contains("cannot write \"" + other + "\""));
    CHECK(Read(other) == "precious");
    file.MoveToNew(path.string() + ".done");
  }
  CHECK(Read(path.string() + ".done") == "one");
  CHECK_FALSE(fs::exists(path));
  PrivateFile(path).MoveTo(other);
  CHECK(Read(other).empty());
}

TEST_CASE("A private file that is not completed is removed", "[migrate][private_file]") {
  const test_support::TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "a";
  { PrivateFile(path).Write("one"); }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("A private file is never made over something else", "[migrate][private_file]") {
  const test_support::TempFolder folder;
  const std::string other = folder.Write("other", "precious");
  const fs::path path = fs::path(folder.path()) / "a";
  fs::create_symlink(other, path);
  CHECK_THROWS_WITH(PrivateFile(path), Catch::Contains("cannot write \"" + path.string() + "\""));
  CHECK_THROWS_AS(PrivateFile(other), kube::base::Error);
  CHECK(Read(other) == "precious");
}

TEST_CASE("A file is replaced without a change of its folder", "[migrate][private_file]") {
  const test_support::TempFolder folder;
  const fs::path path = folder.Write("shared/a", "old");
  const fs::perms shared = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec;
  fs::permissions(path.parent_path(), shared);
  folder.Write("shared/a.new", "of a run that was killed");
  ReplacePrivateFileIn(path, "new");
  CHECK(Read(path) == "new");
  CHECK_FALSE(fs::exists(path.string() + ".new"));
  CHECK(fs::status(path.parent_path()).permissions() == shared);
  CHECK_THROWS_AS(ReplacePrivateFileIn(folder.path() + "/no/such", "x"), kube::base::Error);
}

TEST_CASE("Only files that no run has open are taken for abandoned", "[migrate][private_file]") {
  const test_support::TempFolder folder;
  const PrivateFile in_use(fs::path(folder.path()) / ".a-1.partial");
  folder.Write(".a-2.partial", "left");
  folder.Write(".b-3.partial", "of another");
  folder.Write(".a-4.ndjson", "complete");
  RemoveAbandonedFiles(folder.path(), ".a-", ".partial");
  CHECK(fs::exists(in_use.path()));
  CHECK_FALSE(fs::exists(fs::path(folder.path()) / ".a-2.partial"));
  CHECK(fs::exists(fs::path(folder.path()) / ".b-3.partial"));
  CHECK(fs::exists(fs::path(folder.path()) / ".a-4.ndjson"));
}

}  // namespace
}  // namespace migrate::cluster
