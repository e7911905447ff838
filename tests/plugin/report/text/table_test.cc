#include "plugin/report/table.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace plugin::report
