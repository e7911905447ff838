#include "migrate/rewrite/backup.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <vector>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"

namespace migrate::rewrite {
namespace {

namespace fs = std::filesystem;
using test_support::TempFolder;
using Strings = std::vector<std::string>;

Strings Lines(const fs::path& path) {
  std::ifstream file(path);
  Strings lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Strings FilesIn(const fs::path& folder) {
  Strings names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

kube::json::Document Object(const std::string& uid, const std::string& version,
                            const std::string& spec) {
  kube::json::Document object;
  const std::string text = R"({"metadata":{"uid":")" + uid + R"(","resourceVersion":")" + version +
                           R"("},"spec":)" + spec + "}";
  REQUIRE_FALSE(object.Parse(text));
  return object;
}

std::string Line(const std::string& uid, const std::string& spec) {
  return R"({"metadata":{"uid":")" + uid + R"("},"spec":)" + spec + "}";
}

void AddListed(Backup& backup, const std::string& uid, const std::string& version,
               const std::string& spec, int attempt = 1) {
  auto object = Object(uid, version, spec);
  backup.AddListed(attempt, object.root());
}
void AddWritten(Backup& backup, const std::string& uid, const std::string& version,
                const std::string& spec) {
  auto object = Object(uid, version, spec);
  backup.AddWritten(object.root());
}

TEST_CASE("A backup is named by its CRD and the time in UTC", "[migrate][backup]") {
  using namespace std::chrono_literals;
  const auto then = std::chrono::sys_days(2026y / 11 / 21) + 3h + 15min + 9s;
  CHECK(BackupPath("b", "widgets.demo.example.com", then) ==
        "b/widgets.demo.example.com-20261121T031509Z.ndjson");
}

TEST_CASE("No name of a CRD leads a backup out of its folder", "[migrate][backup]") {
  const std::string name =
      GENERATE(as<std::string>(), "../../etc/cron.d/x", "/etc/x", "..", std::string(400, 'w'));
  const fs::path path = BackupPath("b", name, {});
  CHECK(path.parent_path() == "b");
  CHECK(path.lexically_normal() == path);
  CHECK(path.filename().string().size() < 240);
}

TEST_CASE("Objects are kept as the server sent them, but for their resourceVersion",
          "[migrate][backup]") {
  const TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "new" / "w-1.ndjson";
  const std::string spec = R"({"n":12345678901234567890123,"f":1.50,"z":null,"a":"é\u2028"})";
  Backup backup(path);
  AddListed(backup, "u1", "5", spec);
  CHECK_FALSE(fs::exists(path));
  const BackupSummary summary = backup.Finish();
  CHECK(summary.path == path);
  CHECK(summary.objects == 1);
  CHECK(summary.bytes == fs::file_size(path));
  CHECK(Lines(path) == Strings{Line("u1", spec)});
  struct stat status = {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(stat(path.parent_path().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  CHECK(FilesIn(path.parent_path()) == Strings{"w-1.ndjson"});
}

TEST_CASE("Of each object the backup has what was written last", "[migrate][backup]") {
  const TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "w-1.ndjson";
  Backup backup(path);
  AddListed(backup, "u1", "5", "1");
  AddListed(backup, "u2", "6", "2");
  AddWritten(backup, "u1", "7", "3");
  AddWritten(backup, "u3", "8", "4");
  AddWritten(backup, "u1", "9", "5");
  SECTION("a newer version takes the place of an older one") {
    CHECK(backup.Finish().objects == 3);
    CHECK(Lines(path) == Strings{Line("u2", "2"), Line("u3", "4"), Line("u1", "5")});
  }
  SECTION("an object that is gone, or loses nothing any more, is dropped") {
    backup.Drop(Object("u1", "10", "0").root());
    backup.Drop(Object("u2", "11", "0").root());
    CHECK(backup.Finish().objects == 1);
    CHECK(Lines(path) == Strings{Line("u3", "4")});
  }
  SECTION("an older event that is shown again changes nothing") {
    AddWritten(backup, "u1", "7", "3");
    backup.Finish();
    CHECK(Lines(path) == Strings{Line("u2", "2"), Line("u3", "4"), Line("u1", "5")});
  }
  SECTION("a list that is newer than the event") {
    AddListed(backup, "u3", "12", "6");
    backup.Finish();
    CHECK(Lines(path) == Strings{Line("u2", "2"), Line("u1", "5"), Line("u3", "6")});
  }
  SECTION("of a list that was begun anew only the last attempt") {
    AddListed(backup, "u2", "6", "2", 2);
    AddListed(backup, "u4", "20", "7", 2);
    backup.Finish();
    CHECK(Lines(path) ==
          Strings{Line("u3", "4"), Line("u1", "5"), Line("u2", "2"), Line("u4", "7")});
  }
  CHECK(backup.HasWrites("u1"));
  CHECK_FALSE(backup.HasWrites("u2x"));
}

TEST_CASE("Versions that are no numbers follow each other as the watch shows them",
          "[migrate][backup]") {
  const TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "w-1.ndjson";
  Backup backup(path);
  AddListed(backup, "u1", "c", "1");
  AddWritten(backup, "u1", "b", "2");
  AddWritten(backup, "u1", "a", "3");
  backup.Finish();
  CHECK(Lines(path) == Strings{Line("u1", "3")});
}

TEST_CASE("Without an object there is no backup", "[migrate][backup]") {
  const TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "w-1.ndjson";
  {
    Backup backup(path);
    AddWritten(backup, "u1", "5", "1");
    backup.Drop(Object("u1", "6", "0").root());
    CHECK(backup.Finish().path.empty());
  }
  CHECK(FilesIn(folder.path()).empty());
}

TEST_CASE("A backup that is not completed leaves nothing, and removes what others left",
          "[migrate][backup]") {
  const TempFolder folder;
  folder.Write(".w-0.ndjson.partial", "left by a run that was killed");
  folder.Write(".v-0.ndjson.partial", "of another CRD");
  {
    Backup backup(fs::path(folder.path()) / "w-1.ndjson");
    AddListed(backup, "u1", "5", "1");
    backup.Sync();
  }
  CHECK(FilesIn(folder.path()) == Strings{".v-0.ndjson.partial"});
}

TEST_CASE("A backup follows no link and replaces nothing", "[migrate][backup]") {
  const TempFolder folder;
  const fs::path path = fs::path(folder.path()) / "w-1.ndjson";
  const std::string other = folder.Write("other", "precious");
  SECTION("in the place of the backup") { fs::create_symlink(other, path); }
  SECTION("that leads nowhere") { fs::create_symlink("nowhere", path); }
  SECTION("in the place of its folder") { fs::create_directory(path); }
  CHECK_THROWS_WITH(Backup(path), Catch::Contains("something of that name is there already"));
  CHECK(Lines(other) == Strings{"precious"});
}

TEST_CASE("A folder that cannot be written is named", "[migrate][backup]") {
  const TempFolder folder;
  const std::string file = folder.Write("file", "");
  CHECK_THROWS_WITH(Backup(fs::path(file) / "w-1.ndjson"), Catch::Contains("\"" + file + "\""));
}

TEST_CASE("A folder of somebody else's is not used", "[migrate][backup]") {
  if (geteuid() != 0) return;  // nobody else can make one
  const TempFolder folder;
  constexpr uid_t kSomebody = 12345;
  REQUIRE(chown(folder.path().c_str(), kSomebody, kSomebody) == 0);
  CHECK_THROWS_WITH(Backup(fs::path(folder.path()) / "w-1.ndjson"),
                    Catch::Contains("belongs to another user") && Catch::Contains("--backup-dir"));
  CHECK(FilesIn(folder.path()).empty());
}

TEST_CASE("A link of somebody else's is no folder of ours", "[migrate][backup]") {
  if (geteuid() != 0) return;  // nobody else can make one
  const TempFolder folder;
  const fs::path link = fs::path(folder.path()) / "link";
  const fs::path target = fs::path(folder.path()) / "target";
  fs::create_directory(target);
  fs::create_directory_symlink(target, link);
  Backup(link / "w-1.ndjson");  // our own is
  REQUIRE(lchown(link.c_str(), 12345, 12345) == 0);
  CHECK_THROWS_WITH(Backup(link / "w-2.ndjson"), Catch::Contains("belongs to another user"));
}

/// Lets no file of this process grow beyond some bytes, as a disk that is full.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_CASE("Whether a backup could be made is told before, by what is there", "[migrate][backup]") {
  const TempFolder folder;
  const fs::path path = folder.path();
  CHECK(WhyNotWritable("").empty());
  CHECK(WhyNotWritable("backup.ndjson").empty());
  CHECK(WhyNotWritable(path / "not" / "there" / "w.ndjson").empty());
  CHECK(FilesIn(path).empty());
  const fs::path below_file = fs::path(folder.Write("file", "")) / "w.ndjson";
  CHECK(WhyNotWritable(below_file) == "\"" + below_file.string() + "\": Not a directory");
}

TEST_CASE("A full disk is an error, and leaves no half backup", "[migrate][backup]") {
  const TempFolder folder;
  const std::string spec = "\"" + std::string(1000, 'x') + "\"";
  const auto fill = [&] {
    const SmallDisk disk(100'000);
    Backup backup(fs::path(folder.path()) / "w-1.ndjson");
    for (int i = 0; i < 1000; ++i) AddListed(backup, std::to_string(i), "5", spec);
    backup.Finish();
  };
  CHECK_THROWS_AS(fill(), kube::base::Error);
  CHECK(FilesIn(folder.path()).empty());
}

}  // namespace
}  // namespace migrate::rewrite
