#include <catch2/catch.hpp>

#include "plugin/cli/output_flag.h"
#include "plugin/cli/usage_error.h"

namespace plugin::cli {
namespace output_format_test {

TEST_CASE("O2: formats are known in any case of letters, but for templates",
          "[plugin][output_format]") {
  CHECK(ParseCheckOutput("") == terminal::OutputFormat::kTable);
  CHECK(ParseCheckOutput("table") == terminal::OutputFormat::kTable);
  CHECK(ParseCheckOutput("Wide") == terminal::OutputFormat::kWide);
  CHECK(ParseCheckOutput("JSON") == terminal::OutputFormat::kJson);
  CHECK(ParseCheckOutput("jsonpath={.a}") == terminal::OutputFormat::kTemplate);
  CHECK(ParseCheckOutput("HTML") == terminal::OutputFormat::kHtml);
  CHECK(ParseCheckOutput("junit") == terminal::OutputFormat::kJunit);
  CHECK(ParseMigrateOutput("markdown", /*local=*/false) == terminal::OutputFormat::kMarkdown);
  CHECK(ParseMigrateOutput("", /*local=*/false) == terminal::OutputFormat::kTable);
  CHECK(ParseMigrateOutput("name", /*local=*/false) == terminal::OutputFormat::kName);
  CHECK(ParseMigrateOutput("", /*local=*/true) == terminal::OutputFormat::kYaml);
  CHECK(ParseVersionOutput("") == terminal::OutputFormat::kTable);
  CHECK(ParseVersionOutput("yaml") == terminal::OutputFormat::kYaml);
}

TEST_CASE("O2: a format that a command does not have is told, with those that it has",
          "[plugin][output_format]") {
  const std::string no = "unable to match a printer suitable for the output format ";
  CHECK_THROWS_WITH(ParseCheckOutput("go-template={{.}}"),
                    no + "\"go-template={{.}}\", allowed formats are: html,json,jsonpath,"
                         "jsonpath-as-json,jsonpath-file,junit,markdown,name,table,wide,yaml\n"
                         "See 'kubectl prune check --help' for usage.");
  CHECK_THROWS_WITH(ParseCheckOutput("JSONPATH={.a}"), Catch::StartsWith(no));
  CHECK_THROWS_WITH(ParseMigrateOutput("wide", /*local=*/false), Catch::StartsWith(no));
  CHECK_THROWS_WITH(ParseMigrateOutput("name", /*local=*/true),
                    no + "\"name\", allowed formats are: json,yaml\n"
                         "See 'kubectl prune migrate --help' for usage.");
  CHECK_THROWS_AS(ParseVersionOutput("JSON"), UsageError);
}

TEST_CASE("O2: a template is text or a file", "[plugin][output_format]") {
  const terminal::TemplateOutput text = ParseTemplate("check", "jsonpath={.a=b}", true);
  CHECK(text.text == "{.a=b}");
  CHECK((text.file.empty() && !text.as_json && text.allow_missing_keys));
  CHECK(ParseTemplate("check", "jsonpath-as-json={.a}", false).as_json);
  CHECK_FALSE(ParseTemplate("check", "jsonpath-as-json={.a}", false).allow_missing_keys);
  CHECK(ParseTemplate("check", "jsonpath-file=a=b", true).file == "a=b");
  for (const char* none : {"jsonpath", "jsonpath=", "jsonpath-file="}) {
    CHECK_THROWS_WITH(ParseTemplate("check", none, true),
                      "template format specified but no template given\n"
                      "See 'kubectl prune check --help' for usage.");
  }
}

}  // namespace output_format_test
}  // namespace plugin::cli
