#include "kube/client/label_selector.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::client {
namespace label_selector_test {

// Expected values of both tables: kubectl 1.32 (top pod -l).
TEST_CASE("G3: Label selectors that the server takes have no problem", "[kube][label_selector]") {
  for (const char* text : {"",          " ",          "a=b",           "a==b",
                           "a!=b",      "a in (x,y)", "a notin (x)",   "!a",
                           "a",         "a,b=c",      "a>5",           "a<05",
                           "a=",        "a in ()",    "a in (x,)",     "a=in",
                           "in",        "in=x",       "!in",           "notin",
                           "in in (x)", "a in (in)",  "a in(x)",       "a=\nb",
                           "x in (,)",  "x in (,a)",  "x in (a,,b)",   "a!=,b",
                           "a,!b",      "e.com/A",    "a in (notin,x)"}) {
    CAPTURE(text);
    CHECK(LabelSelectorProblem(text).value_or("") == "");
  }
}

TEST_CASE("G3: A wrong label selector is told in apimachinery's words", "[kube][label_selector]") {
  const std::string no = "unable to parse requirement: ";
  const std::string operators = ", expected: in, notin, =, ==, !=, gt, lt";
  const std::string name =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const std::string value =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', "
      " or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::string integer = "for 'Gt', 'Lt' operators, the value must be an integer";
  const auto [text, expected] = GENERATE_COPY(table<std::string, std::string>({
      {",", "found ',', expected: !, identifier, or 'end of string'"},
      {"(a)", "found '(', expected: !, identifier, or 'end of string'"},
      {"!=x", "found '!=', expected: !, identifier, or 'end of string'"},
      {"a,", "found '', expected: identifier after ','"},
      {"a,,b", "found ',', expected: identifier after ','"},
      {"a in (x),", "found '', expected: identifier after ','"},
      {"a=b=c", "found '=', expected: ',' or 'end of string'"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"!a=b", "found '=', expected: ',' or 'end of string'"},
      {"a in (x)b", "found 'b', expected: ',' or 'end of string'"},
      {"!", no + "found '', expected: identifier"},
      {"a in x", no + "found 'x' expected: '('"},
      {"a notin", no + "found '' expected: '('"},
      {"a in (", no + "found '', expected: ',', ')' or identifier"},
      {"a in ((x))", no + "found '(', expected: ',', ')' or identifier"},
      {"a in (x", no + "found '', expected: ',' or ')'"},
      {"a in (x y)", no + "found 'y', expected: ',' or ')'"},
      {"a in (x,y,", no + "found '', expected: ',', or identifier"},
      {"a in (,", no + "found '', expected: ',', or identifier"},
      {"x in (a,,)", no + "found ')', expected: ',', or identifier"},
      {"a b", no + "found 'b'" + operators},
      {"a!b", no + "found '!'" + operators},
      {"in (x)", no + "found '('" + operators},
      {"a not in (x)", no + "found 'not'" + operators},
      {"a===b", no + "found '=', expected: identifier"},
      {"a=!b", no + "found '!', expected: identifier"},
      {"a<>b", no + "found '>', expected: identifier"},
      {"a>x", no + "values[0]: Invalid value: \"x\": " + integer},
      {"a>", no + "values[0]: Invalid value: \"\": " + integer},
      {"a>5.5", no + "values[0]: Invalid value: \"5.5\": " + integer},
      {"a>99999999999999999999",
       no + "values[0]: Invalid value: \"99999999999999999999\": " + integer},
      {"a>-", no + "[values[0]: Invalid value: \"-\": " + integer +
                  ", values[0][a]: Invalid value: \"-\": " + value + "]"},
      {"-a=b", no + "<nil>: Invalid value: \"-a\": " + name},
      {"-a in (-x,-y)", no + "<nil>: Invalid value: \"-a\": " + name},
      {"/a=b", no + "<nil>: Invalid value: \"/a\": prefix part must be non-empty"},
      {"a=-b", no + "values[0][a]: Invalid value: \"-b\": " + value},
      {"a=\"x\"", no + "values[0][a]: Invalid value: \"\\\"x\\\"\": " + value},
      {"a in (x,-y,-x)", no + "[values[0][a]: Invalid value: \"-x\": " + value +
                             ", values[1][a]: Invalid value: \"-y\": " + value + "]"},
  }));
  CAPTURE(text);
  CHECK(LabelSelectorProblem(text).value_or("") == expected);
}

}  // namespace label_selector_test
}  // namespace kube::client
