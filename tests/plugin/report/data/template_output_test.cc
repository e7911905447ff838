#include <catch2/catch.hpp>
#include <string>

#include "kube/base/result.h"
#include "plugin/report/report_forms.h"
#include "tests/support/temp_folder.h"

namespace plugin::report {
namespace {

std::string LoadError(terminal::TemplateOutput output) {
  try {
    LoadTemplate(output);
  } catch (const kube::base::Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("O2: a template in a file is read", "[plugin][template_output]") {
  const test_support::TempFolder folder;
  terminal::TemplateOutput output{.text = "", .file = folder.Write("t", "{.a}\n")};
  LoadTemplate(output);
  CHECK(output.text == "{.a}\n");
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"a": 1})"));
  CHECK(*PrintByTemplate(document.root(), output) == "1\n");
}

TEST_CASE("O2: a template that cannot be used is refused in kubectl's words",
          "[plugin][template_output]") {
  CHECK(LoadError({.text = "{.i", .file = ""}) == "error parsing jsonpath {.i, unclosed action");
  CHECK(LoadError({.text = "", .file = "/nope"}) ==
        "error reading --template /nope, open /nope: no such file or directory");
  CHECK(LoadError({}) == "");
}

TEST_CASE("O2: a template that does not fit fails in kubectl's words",
          "[plugin][template_output]") {
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(R"({"a": 1})"));
  CHECK(PrintByTemplate(document.root(), {.text = "{.a[0]}", .file = ""}).error() ==
        "error executing jsonpath \"{.a[0]}\": Error executing template: int64 is not array or "
        "slice");
  CHECK(PrintByTemplate(document.root(), {.text = "{.b}", .file = "", .allow_missing_keys = false})
            .error() ==
        "error executing jsonpath \"{.b}\": Error executing template: b is not found");
}

}  // namespace
}  // namespace plugin::report
