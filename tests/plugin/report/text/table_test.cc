#include "plugin/report/table.h"

#include <catch2/catch.hpp>
#include <string>

#include "plugin/terminal/terminal.h"

namespace plugin::report {
namespace {

std::string Print(const TextTable& table, std::string_view indent = "") {
  std::string out;
  table.AppendTo(out, indent);
  return out;
}

TEST_CASE("Columns are as wide as their widest cell and three blanks", "[plugin][table]") {
  TextTable table({"NAME", "OBJECTS", "VERDICT"});
  table.AddRow({"widgets", "1", "ready"});
  table.AddRow({"a", "20000000", ""});
  CHECK(Print(table, "  ") ==
        "  NAME      OBJECTS    VERDICT\n"
        "  widgets   1          ready\n"
        "  a         20000000   <none>\n");
}

TEST_CASE("A table without titles has only its rows", "[plugin][table]") {
  CHECK(Print(TextTable()) == "");
  TextTable table;
  table.AddRow({"a", "b"});
  CHECK(Print(table) == "a   b\n");
}

TEST_CASE("Width is counted in characters", "[plugin][table]") {
  TextTable table;
  table.AddRow({"h\xC3\xA9", "x"});
  table.AddRow({"abc", "y"});
  CHECK(Print(table) == "h\xC3\xA9    x\nabc   y\n");
}

TEST_CASE("Cells cannot steer the terminal or break their line", "[plugin][table]") {
  TextTable table;
  table.AddRow({"a\x1B[2J\nb", "x"});
  CHECK(Print(table) == "a^[[2J\\nb   x\n");
}

TEST_CASE("A huge cell pushes only its own row", "[plugin][table]") {
  const std::string huge(5000, 'x');
  TextTable table;
  table.AddRow({huge, "1"});
  table.AddRow({"a", "2"});
  CHECK(Print(table) == huge + "   1\na   2\n");
}

std::string PrintFor(const TextTable& table, Screen screen) {
  std::string out;
  table.AppendTo(out, "  ", screen);
  return out;
}

TEST_CASE("A terminal gets a table of its width: light columns go, then cells are cut",
          "[plugin][table]") {
  TextTable table({"PATH", "OBJECTS", "TYPES", "WRITTEN-BY", "LAST-WRITTEN"});
  table.AddRow({".spec.template.metadata.labels.example", "12", "string", "kubectl-edit", "412d"});
  CHECK(PrintFor(table, {}) == Print(table, "  "));
  CHECK(PrintFor(table, {.width = 91}) == Print(table, "  "));
  CHECK(PrintFor(table, {.width = 62}) ==
        "  PATH                                  OBJECTS   WRITTEN-BY\n"
        "  .spec.template.m...a.labels.example   12        kubectl-edit\n");
  for (std::size_t width = 40; width < 100; ++width) {
    CAPTURE(width);
    for (const std::string& line : terminal::LinesOf(PrintFor(table, {.width = width}))) {
      CHECK(terminal::CharacterCount(line) <= width);
    }
  }
}

TEST_CASE("The width of a terminal bounds huge cells, and none is lost", "[plugin][table]") {
  TextTable table({"KIND", "WHAT", "VERDICT"});
  table.AddRow({std::string(100000, 'n'), std::string(100000, 'w'), "ready"});
  table.AddRow({"a", "b", "blocked"});
  const auto lines = terminal::LinesOf(PrintFor(table, {.width = 80}));
  REQUIRE(lines.size() == 3);
  for (const std::string& line : lines) CHECK(terminal::CharacterCount(line) <= 80);
  CHECK_THAT(lines[1], Catch::EndsWith("   ready"));
}

TEST_CASE("Only cells of verdicts are coloured, and the columns stay in line", "[plugin][table]") {
  TextTable table({"NAME", "VERDICT", "OBJECTS"});
  table.AddRow({"blocked", "blocked", "1"});
  table.AddRow({"a", "pruning", "2"});
  CHECK(PrintFor(table, {.has_colours = true}) ==
        "  NAME      VERDICT   OBJECTS\n"
        "  blocked   \x1b[31mblocked\x1b[0m   1\n"
        "  a         \x1b[32mpruning\x1b[0m   2\n");
}

}  // namespace
}  // namespace plugin::report
