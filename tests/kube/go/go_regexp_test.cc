#include "kube/go/go_regexp.h"

#include <catch2/catch.hpp>

namespace kube::go {
namespace go_regexp_test {

using std::string_literals::operator""s;

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string ErrorOf(const std::string& pattern) { return GoRegexpError(pattern).value_or("ok"); }

TEST_CASE("A pattern that Go accepts has no error", "[go_regexp]") {
  const std::string pattern = GENERATE(
      as<std::string>(), "", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "(?P<n>a)(?P<n>b)", "(?<n>a)",
      "(?i)a(?s-m:.)(?-U)", "(?)", "[]a]", "[^]a]", "[a-]", "[-a]", R"([\d-z])",
      "[[:word:][:^space:]]", "[[:]", "[a[:b]", "{", "a{,2}", "a{1", "a{01}", "a{2,}?", "a{1000}",
      "(a{2}){500}", "^*", R"(\b+)", R"(\Qa*\E*)", R"(\Q(()", R"(\pL\PN\p{Greek}\p{^Lu}\P{^Han})",
      R"([\p{Letter}\p{uppercase letter}])",
      R"(\p{Old_Italic}\p{Kawi}\p{Any}\p{Cn}\p{LC}\p{digit})", R"(\x41\x{10FFFF}\012\0\a\_\-\/)",
      "\u00e9|\\\x01", "(?:(?:a*)+)?", "a{0}{", "|", "()|(||)", R"([\x{0}-\x{10FFFF}])");
  CAPTURE(pattern);
  CHECK(ErrorOf(pattern) == "ok");
}

TEST_CASE("A pattern that Go refuses has Go's error", "[go_regexp]") {
  const auto [pattern, error] = GENERATE(table<std::string, std::string>({
      {"[", "missing closing ]: `[`"},
      {"x[a-z", "missing closing ]: `[a-z`"},
      {"[a-", "missing closing ]: `[a-`"},
      {"[]", "missing closing ]: `[]`"},
      {"[z-a]", "invalid character class range: `z-a`"},
      {R"([\x41-\x40])", R"(invalid character class range: `\x41-\x40`)"},
      {"[[:foo:]]", "invalid character class range: `[:foo:]`"},
      {R"([a-\d])", R"(invalid escape sequence: `\d`)"},
      {R"(a\p{Bogus}b)", R"(invalid character class range: `\p{Bogus}`)"},
      {R"(\pX)", R"(invalid character class range: `\pX`)"},
      {R"(\p)", R"(invalid character class range: `\p`)"},
      {R"(\p{Greek)", R"(invalid character class range: `\p{Greek`)"},
      {R"(\p{})", R"(invalid character class range: `\p{}`)"},
      {R"(\C)", R"(invalid escape sequence: `\C`)"},
      {R"(\Z)", R"(invalid escape sequence: `\Z`)"},
      {R"(a\1)", R"(invalid escape sequence: `\1`)"},
      {R"(\8)", R"(invalid escape sequence: `\8`)"},
      {R"(\x)", R"(invalid escape sequence: `\x`)"},
      {R"(\x4)", R"(invalid escape sequence: `\x4`)"},
      {R"(\x{110000}z)", R"(invalid escape sequence: `\x{110000`)"},
      {R"(\x{}z)", R"(invalid escape sequence: `\x{}`)"},
      {"\\\u00e9", "invalid escape sequence: `\\\u00e9`"},
      {"a\\", "trailing backslash at end of expression: ``"},
      {"*", "missing argument to repetition operator: `*`"},
      {"a|+?b", "missing argument to repetition operator: `+?`"},
      {"(?i)*", "missing argument to repetition operator: `*`"},
      {"({2})", "missing argument to repetition operator: `{2}`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"a{2}{3}?b", "invalid nested repetition operator: `{2}{3}?`"},
      {"a???", "invalid nested repetition operator: `???`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"a{3,2}", "invalid repeat count: `{3,2}`"},
      {"a{1,99999999999}", "invalid repeat count: `{1,99999999999}`"},
      {"(a{1000}){1000}", "invalid repeat count: `{1000}`"},
      {"((a{10}){10}){11}", "invalid repeat count: `{11}`"},
      {"a)b", "unexpected ): `a)b`"},
      {"(a", "missing closing ): `(a`"},
      {"(?:a", "missing closing ): `(?:a`"},
      {"a(?!b)", "invalid or unsupported Perl syntax: `(?!`"},
      {"(?", "invalid or unsupported Perl syntax: `(?`"},
      {"(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"},
      {"(?P=n)", "invalid or unsupported Perl syntax: `(?P`"},
      {"(?P<", "invalid or unsupported Perl syntax: `(?P`"},
      {"(?<", "invalid or unsupported Perl syntax: `(?<`"},
      {"(?<=a)b", "invalid named capture: `(?<=a)b`"},
      {"(?<n-m>a)", "invalid named capture: `(?<n-m>`"},
      {"(?P<>a)", "invalid named capture: `(?P<>`"},
      {"(?P<na", "invalid named capture: `(?P<na`"},
      {"a\xff", "invalid UTF-8: `\xff`"},
      {"\\Qa\xff", "invalid UTF-8: `\xff`"},
      {"[\xc3]", "invalid UTF-8: `\xc3]`"},
  }));
  CHECK(ErrorOf(pattern) == "error parsing regexp: " + error);
}

TEST_CASE("Patterns meet the limits where they meet Go's", "[go_regexp]") {
  const auto nested = [](int depth) { return Repeat("(", depth) + "a" + Repeat(")", depth); };
  CHECK(ErrorOf(nested(999)) == "ok");
  CHECK(ErrorOf(nested(1000)) ==
        "error parsing regexp: expression nests too deeply: `" + nested(1000) + "`");
  CHECK(ErrorOf("(" + Repeat("[ab]", 3300) + "){1000}") == "ok");
  const std::string large = "(" + Repeat("[ab]", 3400) + "){1000}";
  CHECK(ErrorOf(large) == "error parsing regexp: expression too large: `" + large + "`");
}

TEST_CASE("Patterns of a megabyte are judged at once", "[go_regexp]") {
  const std::string unit = GENERATE(as<std::string>(), "(", "a", "[a]", "a|", "[[:alpha", "(?<n",
                                    R"(\p{)", "a*", "(?i)");
  CAPTURE(unit);
  GoRegexpError(Repeat(unit, 1000000 / static_cast<int>(unit.size())));
}

TEST_CASE("Patterns match as in Go", "[go_regexp]") {
  const auto [pattern, text, matches] = GENERATE(table<std::string, std::string, bool>({
      {"", "", true},
      {"b", "abc", true},
      {"^b", "abc", false},
      {"^$", "\n", false},
      {"(?m)^b$", "a\nb", true},
      {"a.c", "a\nc", false},
      {"(?s)a.c", "a\nc", true},
      {"(?i)STRASSE", "strasse", true},
      {"^.$", "\u00e9", true},
      {"^(?<x>a)(?P<x>b)$", "ab", true},
      {R"(^\Qa.b\E$)", "a.b", true},
      {R"(^\Q(?<n>\E$)", "(?<n>", true},
      {R"(^[(?<n>]+$)", "(?<n>", true},
      {R"(^\p{Letter}+$)", "a\u03a9", true},
      {R"(^[\p{uppercase letter}-]+$)", "A-B", true},
      {R"(^\p{^greek}$)", "\u03a9", false},
      {R"(\x{1F600})", "\U0001F600", true},
      {"^(a{1000})$", Repeat("a", 1000), true},
      {"a\0b"s, "a\0b"s, true},
  }));
  CAPTURE(pattern, text);
  CHECK(GoMatcher(pattern).Matches(text) == matches);
}

TEST_CASE("Of a pattern that RE2 cannot run nothing can be told", "[go_regexp]") {
  CHECK(!GoMatcher(R"(^\p{Cn}$)").Matches("a"));
  CHECK(!GoMatcher(R"(^[\P{LC}]$)").Matches("a"));
  CHECK_FALSE(GoMatcher(R"(^\p{Cn}$)").Find("a", 0).is_decided);
}

TEST_CASE("A match is found from a place on, and told from no match", "[go_regexp]") {
  const GoMatcher matcher("a.c|^b");
  const GoMatcher::Answer found = matcher.Find("abcabc", 1);
  REQUIRE(found.is_decided);
  REQUIRE(found.span);
  CHECK(found.span->begin == 3);
  CHECK(found.span->end == 6);
  const GoMatcher::Answer none = matcher.Find("abcabc", 4);
  CHECK(none.is_decided);
  CHECK_FALSE(none.span);
}

}  // namespace go_regexp_test
}  // namespace kube::go
