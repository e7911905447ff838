#include <catch2/catch.hpp>

#include "plugin/cli/common_flags.h"

namespace plugin::cli {
namespace output_format_test {

using terminal::OutputFormat;

struct Output {
  OutputFormat format = OutputFormat::kTable;
  terminal::TemplateOutput of_template;
};

Output Parse(const std::string& text, std::span<const std::string_view> outputs,
             const std::string& more = "-v=0") {
  FlagSet flags("check");
  CommonOptions common;
  Output output;
  bool help = false;
  AddCommonFlags(flags, common, help, Patience::kNone);
  AddReportFlags(
      flags, output.format, output.of_template, [outputs] { return outputs; }, "");
  flags.Finish(flags.Parse(std::vector<std::string>{"-o", text, more}));
  return output;
}

TEST_CASE("O2: formats are known in any case of letters, but for templates",
          "[plugin][output_format]") {
  CHECK(Parse("", kCheckOutputs).format == OutputFormat::kTable);
  CHECK(Parse("table", kCheckOutputs).format == OutputFormat::kTable);
  CHECK(Parse("Wide", kCheckOutputs).format == OutputFormat::kWide);
  CHECK(Parse("JSON", kCheckOutputs).format == OutputFormat::kJson);
  CHECK(Parse("jsonpath={.a}", kCheckOutputs).format == OutputFormat::kTemplate);
  CHECK(Parse("HTML", kCheckOutputs).format == OutputFormat::kHtml);
  CHECK(Parse("junit", kCheckOutputs).format == OutputFormat::kJunit);
  CHECK(Parse("markdown", kMigrateOutputs).format == OutputFormat::kMarkdown);
  CHECK(Parse("name", kMigrateOutputs).format == OutputFormat::kName);
}

TEST_CASE("O2: a format that a command does not have is told, with those that it has",
          "[plugin][output_format]") {
  const std::string no = "unable to match a printer suitable for the output format ";
  CHECK_THROWS_WITH(Parse("go-template={{.}}", kCheckOutputs),
                    no + "\"go-template={{.}}\", allowed formats are: html,json,jsonpath,"
                         "jsonpath-as-json,jsonpath-file,junit,markdown,name,table,wide,yaml\n"
                         "See 'kubectl prune check --help' for usage.");
  CHECK_THROWS_WITH(Parse("JSONPATH={.a}", kCheckOutputs), Catch::StartsWith(no));
  CHECK_THROWS_WITH(Parse("wide", kMigrateOutputs), Catch::StartsWith(no));
  CHECK_THROWS_WITH(Parse("name", kYamlOrJson), no + "\"name\", allowed formats are: json,yaml\n"
                                                     "See 'kubectl prune check --help' for usage.");
}

TEST_CASE("O2: a template is text or a file", "[plugin][output_format]") {
  const terminal::TemplateOutput text = Parse("jsonpath={.a=b}", kCheckOutputs).of_template;
  CHECK(text.text == "{.a=b}");
  CHECK((text.file.empty() && !text.as_json && text.allow_missing_keys));
  const terminal::TemplateOutput json =
      Parse("jsonpath-as-json={.a}", kCheckOutputs, "--allow-missing-template-keys=false")
          .of_template;
  CHECK((json.as_json && !json.allow_missing_keys));
  CHECK(Parse("jsonpath-file=a=b", kCheckOutputs).of_template.file == "a=b");
  for (const char* none : {"jsonpath", "jsonpath=", "jsonpath-file="}) {
    CHECK_THROWS_WITH(Parse(none, kCheckOutputs),
                      "template format specified but no template given\n"
                      "See 'kubectl prune check --help' for usage.");
  }
}

}  // namespace output_format_test
}  // namespace plugin::cli
