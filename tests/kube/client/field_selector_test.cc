#include <catch2/catch.hpp>
#include <string>

#include "kube/client/label_selector.h"

namespace kube::client {
namespace field_selector_test {

// Expected values of both tables: kubectl 1.32 (top pod --field-selector).
TEST_CASE("G3: field selectors that can be parsed have no problem", "[kube][field_selector]") {
  for (const char* text :
       {"", ",", "=", "=x", "a=", "a=b", "a==b", "a!=b", "a=b,c=d", "a=b,,c=d", "a = b", "a=b\\,c",
        "a\\=b", "a\\,b=c", "a=b\\=c", "a=\\\\", "a=!b", "a!!=b", "metadata.name=x"}) {
    CAPTURE(text);
    CHECK(FieldSelectorProblem(text).value_or("") == "");
  }
}

TEST_CASE("G3: a wrong field selector is told in apimachinery's words", "[kube][field_selector]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"a", "invalid selector: 'a'; can't understand 'a'"},
      {" ", "invalid selector: ' '; can't understand ' '"},
      {"a!b", "invalid selector: 'a!b'; can't understand 'a!b'"},
      {"a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"},
      {"a=b\\\\,c", "invalid selector: 'a=b\\\\,c'; can't understand 'c'"},
      {"a=b=c", "invalid field selector: unescaped character in value: 61"},
      {"a===b", "invalid field selector: unescaped character in value: 61"},
      {"a!=b=c", "invalid field selector: unescaped character in value: 61"},
      {"a=b\\", "invalid field selector: invalid escape sequence: \\"},
      {"a=b\\x", "invalid field selector: invalid escape sequence: \\x"},
      {"a=b\\,c,d\\x=\\x", "invalid field selector: invalid escape sequence: \\x"},
  }));
  CAPTURE(text);
  CHECK(FieldSelectorProblem(text).value_or("") == expected);
}

}  // namespace field_selector_test
}  // namespace kube::client
