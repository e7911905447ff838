#include "plugin/terminal/terminal.h"

#include <catch2/catch.hpp>

namespace plugin::terminal {
namespace {

TEST_CASE("O4: What steers a terminal is shown, not sent", "[plugin][terminal]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"", ""},
      {"plain text ~", "plain text ~"},
      {"\x1B[31mred", "^[[31mred"},
      {"a\rb", "a\\rb"},
      {"a\nb\tc", "a\\nb\\tc"},
      {std::string("\0\a\x7F", 3), "^@^G^?"},
      {"\xC2\x9B"
       "31m",
       "\\u009b31m"},  // CSI as one C1 control
      {"\xE2\x80\xAE"
       "gpj",
       "\\u202egpj"},                 // right-to-left override
      {"\xE2\x81\xA6", "\\u2066"},    // left-to-right isolate
      {"\xE2\x80\xA8", "\\u2028"},    // line separator
      {"\xEF\xBB\xBFx", "\\ufeffx"},  // byte order mark
      {"h\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80", "h\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80"},
      {"a\xFF"
       "b\xC3",
       "a\xEF\xBF\xBD"
       "b\xEF\xBF\xBD"},
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // a lone surrogate
  }));
  CAPTURE(text);
  CHECK(Printable(text) == expected);
}

TEST_CASE("Text that is laid out keeps its line breaks and tabs", "[plugin][terminal]") {
  CHECK(PrintableLines("error: a\x1B\n\tcheck\n") == "error: a^[\n\tcheck\n");
  CHECK(PrintableLines("") == "");
}

TEST_CASE("Characters are counted, not bytes", "[plugin][terminal]") {
  CHECK(CharacterCount("") == 0);
  CHECK(CharacterCount("abc") == 3);
  CHECK(CharacterCount("h\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80") == 6);
}

TEST_CASE("What is too long loses its middle", "[plugin][terminal]") {
  CHECK(CutMiddle("abcdefghij", 10) == "abcdefghij");
  CHECK(CutMiddle("abcdefghijk", 10) == "abcd...ijk");
  CHECK(CutMiddle("h\xC3\xA9h\xC3\xA9h\xC3\xA9h\xC3\xA9", 5) == "h...\xC3\xA9");
  CHECK(CutMiddle("abcdefgh", 4) == "a...");
  CHECK(CutMiddle("abcdefghijkl", 11, CutAt::kThreeQuarters) == "abcdef...kl");
}

TEST_CASE("Text is broken at blanks, and words are not", "[plugin][terminal]") {
  CHECK(Wrapped("one two three", 20) == "one two three");
  CHECK(Wrapped("one two three", 7) == "one two\nthree");
  CHECK(Wrapped("one two three", 8, "  ") == "one two\n  three");
  CHECK(Wrapped("a longerthanfive b", 5) == "a\nlongerthanfive\nb");
  CHECK(Wrapped("", 5) == "");
}

TEST_CASE("Lines are told without their ends", "[plugin][terminal]") {
  CHECK(LinesOf("a\n\nb") == std::vector<std::string>{"a", "", "b"});
  CHECK(LinesOf("a\n") == std::vector<std::string>{"a"});
  CHECK(LinesOf("").empty());
}

}  // namespace
}  // namespace plugin::terminal
