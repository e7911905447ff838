#include "plugin/command/diff_folders.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "kube/json/json.h"

namespace plugin::command {
namespace {

namespace fs = std::filesystem;
using migrate::check::ObjectChange;

ObjectChange Change(std::string_view namespace_, std::string_view name) {
  return {.group = "demo.example.com",
          .version = "v1",
          .kind = "Widget",
          .namespace_ = namespace_,
          .name = name,
          .now = {},
          .after = {},
          .differs = true};
}

std::string Read(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_CASE("Files are named as kubectl diff names them", "[plugin][diff_folders]") {
  CHECK(DiffFileName(Change("shop", "one")) == "demo.example.com.v1.Widget.shop.one");
  CHECK(DiffFileName(Change("", "main")) == "demo.example.com.v1.Widget..main");
  ObjectChange core = Change("shop", "one");
  core.group = "";
  CHECK(DiffFileName(core) == "v1.Widget.shop.one");
}

TEST_CASE("No name leaves the folder, or is too long for a file", "[plugin][diff_folders]") {
  const std::string escaping = DiffFileName(Change("..", "/../../etc/x\n\x1B"));
  CHECK(escaping.find_first_of("/\n\x1B") == std::string::npos);
  const std::string longest(300, 'a');
  const std::string one = DiffFileName(Change("", longest + "1"));
  CHECK(one.size() == 255);
  CHECK(one != DiffFileName(Change("", longest + "2")));
}

TEST_CASE("An object that differs is in both folders as YAML, until a newer state does not",
          "[plugin][diff_folders]") {
  DiffFolders folders;
  kube::json::Document now, after;
  REQUIRE_FALSE(now.Parse(R"({"spec":{"b":1,"a":2}})"));
  REQUIRE_FALSE(after.Parse(R"({"spec":{"a":2}})"));
  ObjectChange change = Change("shop", "one");
  change.now = now.root();
  change.after = after.root();
  folders.Take(change);
  const std::string name = DiffFileName(change);
  CHECK(Read(folders.live() / name) == "spec:\n  a: 2\n  b: 1\n");
  CHECK(Read(folders.merged() / name) == "spec:\n  a: 2\n");
  change.differs = false;
  folders.Take(change);
  CHECK(fs::is_empty(folders.live()));
  CHECK(fs::is_empty(folders.merged()));
}

TEST_CASE("What there is on one side only is as kubectl diff has it", "[plugin][diff_folders]") {
  DiffFolders folders;
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"a":1})"));
  ObjectChange change = Change("shop", "new");
  change.after = object.root();
  folders.Take(change);
  CHECK(Read(folders.live() / DiffFileName(change)).empty());
  CHECK(fs::exists(folders.live() / DiffFileName(change)));
  CHECK(Read(folders.merged() / DiffFileName(change)) == "a: 1\n");
  ObjectChange pruned = Change("shop", "gone");
  pruned.now = object.root();
  folders.Take(pruned);
  CHECK(Read(folders.live() / DiffFileName(pruned)) == "a: 1\n");
  CHECK_FALSE(fs::exists(folders.merged() / DiffFileName(pruned)));
}

TEST_CASE("The folders are private, named as kubectl's, and gone at the end",
          "[plugin][diff_folders]") {
  fs::path live, merged;
  {
    DiffFolders folders;
    live = folders.live();
    merged = folders.merged();
    CHECK(live.filename().string().starts_with("LIVE-"));
    CHECK(merged.filename().string().starts_with("MERGED-"));
    CHECK(fs::status(live).permissions() == fs::perms::owner_all);
    CHECK(fs::status(merged).permissions() == fs::perms::owner_all);
    folders.Take(Change("shop", "one"));
  }
  CHECK_FALSE(fs::exists(live));
  CHECK_FALSE(fs::exists(merged));
}

}  // namespace
}  // namespace plugin::command
