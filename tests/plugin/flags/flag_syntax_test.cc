#include "plugin/cli/flag_syntax.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace plugin::cli {
namespace flag_syntax_test {

using Words = std::vector<std::string>;

const std::vector<Flag> kFlags = {
    {"all", 'A', FlagKind::kBool},       {"as-group", 0, FlagKind::kArray},
    {"chunk-size", 0, FlagKind::kInt64}, {"filename", 'f', FlagKind::kStrings},
    {"local", 0, FlagKind::kBool},       {"namespace", 'n', FlagKind::kString},
    {"recursive", 'R', FlagKind::kBool}, {"v", 'v', FlagKind::kInt},
};

// "name=value ..." of the flags, then "| argument ...".
std::string Parse(const Words& words) {
  const auto parsed = ParseFlags(words, kFlags);
  if (!parsed) return parsed.error();
  std::string text;
  for (const FlagValue& flag : parsed->flags) text += flag.name + "=" + flag.value + " ";
  text += "|";
  for (const std::string& argument : parsed->arguments) text += " " + argument;
  return text;
}

TEST_CASE("G1: A flag may be spelled in every way that pflag takes", "[plugin][flag_syntax]") {
  const auto [words, expected] = GENERATE(table<Words, std::string>({
      {{"--namespace", "a"}, "namespace=a |"},
      {{"--namespace=a"}, "namespace=a |"},
      {{"--namespace="}, "namespace= |"},
      {{"--namespace=a=b"}, "namespace=a=b |"},
      {{"-n", "a"}, "namespace=a |"},
      {{"-na"}, "namespace=a |"},
      {{"-n=a"}, "namespace=a |"},
      {{"-n="}, "namespace== |"},
      {{"-n", ""}, "namespace= |"},
      {{"-n", "--all"}, "namespace=--all |"},
      {{"--local"}, "local=true |"},
      {{"--local=false"}, "local=false |"},
      {{"--local=T"}, "local=true |"},
      {{"--local", "false"}, "local=true | false"},
      {{"-R=0"}, "recursive=false |"},
      {{"-AR"}, "all=true recursive=true |"},
      {{"-ARf", "x"}, "all=true recursive=true filename=x |"},
      {{"-Rfx"}, "recursive=true filename=x |"},
      {{"-RA=f"}, "recursive=true all=false |"},
      {{"-v5"}, "v=5 |"},
      {{"--v=+5"}, "v=5 |"},
      {{"--v", "-5"}, "v=-5 |"},
  }));
  CAPTURE(words);
  CHECK(Parse(words) == expected);
}

TEST_CASE("Flags and arguments may be mixed until --", "[plugin][flag_syntax]") {
  CHECK(Parse({"a", "--local", "b", "-", "--", "--all", "-x", "--"}) ==
        "local=true | a b - --all -x --");
  CHECK(Parse({""}) == "| ");
  CHECK(Parse({}) == "|");
}

TEST_CASE("G1: The last value of a scalar flag counts, lists add up", "[plugin][flag_syntax]") {
  CHECK(Parse({"-n", "a", "-f", "x", "-n", "b", "-f", "y,z"}) ==
        "namespace=b filename=x filename=y filename=z |");
}

TEST_CASE("A value of an array is taken as it is", "[plugin][flag_syntax]") {
  CHECK(Parse({"--as-group=a,\"b", "--as-group", ""}) == "as-group=a,\"b as-group= |");
}

TEST_CASE("Numbers have 32 or 64 bits", "[plugin][flag_syntax]") {
  CHECK(Parse({"--chunk-size=-99999999999"}) == "chunk-size=-99999999999 |");
  CHECK(Parse({"--chunk-size=9223372036854775808"}) ==
        "invalid argument \"9223372036854775808\" for \"--chunk-size\" flag: strconv.ParseInt: "
        "parsing \"9223372036854775808\": value out of range");
}

// Expected values: encoding/csv of Go 1.19.
TEST_CASE("A list is one record of comma separated values", "[plugin][flag_syntax]") {
  const auto [value, expected] = GENERATE(table<std::string, std::string>({
      {"", "|"},
      {"a,b", "filename=a filename=b |"},
      {"\"a,b\",c", "filename=a,b filename=c |"},
      {"\"a\"\"b\"", "filename=a\"b |"},
      {"a,", "filename=a filename= |"},
      {",", "filename= filename= |"},
      {"\"\"", "filename= |"},
      {"a\"b", R"(invalid argument "a\"b" for "-f, --filename" flag: parse error on line 1, )"
               R"(column 2: bare " in non-quoted-field)"},
      {"\"a\"b,c", R"(invalid argument "\"a\"b,c" for "-f, --filename" flag: parse error on line )"
                   R"(1, column 3: extraneous or missing " in quoted-field)"},
      {"\"a", R"(invalid argument "\"a" for "-f, --filename" flag: parse error on line 1, )"
              R"(column 3: extraneous or missing " in quoted-field)"},
  }));
  CAPTURE(value);
  CHECK(Parse({"-f", value}) == expected);
}

// Expected values: kubectl 1.32 and pflag's source.
TEST_CASE("G1: A wrong flag is told in pflag's words", "[plugin][flag_syntax]") {
  const auto [words, expected] = GENERATE(table<Words, std::string>({
      {{"--bogus"}, "unknown flag: --bogus"},
      {{"--bogus=3"}, "unknown flag: --bogus"},
      {{"--loc"}, "unknown flag: --loc; did you mean --local?"},
      {{"--n"}, "unknown flag: --n"},
      {{"-local"}, "unknown shorthand flag: 'l' in -local"},
      {{"-Z"}, "unknown shorthand flag: 'Z' in -Z"},
      {{"-RZf"}, "unknown shorthand flag: 'Z' in -Zf"},
      {{"-'"}, R"(unknown shorthand flag: '\'' in -')"},
      {{"-\xC3"}, "unknown shorthand flag: 'Ã' in -\xC3"},
      {{"--=x"}, "bad flag syntax: --=x"},
      {{"---x"}, "bad flag syntax: ---x"},
      {{"--namespace"}, "flag needs an argument: --namespace"},
      {{"-n"}, "flag needs an argument: 'n' in -n"},
      {{"-Rn"}, "flag needs an argument: 'n' in -n"},
      {{"--local=foo"},
       R"(invalid argument "foo" for "--local" flag: strconv.ParseBool: parsing "foo": invalid syntax)"},
      {{"--local="},
       R"(invalid argument "" for "--local" flag: strconv.ParseBool: parsing "": invalid syntax)"},
      {{"-R=foo"},
       R"(invalid argument "foo" for "-R, --recursive" flag: strconv.ParseBool: parsing "foo": )"
       R"(invalid syntax)"},
      {{"--v=x"},
       R"(invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax)"},
      {{"--v=5x"},
       R"(invalid argument "5x" for "-v, --v" flag: strconv.ParseInt: parsing "5x": invalid syntax)"},
      {{"--v=99999999999"},
       R"(invalid argument "99999999999" for "-v, --v" flag: strconv.ParseInt: parsing )"
       R"("99999999999": value out of range)"},
      {{"--bogus", "--local=foo"}, "unknown flag: --bogus"},
  }));
  CAPTURE(words);
  CHECK(Parse(words) == expected);
}

TEST_CASE("The first argument is found behind flags and their values", "[plugin][flag_syntax]") {
  const auto [words, place] = GENERATE(table<Words, std::size_t>({
      {{"check"}, 0},
      {{"-n", "a", "check"}, 2},
      {{"-na", "check"}, 1},
      {{"-Rn", "a", "check"}, 2},
      {{"--namespace=a", "check"}, 1},
      {{"--namespace", "a", "check"}, 2},
      {{"--local", "check"}, 1},
      {{"-R=f", "check"}, 1},
      {{"--bogus", "check"}, 1},
      {{"--", "check"}, 1},
      {{"--"}, 1},
      {{"-n"}, 1},
      {Words(), 0},
  }));
  CAPTURE(words);
  CHECK(FindFirstArgument(words, kFlags) == place);
}

}  // namespace flag_syntax_test
}  // namespace plugin::cli
