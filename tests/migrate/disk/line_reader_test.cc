#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "migrate/cluster/spool.h"
#include "tests/support/temp_folder.h"

namespace migrate::cluster {
namespace {

struct World {
  explicit World(const std::string& text) : file(std::filesystem::path(folder.Write("f", text))) {}
  std::vector<std::string> Lines(LineReader reader) const {
    std::vector<std::string> lines;
    while (const auto line = reader.Next(file.size())) lines.emplace_back(*line);
    return lines;
  }

  test_support::TempFolder folder;
  StateFile file;
};

using Lines = std::vector<std::string>;

TEST_CASE("Lines come in turn, whatever the size of the pieces", "[migrate][line_reader]") {
  const World world("ab\n\nlonger than a piece\nc\n");
  const std::size_t piece = GENERATE(as<std::size_t>(), 1, 2, 3, 7, 100);
  CHECK(world.Lines(LineReader(world.file, 0, piece)) ==
        Lines{"ab", "", "longer than a piece", "c"});
  CHECK(world.Lines(LineReader(world.file, 4, piece)) == Lines{"longer than a piece", "c"});
}

TEST_CASE("A last line without its end is none, until it has one", "[migrate][line_reader]") {
  World world("ab\ncd");
  LineReader reader(world.file);
  CHECK(*reader.Next(world.file.size()) == "ab");
  CHECK_FALSE(reader.Next(world.file.size()));
  CHECK(reader.next_offset() == 3);
  world.file.Append("e\n");
  world.file.Flush();
  CHECK(*reader.Next(world.file.size()) == "cde");
  CHECK(reader.next_offset() == 7);
}

TEST_CASE("Nothing is read beyond the end that is given", "[migrate][line_reader]") {
  const World world("ab\ncd\n");
  LineReader reader(world.file);
  CHECK(*reader.Next(3) == "ab");
  CHECK_FALSE(reader.Next(3));
  CHECK_FALSE(reader.Next(5));
  CHECK(*reader.Next(6) == "cd");
}

TEST_CASE("A line without an end is not read for ever", "[migrate][line_reader]") {
  const World world(std::string(LineReader::kMaxLine + 200'000, 'x') + "\n");
  CHECK(world.Lines(LineReader(world.file)).empty());
}

}  // namespace
}  // namespace migrate::cluster
