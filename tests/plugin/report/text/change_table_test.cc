#include "plugin/report/change_table.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/test_reports.h"

namespace plugin::report {
namespace change_table_test {

using migrate::report::ChangeUse;

ChangeUse Use(const std::string& version, const std::string& path, const std::string& kind,
              std::optional<std::uint64_t> objects, bool breaking = true) {
  return {.version = version,
          .path = path,
          .kind = kind,
          .from = "1",
          .to = "2",
          .breaking = breaking,
          .objects = objects};
}

std::string Print(std::vector<ChangeUse> uses, bool all = false) {
  migrate::report::CrdReport crd = test_reports::Widgets();
  crd.changes.emplace().changes = std::move(uses);
  std::string out;
  AppendChangeTable(out, "widgets", crd, all);
  return out;
}

TEST_CASE("Changes that touch most objects come first, and versions that say the same share a row",
          "[plugin][change_table]") {
  CHECK(Print({Use("", "", "scope", 2000), Use("v1", "spec.a", "maximum", 0),
               Use("v1", "spec.b", "maximum", 12), Use("v1", "spec.c", "maximum", 1, false),
               Use("v1beta1", "spec.b", "maximum", 12), Use("v1beta1", "spec.d", "type", {})}) ==
        R"(widgets: 4 changes may break somebody, 2 of them touching some of 2000 objects:
  VERSION       PATH      OBJECTS     CHANGE
  <all>         .         2000        scope: 1 -> 2
  v1, v1beta1   .spec.b   12          maximum: 1 -> 2
  v1beta1       .spec.d   <unknown>   type: 1 -> 2
  v1            .spec.a   0           maximum: 1 -> 2
  ... and 1 harmless (-o wide or -o json shows all)
)");
}

TEST_CASE("Where nothing may break nothing is told", "[plugin][change_table]") {
  CHECK(Print({}).empty());
  CHECK(Print({Use("v1", "spec.c", "maximum", 0, false)}).empty());
  CHECK(Print({Use("v1", "spec.c", "maximum", 0, false)}, true) ==
        R"(widgets: no change may break anybody:
  VERSION   PATH      OBJECTS   BREAKING   CHANGE
  v1        .spec.c   0         no         maximum: 1 -> 2
)");
}

TEST_CASE("Of many changes the first ten are shown", "[plugin][change_table]") {
  std::vector<ChangeUse> uses;
  for (int i = 10; i < 22; ++i) uses.push_back(Use("v1", "p" + std::to_string(i), "type", 0));
  const std::string few = Print(uses);
  CHECK(few.find(".p19") != std::string::npos);
  CHECK(few.find(".p20") == std::string::npos);
  CHECK(few.find("  ... and 2 more (-o wide or -o json shows all)\n") != std::string::npos);
  CHECK(Print(uses, true).find(".p21") != std::string::npos);
}

TEST_CASE("A change is told in words", "[plugin][change_table]") {
  const auto words = [](const std::string& kind, const std::string& from, const std::string& to) {
    return ChangeWords({.version = "", .path = "", .kind = kind, .from = from, .to = to});
  };
  CHECK(words("enum", R"(["Legacy"])", "") == R"(enum: ["Legacy"] removed)");
  CHECK(words("enum", R"(["a"])", R"(["b"])") == R"(enum: ["a"] removed, ["b"] added)");
  CHECK(words("maximum", "", "<= 3") == "maximum: none -> <= 3");
  CHECK(words("fieldRemoved", "string", "") == "field removed (string)");
  CHECK(words("required", "optional", "required") == "optional -> required");
  CHECK(words("storageVersion", "v1beta1", "v1") == "storageVersion: v1beta1 -> v1");
}

}  // namespace change_table_test
}  // namespace plugin::report
