#include <catch2/catch.hpp>
#include <filesystem>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "plugin/command/serving_news.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_folder.h"

namespace plugin::command {
namespace report_file_test {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

/// A report that is whatever `text` is.
struct World {
  std::string Written() const {
    const auto read = kube::base::ReadFileText(path);
    return read ? *read : "";
  }

  test_support::TempFolder folder;
  const std::string path = folder.Write("report.json", "");
  std::string text = "first";
  Strings lines;
  test_support::FakeClock clock;
  ReportFile file{path, clock, [this] { return text; },
                  [this](const std::string& line) { lines.push_back(line); }};
};

TEST_CASE("A report is written at the beginning, every ten seconds, and at the end",
          "[plugin][command]") {
  World world;
  world.file.WriteFirst(1);
  CHECK(world.Written() == "first");
  world.text = "second";
  world.clock.Advance(9s);
  world.file.WriteIfDue(2);
  CHECK(world.Written() == "first");
  world.clock.Advance(1s);
  world.file.WriteIfDue(2);
  CHECK(world.Written() == "second");
  // Nothing is new.
  world.text = "third";
  world.clock.Advance(10s);
  world.file.WriteIfDue(2);
  CHECK(world.Written() == "second");
  world.file.WriteLast();
  CHECK(world.Written() == "third");
  CHECK(world.lines.empty());
}

TEST_CASE("A report that cannot be written at first is an error", "[plugin][command]") {
  World world;
  std::filesystem::remove(world.path);
  std::filesystem::create_directory(world.path);
  CHECK_THROWS_AS(world.file.WriteFirst(1), kube::base::Error);
}

TEST_CASE("Later that is told once, and tried again", "[plugin][command]") {
  World world;
  world.file.WriteFirst(1);
  std::filesystem::remove(world.path);
  std::filesystem::create_directory(world.path);
  for (int i = 0; i < 3; ++i) {
    world.clock.Advance(10s);
    world.file.WriteIfDue(2);
  }
  CHECK(world.lines.size() == 1);
  std::filesystem::remove(world.path);
  world.clock.Advance(10s);
  world.file.WriteIfDue(2);
  CHECK(world.Written() == "first");
}

TEST_CASE("Without a path there is no file of a report", "[plugin][command]") {
  World world;
  ReportFile none(
      "", world.clock, [] { return std::string("x"); },
      [&world](const std::string& line) { world.lines.push_back(line); });
  none.WriteFirst(1);
  none.WriteLast();
  CHECK(world.lines.empty());
}

}  // namespace report_file_test
}  // namespace plugin::command
