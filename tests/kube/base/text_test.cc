#include "kube/base/text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::base {
namespace {

TEST_CASE("Texts are joined in their order", "[kube][text]") {
  using Strings = std::vector<std::string>;
  CHECK(Join(Strings{}, ", ").empty());
  CHECK(Join(Strings{"b"}, ", ") == "b");
  CHECK(Join(Strings{"b", "", "a"}, ", ") == "b, , a");
}

TEST_CASE("A noun follows its number", "[kube][text]") {
  CHECK(Count(0, "field") == "0 fields");
  CHECK(Count(1, "field") == "1 field");
  CHECK(Count(18446744073709551615U, "object") == "18446744073709551615 objects");
}

TEST_CASE("Only letters of ASCII are made small", "[kube][text]") {
  CHECK(ToLower("JSON-Path=[@Z]_{`az}") == "json-path=[@z]_{`az}");
  CHECK(ToLower("\xC3\x84") == "\xC3\x84");
}

TEST_CASE("The case of letters of ASCII alone does not count", "[kube][text]") {
  CHECK(EqualFold("Set-Cookie", "set-cOOKIE"));
  CHECK_FALSE(EqualFold("cookie", "cookies"));
  CHECK_FALSE(EqualFold("[", "{"));
}

TEST_CASE("A text is found where it stands first", "[kube][text]") {
  constexpr std::size_t kNone = std::string_view::npos;
  CHECK(FindText("banana", "ana") == 1);
  CHECK(FindText("banana", "ana", 2) == 3);
  CHECK(FindText("banana", "nab") == kNone);
  CHECK(FindText("banana", "", 6) == 6);
  CHECK(FindText("banana", "", 7) == kNone);
  CHECK(FindText("", "a") == kNone);
  CHECK(FindText({}, {}) == 0);
  // In the time of a product of the sizes, this would not end.
  const std::string part = std::string(std::size_t{1} << 21, 'a') + "b";
  CHECK(FindText(std::string(std::size_t{1} << 22, 'a'), part) == kNone);
}

TEST_CASE("Digits of sixteen have a value", "[kube][text]") {
  CHECK(HexDigitValue('0') == 0);
  CHECK(HexDigitValue('9') == 9);
  CHECK(HexDigitValue('a') == 10);
  CHECK(HexDigitValue('F') == 15);
  for (const char c : {'/', ':', '@', 'G', '`', 'g', '\xC1', '\0'}) CHECK(HexDigitValue(c) == -1);
}

}  // namespace
}  // namespace kube::base
