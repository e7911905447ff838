#include "kube/base/utf8.h"

#include <catch2/catch.hpp>

namespace kube::base::utf8 {
namespace {

TEST_CASE("Sequences are valid or not as Unicode says", "[utf8]") {
  const auto [text, valid] = GENERATE(table<std::string, bool>({
      {"", true},
      {"plain ascii, long enough for words", true},
      {"caf\xC3\xA9", true},
      {"\xE2\x82\xAC\xF0\x9F\x98\x80", true},
      {"12345678\xFF", false},
      {"\xC3", false},
      {"\xC0\x80", false},          // overlong
      {"\xE0\x80\x80", false},      // overlong
      {"\xF0\x80\x80\x80", false},  // overlong
      {"\xED\xA0\x80", false},      // a surrogate
      {"\xF4\x90\x80\x80", false},  // above U+10FFFF
      {"\xE2\x82", false},
      {"\x80", false},
  }));
  CAPTURE(text);
  CHECK(IsValid(text) == valid);
  CHECK(IsValid(Sanitize(text)));
  CHECK((Sanitize(text) == text) == valid);
}

TEST_CASE("Each bad byte becomes one U+FFFD", "[utf8]") {
  CHECK(Sanitize("a\xE2\x82z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST_CASE("What steers a terminal is known by its length", "[utf8]") {
  const auto [text, length] = GENERATE(table<std::string, std::size_t>({
      {"", 0},
      {"a\x1B", 0},
      {"\x1B[2J", 1},
      {"\x7F", 1},
      {"\xC2\x9B", 2},      // CSI
      {"\xC2\xA0", 0},      // a blank
      {"\xD8\x9C", 2},      // Arabic letter mark
      {"\xD8\xA7", 0},      // an Arabic letter
      {"\xE2\x80\x8F", 3},  // right-to-left mark
      {"\xE2\x80\xAE"
       "x",
       3},                  // right-to-left override
      {"\xE2\x81\xA9", 3},  // end of an isolate
      {"\xE2\x82\xAC", 0},  // the Euro
      {"\xEF\xBB\xBF", 3},
      {"\xEF\xBF\xBD", 0},
      {"\xE2\x80", 0},
      {"\xFF", 0},
  }));
  CAPTURE(text);
  CHECK(SteeringLength(text) == length);
}

TEST_CASE("Code points are written in their shortest form", "[utf8]") {
  std::string text;
  for (const char32_t code_point : {U'A', U'\u00e9', U'\u20ac', U'\U0001F600'}) {
    Append(text, code_point);
  }
  CHECK(text == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace kube::base::utf8
