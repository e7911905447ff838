#include "kube/go/go_time.h"

#include <catch2/catch.hpp>

namespace kube::go {
namespace go_time_test {

TEST_CASE("Times are read with their offset and printed in UTC", "[go_time]") {
  const auto [text, printed] = GENERATE(table<std::string, std::string>({
      {"2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"},
      {"2020-01-02T03:04:05+05:30", "2020-01-01T21:34:05Z"},
      {"2019-12-31T23:30:00-01:00", "2020-01-01T00:30:00Z"},
      {"2020-02-29T23:59:59.999999999Z", "2020-02-29T23:59:59Z"},
      {"2020-01-02T03:04:05.1234567890123Z", "2020-01-02T03:04:05Z"},
      {"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"},
      {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
      // What RFC 3339 forbids and Go accepts.
      {"2020-01-02T3:04:05Z", "2020-01-02T03:04:05Z"},
      {"2020-01-02T03:04:05,5Z", "2020-01-02T03:04:05Z"},
      {"2020-01-02T03:04:05+24:60", "2020-01-01T02:04:05Z"},
      // Years that an offset leads to.
      {"0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z"},
      {"9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"},
  }));
  CAPTURE(text);
  const auto time = ParseGoTime(text);
  REQUIRE(time);
  CHECK(FormatGoTime(*time) == printed);
  CHECK_FALSE(time->IsZero());
}

TEST_CASE("The first instant of the year 1 is Go's zero time", "[go_time]") {
  CHECK(ParseGoTime("0001-01-01T00:00:00Z")->IsZero());
  CHECK(ParseGoTime("0001-01-01T01:00:00+01:00")->IsZero());
  CHECK_FALSE(ParseGoTime("0001-01-01T00:00:00.1Z")->IsZero());
}

TEST_CASE("What is no time is refused in Go's words", "[go_time]") {
  const std::string as = R"( as "2006-01-02T15:04:05Z07:00": cannot parse )";
  const auto [text, error] = GENERATE_COPY(table<std::string, std::string>({
      {"", R"("")" + as + R"("" as "2006")"},
      {"a", R"("a")" + as + R"("a" as "2006")"},
      {"20a0-01-02T03:04:05Z",
       R"("20a0-01-02T03:04:05Z")" + as + R"("20a0-01-02T03:04:05Z" as "2006")"},
      {"2020", R"("2020")" + as + R"("" as "-")"},
      {"2020-1-02", R"("2020-1-02")" + as + R"("1-02" as "01")"},
      {"2020-01-02", R"("2020-01-02")" + as + R"("" as "T")"},
      {"2020-01-02t03:04:05Z", R"("2020-01-02t03:04:05Z")" + as + R"("t03:04:05Z" as "T")"},
      {"2020-01-02T03:4:05Z", R"("2020-01-02T03:4:05Z")" + as + R"("4:05Z" as "04")"},
      {"2020-01-02T03:04:05", R"("2020-01-02T03:04:05")" + as + R"("" as "Z07:00")"},
      {"2020-01-02T03:04:05z", R"("2020-01-02T03:04:05z")" + as + R"("z" as "Z07:00")"},
      {"2020-01-02T03:04:05 01:00",
       R"("2020-01-02T03:04:05 01:00")" + as + R"(" 01:00" as "Z07:00")"},
      {"2020-13-01T00:00:00Z", R"("2020-13-01T00:00:00Z": month out of range)"},
      {"2021-02-29T00:00:00Z", R"("2021-02-29T00:00:00Z": day out of range)"},
      {"1900-02-29T00:00:00Z", R"("1900-02-29T00:00:00Z": day out of range)"},
      {"2020-01-02T24:00:00Z", R"("2020-01-02T24:00:00Z": hour out of range)"},
      {"2020-01-02T23:60:00Z", R"("2020-01-02T23:60:00Z": minute out of range)"},
      {"2016-12-31T23:59:60Z", R"("2016-12-31T23:59:60Z": second out of range)"},
      {"2020-01-02T03:04:05+25:00",
       R"("2020-01-02T03:04:05+25:00": time zone offset hour out of range)"},
      {"2020-01-02T03:04:05+25:61",
       R"("2020-01-02T03:04:05+25:61": time zone offset minute out of range)"},
      {"2021-02-29T00:00:00Zx", R"("2021-02-29T00:00:00Zx": extra text: "x")"},
      {"\"\\\n\x7f\u00e9",
       "\"\\\"\\\\\\x0a\x7f\\xc3\\xa9\"" + as + "\"\\\"\\\\\\x0a\x7f\\xc3\\xa9\" as \"2006\""},
  }));
  const auto time = ParseGoTime(text);
  REQUIRE_FALSE(time);
  CHECK(time.error() == "parsing time " + error);
}

}  // namespace go_time_test
}  // namespace kube::go
