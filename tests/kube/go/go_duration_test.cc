#include "kube/go/go_duration.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::go {
namespace go_duration_test {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// Expected values: time.ParseDuration.
TEST_CASE("Durations are read as Go reads them", "[kube][go_duration]") {
  const auto [text, expected] = GENERATE(table<std::string, nanoseconds>({
      {"0", 0ns},
      {"+0", 0ns},
      {"-0", 0ns},
      {"5s", 5s},
      {"1m30s", 90s},
      {"30s1m", 90s},
      {"-1.5h", -90min},
      {"+5s", 5s},
      {".5s", 500ms},
      {"5.s", 5s},
      {"1.000000001s", 1000000001ns},
      {"0.1ns", 0ns},
      {"1us", 1us},
      {"1\u00B5s", 1us},
      {"1\u03BCs", 1us},
      {"2562047h47m16.854775807s", nanoseconds::max()},
      {"-2562047h47m16.854775808s", nanoseconds::min()},
      {"0.100000000000000000000h", 6min},
      {"0.3333333333333333333h", 20min},
  }));
  CAPTURE(text);
  REQUIRE(ParseGoDuration(text));
  CHECK(*ParseGoDuration(text) == expected);
}

TEST_CASE("What Go takes for no duration is none", "[kube][go_duration]") {
  for (const char* text : {"", "3", "-", "+", "s", ".", ".s", "-.", "1 s", "1d", "1S", "1m 30s",
                           "3000000h", "2562047h47m16.854775808s", "9223372036854775808ns",
                           "99999999999999999999s", "--1s", "1sm"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseGoDuration(text));
  }
}

// Which texts are timeouts: kubectl 1.32.
TEST_CASE("G1: A request timeout is a number of seconds or a duration", "[kube][go_duration]") {
  CHECK(ParseRequestTimeout("0") == 0ns);
  CHECK(ParseRequestTimeout("00") == 0ns);
  CHECK(ParseRequestTimeout("-0") == 0ns);
  CHECK(ParseRequestTimeout("5") == 5s);
  CHECK(ParseRequestTimeout("+5") == 5s);
  CHECK(ParseRequestTimeout("1m30s") == 90s);
  CHECK(ParseRequestTimeout("-1s") == 0ns);
  CHECK(ParseRequestTimeout("99999999999") > 2000000h);
  for (const char* text : {"", "x", "5x", "-1", "1.5", "3000000h", "5 ", "1d", "0.0"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseRequestTimeout(text));
  }
}

}  // namespace go_duration_test
}  // namespace kube::go
