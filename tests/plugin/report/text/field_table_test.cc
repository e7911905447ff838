#include "plugin/report/field_table.h"

#include <catch2/catch.hpp>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace {

using migrate::report::FieldUse;
using migrate::report::VersionReport;
using test_reports::Use;

const FieldTableOptions kOptions = {.now = test_reports::kNow};

std::vector<VersionReport> Versions(const std::vector<FieldUse>& v1,
                                    const std::vector<FieldUse>& v2) {
  std::vector<VersionReport> versions(2);
  versions[0].name = "v1";
  versions[0].pruned_fields = v1;
  versions[1].name = "v2";
  versions[1].pruned_fields = v2;
  return versions;
}

std::vector<std::string> Fold(const std::vector<VersionReport>& versions) {
  std::vector<std::string> lines;
  for (const FieldRow& row : FoldVersions(versions, &VersionReport::pruned_fields)) {
    lines.push_back(row.versions + " " + row.use->path + " " + std::to_string(row.use->objects));
  }
  return lines;
}

TEST_CASE("Versions that say the same of a path share a row", "[plugin][field_table]") {
  const FieldUse a = Use("a", 3);
  const FieldUse a_in_fewer = Use("a", 2);
  CHECK(Fold(Versions({a}, {a})) == std::vector<std::string>{"v1, v2 a 3"});
  CHECK(Fold(Versions({a}, {a_in_fewer})) == std::vector<std::string>{"v1 a 3", "v2 a 2"});
  CHECK(Fold(Versions({}, {a})) == std::vector<std::string>{"v2 a 3"});
}

TEST_CASE("Paths that most objects have come first, then by path", "[plugin][field_table]") {
  const FieldUse a = Use("a", 1);
  const FieldUse b = Use("b", 9);
  const FieldUse c = Use("c", 1);
  CHECK(Fold(Versions({a, b, c}, {})) == std::vector<std::string>{"v1 b 9", "v1 a 1", "v1 c 1"});
}

TEST_CASE("A path in several rows counts once", "[plugin][field_table]") {
  const auto versions = Versions({Use("a", 1), Use("b", 1)}, {Use("a", 2)});
  CHECK(CountPaths(FoldVersions(versions, &VersionReport::pruned_fields)) == 2);
}

TEST_CASE("What is not known of a lost field is said so", "[plugin][field_table]") {
  FieldUse use = Use("spec.a", 1);
  use.types = {"null", "string"};
  std::string out;
  AppendLostFields(out, {{"", &use}}, kOptions);
  CHECK(out ==
        "  PATH      OBJECTS   TYPES          WRITTEN-BY   LAST-WRITTEN   EXAMPLE\n"
        "  .spec.a   1         null, string   <unknown>    <unknown>      <none>\n");
}

TEST_CASE("Long tables are cut and say so", "[plugin][field_table]") {
  std::vector<FieldUse> uses(30);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    uses[i] = Use("p" + std::to_string(i), 1);
    uses[i].examples = {"a/b", "a/c"};
  }
  std::vector<FieldRow> rows;
  for (const FieldUse& use : uses) rows.push_back({"v1", &use});

  std::string cut, all;
  AppendLostFields(cut, rows, kOptions);
  AppendLostFields(all, rows, {.all = true, .all_examples = true, .now = test_reports::kNow});
  CHECK(cut.find(".p19 ") != std::string::npos);
  CHECK(cut.find(".p20 ") == std::string::npos);
  CHECK(cut.find("a/c") == std::string::npos);
  CHECK(cut.ends_with("\n  ... and 10 more (-o wide or -o json shows all)\n"));
  CHECK(all.find(".p29 ") != std::string::npos);
  CHECK(all.ends_with("a/b, a/c\n"));
}

TEST_CASE("Keys of a map are told from fields", "[plugin][field_table]") {
  const std::vector<FieldUse> uses = {Use("spec.files['a.conf']", 2),
                                      Use("spec.files['b.conf']", 1),
                                      Use("spec.files['c.conf']", 1),
                                      Use("spec.mode", 1),
                                      Use("spec.size", 1),
                                      Use("spec.unit", 1)};
  std::vector<FieldRow> rows;
  for (const FieldUse& use : uses) rows.push_back({"v1", &use});
  rows.push_back({"v2", &uses.front()});
  std::string out;
  AppendLostFields(out, rows, kOptions);
  CHECK(
      out.ends_with("\n  hint: the 3 fields below .spec.files look like the keys of one map: "
                    "additionalProperties specifies all of them\n"));
  CHECK(out.find("hint: the 3 fields below .spec look") == std::string::npos);
}

TEST_CASE("Dropped nulls come before added defaults", "[plugin][field_table]") {
  const FieldUse mode = Use("spec.mode", 1874);
  const FieldUse size = Use("spec.size", 3);
  std::string out;
  AppendOtherChanges(out, {{"v1, v1beta1", &mode}}, {{"v1", &size}}, kOptions);
  CHECK(out ==
        "  VERSION       PATH         OBJECTS   CHANGE\n"
        "  v1            .spec.size   3         null is dropped\n"
        "  v1, v1beta1   .spec.mode   1874      default is added\n");
}

}  // namespace
}  // namespace plugin::report
