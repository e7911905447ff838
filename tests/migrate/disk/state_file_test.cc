#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "kube/base/result.h"
#include "migrate/cluster/private_file.h"
#include "tests/support/temp_folder.h"

namespace migrate::cluster {
namespace {

using Catch::Matchers::Contains;

std::string ReadAll(const StateFile& file) {
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  bytes.resize(file.ReadAt(0, bytes.data(), bytes.size()));
  return bytes;
}

TEST_CASE("What is appended is read back, and is still there later", "[migrate][state_file]") {
  const test_support::TempFolder folder;
  const auto path = std::filesystem::path(folder.path()) / "f";
  const std::string large(200'000, 'x');
  {
    StateFile file(path);
    CHECK(file.size() == 0);
    file.Append("abc");
    file.Append(large);
    CHECK(file.size() == 200'003);
    file.Sync();
    CHECK(ReadAll(file) == "abc" + large);
  }
  StateFile file(path);
  CHECK(file.size() == 200'003);
  file.Append("d");
  file.Truncate(2);
  file.Append("e");
  file.Flush();
  CHECK(ReadAll(file) == "abe");
}

TEST_CASE("Only its owner may read it", "[migrate][state_file]") {
  const test_support::TempFolder folder;
  const auto path = std::filesystem::path(folder.path()) / "f";
  const StateFile file(path);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("A link, a folder and a pipe are not used", "[migrate][state_file]") {
  const test_support::TempFolder folder;
  const auto path = std::filesystem::path(folder.path()) / "f";
  folder.Write("other", "secret");
  SECTION("link") {
    std::filesystem::create_symlink("other", path);
    CHECK_THROWS_WITH(StateFile(path), Contains(path.string()));
  }
  SECTION("folder") {
    std::filesystem::create_directory(path);
    CHECK_THROWS_AS(StateFile(path), kube::base::Error);
  }
  SECTION("pipe") {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(StateFile(path), Contains("no regular file"));
  }
}

/// While it lives, files cannot grow beyond a size: what a full disk does, for this process alone.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_CASE("A file that cannot grow is named", "[migrate][state_file]") {
  const test_support::TempFolder folder;
  const auto path = std::filesystem::path(folder.path()) / "f";
  StateFile file(path);
  file.Append(std::string(2000, 'x'));
  const FileSizeLimit limit(1000);
  CHECK_THROWS_WITH(file.Sync(), Contains("cannot write " + path.string() + ": "));
}

TEST_CASE("A folder that is missing is named", "[migrate][state_file]") {
  const test_support::TempFolder folder;
  const auto path = std::filesystem::path(folder.path()) / "none" / "f";
  CHECK_THROWS_WITH(StateFile(path), Contains(path.string()) && Contains("No such file"));
}

}  // namespace
}  // namespace migrate::cluster
