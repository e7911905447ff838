#include "kube/go/go_format.h"

#include <catch2/catch.hpp>

namespace kube::go {
namespace go_format_test {

using std::string_literals::operator""s;

// All expected texts are what Go prints.

TEST_CASE("Strings are quoted as by %q", "[go_format]") {
  const auto [text, quoted] = GENERATE(table<std::string, std::string>({
      {"", R"("")"},
      {"plain text", R"("plain text")"},
      {R"(say "hi"\)", R"("say \"hi\"\\")"},
      {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {"\0\x1f\x7f"s, R"("\x00\x1f\x7f")"},
      {"<a>&'`", R"("<a>&'`")"},
      {"\u00e9\u65e5\U0001F600", "\"\u00e9\u65e5\U0001F600\""},
      {"a\u00a0b\u00ad", R"("a\u00a0b\u00ad")"},          // a blank and a soft hyphen
      {"\u2028\ufeff\ue000", R"("\u2028\ufeff\ue000")"},  // separator, mark, private use
      {"\U000e0001\U0010ffff", R"("\U000e0001\U0010ffff")"},
      {"\u0378\u1ac1", "\"\\u0378\u1ac1\""},  // never assigned; assigned in Unicode 14
      {"\U00011f00", "\"\U00011f00\""},       // assigned in Unicode 15
      {"\xff\xc3(\xed\xa0\x80", R"("\xff\xc3(\xed\xa0\x80")"},
      {"\xf4\x90\x80\x80\xc0\x80", R"("\xf4\x90\x80\x80\xc0\x80")"},
      {"\ufffd", "\"\ufffd\""},
  }));
  CAPTURE(text);
  CHECK(GoQuote(text) == quoted);
}

}  // namespace go_format_test
}  // namespace kube::go
