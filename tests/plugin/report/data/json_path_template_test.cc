#include "plugin/report/json_path_template.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace plugin::report {
namespace {

using Style = JsonPathTemplate::Style;

// Every expected text below is what kubectl 1.32 prints for this object.
constexpr std::string_view kObject = R"({
  "apiVersion": "demo.io/v1", "kind": "W", "e": "", "metadata": {"name": "a"},
  "n": null, "i": [1, 2, 3], "s": "xy", "f": 1.5, "big": 1e21,
  "its": [{"a": 1, "b": "x"}, {"a": 2, "b": "y", "t": true}], "m": {"k.x": 1}
})";

std::string Run(std::string_view text, Style style = Style::kText, bool allow_missing_keys = true) {
  const auto parsed = JsonPathTemplate::Parse(text);
  if (!parsed) return "parse error: " + parsed.error();
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(kObject));
  const auto printed = parsed->Print(document.root(), style, allow_missing_keys);
  return printed ? *printed : "error: " + printed.error();
}

struct Row {
  std::string_view text, want;
};

TEST_CASE("O2: a jsonpath template prints what kubectl prints", "[kube][json_path_template]") {
  const Row row = GENERATE(values<Row>({
      {"plain", "plain"},
      {"}{.s}", "}xy"},
      {"{ .s  }{$.s}{@.s}", "xyxyxy"},
      {"{.}", ""},
      {"{.n}|{.f}|{.big}|{.m.k\\.x}|{.nope}", "null|1.5|1e+21|1|"},
      {"{.its}", R"([{"a":1,"b":"x"},{"a":2,"b":"y","t":true}])"},
      {"{.its[*].a}", "1 2"},
      {"{..b}", "x y"},
      {"{.its[*]..a}", "1 2"},
      {"{.m['k.x']}|{.m['k\\.x']}|{['s','f']}|{.its[0,1].a}", "|1|xy 1.5|1 2"},
      {"{.s.*}", "120 121"},
      {"{.i[0:0]}|{.i[-1]}|{.i[-2:]}|{.i[::2]}|{.i[]}", "|3|2 3|1 3|1"},
      {"{.i[-1:]}|{.i[:-1]}|{.i[-3:-1]}", "3|1 2|1 2"},
      {"{.its[?(@.t)].a} {.its[?(@.a>1)].b} {.its[?(@.b==\"x\")].a}", "2 y 1"},
      {"{.its[?(@.a!=1)].b}{.i[?(@>1)]}{.its[?(1==1)].a}", "y2 31 2"},
      {"{range .its[*]}{.a}:{.b},{end}!", "1:x,2:y,!"},
      {"{range .its[*]}{.a}", "12"},
      {"{range .nope[*]}{.x}{end}after", "after"},
      {"{range .its[*]}{range .nope[*]}x{end}[{.a}]{end}!", "[1][2]!"},
      {"{range .its[*]}{range $.i[*]}x{end}[{.a}]{end}!", "[1][2]!"},
      {"{3}{true}{1.50}{-2}{+5}", "3true1.5-25"},
      {"{'a\\tb\\u00e9'}{\"q\\\"\"}{\"\\x41\\101\\n\"}", "a\tb\xC3\xA9q\"AA\n"},
  }));
  CAPTURE(row.text);
  CHECK(Run(row.text) == row.want);
}

TEST_CASE("O2: {..} finds all that has something in it", "[kube][json_path_template]") {
  CHECK(
      Run("{.its..}") ==
      R"([{"a":1,"b":"x"},{"a":2,"b":"y","t":true}] {"a":1,"b":"x"} x {"a":2,"b":"y","t":true} y)");
}

TEST_CASE("O2: a jsonpath template that cannot be read is refused in kubectl's words",
          "[kube][json_path_template]") {
  const Row row = GENERATE(values<Row>({
      {"{.i", "unclosed action"},
      {"{.i\n}", "unclosed action"},
      {"{!}", "unrecognized character in action: U+0021 '!'"},
      {"{\t}", "unrecognized character in action: U+0009"},
      {"{{.s}}", "unrecognized character in action: U+007B '{'"},
      {"{..*}", "unrecognized character in action: U+002A '*'"},
      {"{....a}", "invalid multiple recursive descent"},
      {"{1.2.3}", "cannot parse number 1.2.3"},
      {"{-}", "cannot parse number -"},
      {"{.a[}", "unterminated array"},
      {"{.a[x]}", "invalid array index x"},
      {"{.i[1:2:3:4]}", "invalid array index 1:2:3:4"},
      {"{.i[99999999999999999999]}", "array index 99999999999999999999 is not a number"},
      {"{.a[?(@.x]}", "unterminated filter"},
      {"{.a[?(@.x)}", "unclosed array expect ]"},
      {"{.its[?(@.a==)].b}", "unrecognized character in action: U+003D '='"},
      {"{.its[?(@.b=~\"x\")]}", "unrecognized character in action: U+007E '~'"},
      {"{\"abc}", "unterminated quoted string"},
      {"{'a\\\"b'}", "unquote string 'a\\\"b' error invalid syntax"},
      {"{'\\q'}", "unquote string '\\q' error invalid syntax"},
  }));
  CAPTURE(row.text);
  CHECK(Run(row.text) == "parse error: " + std::string(row.want));
}

TEST_CASE("O2: a jsonpath template that does not fit the object fails in kubectl's words",
          "[kube][json_path_template]") {
  const Row row = GENERATE(values<Row>({
      {"{.i[5]}", "array index out of bounds: index 5, length 3"},
      {"{.i[0:9]}", "array index out of bounds: index 8, length 3"},
      {"{.i[2:1]}", "starting index 2 is greater than ending index 1"},
      {"{.i[0:3:-1]}", "step must be > 0"},
      {"{.i[0:3:0]}", "step must be > 0"},
      {"{.s[*]}", "string is not array or slice"},
      {"{.m[0]}", "map[string]interface {} is not array or slice"},
      {"{.m[?(@.a==1)]}", "map[k.x:1] is not array or slice and cannot be filtered"},
      {"{.s[?(@.b)]}", "xy is not array or slice and cannot be filtered"},
      {"{.n[?(@.b)]}", "<nil> is not array or slice and cannot be filtered"},
      {"{.its[?(@.a>\"x\")].b}", "incompatible types for comparison"},
      {"{.its[?(@.a==1.0)].b}", "incompatible types for comparison"},
      {"{.its[?(@.t>true)]}", "invalid type for comparison"},
      {"{foo}", "unrecognized identifier foo"},
      {"{\xC3\xA9}", "unrecognized identifier \xC3\xA9"},
      {"{end}", "not in range, nothing to end"},
  }));
  CAPTURE(row.text);
  CHECK(Run(row.text) == "error: " + std::string(row.want));
}

TEST_CASE("O2: a missing field fails where it is not allowed", "[kube][json_path_template]") {
  CHECK(Run("{.its[*].t}", Style::kText, false) == "true");
  CHECK(Run("{.nope}", Style::kText, false) == "error: nope is not found");
}

TEST_CASE("O2: jsonpath-as-json prints an array for each pair of braces",
          "[kube][json_path_template]") {
  CHECK(
      Run("{.i} {.s}", Style::kJson) ==
      "[\n    [\n        1,\n        2,\n        3\n    ]\n]\n[\n    \" \"\n]\n[\n    \"xy\"\n]\n");
  CHECK(Run("{.nope}", Style::kJson) == "[]\n");
}

TEST_CASE("A template that finds more and more ends with an error", "[kube][json_path_template]") {
  const std::string part = GENERATE(as<std::string>(), "{range}x", "{range .its[*]}{.}{range $}");
  std::string whole;
  for (int i = 0; i < 60; ++i) whole += part;
  for (const Style style : {Style::kText, Style::kJson}) {
    const std::string result = Run(whole, style);
    CHECK(result == "error: the template finds too much; end each {range} by {end}");
  }
  CHECK(Run("{range}x{range}y") == "xyyxyy");
}

TEST_CASE("A template that prints more and more ends with an error", "[kube][json_path_template]") {
  constexpr std::size_t kMegabyte = 1024 * 1024;
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse("{\"s\":\"" + std::string(kMegabyte, 'x') + "\"}"));
  std::string text;
  for (int i = 0; i < 60; ++i) text += "{.s}";
  const auto much = JsonPathTemplate::Parse(text);
  const auto too_much = JsonPathTemplate::Parse(text + text);
  for (const Style style : {Style::kText, Style::kJson}) {
    CHECK(much->Print(document.root(), style, true)->size() >= 60 * kMegabyte);
    const auto printed = too_much->Print(document.root(), style, true);
    REQUIRE_FALSE(printed);
    CHECK_THAT(printed.error(), Catch::StartsWith("the template finds too much"));
  }
}

TEST_CASE("A deeply nested template ends with an error", "[kube][json_path_template]") {
  std::string text = "{.i";
  for (int i = 0; i < 100000; ++i) text += "[?(@";
  CHECK_THAT(Run(text + ")]}"), Catch::StartsWith("parse error: "));
}

}  // namespace
}  // namespace plugin::report
