#include <catch2/catch.hpp>

#include "plugin/report/field_table.h"

namespace plugin::report {
namespace {

using std::chrono::seconds;
using std::chrono::sys_days;

constexpr sys_days kDay = std::chrono::year(2026) / 11 / 21;

// Expected values: HumanDuration of k8s.io/apimachinery, run with Go.
TEST_CASE("An age is printed as kubectl prints it", "[plugin][age]") {
  const auto [elapsed, expected] = GENERATE(table<int, std::string>({
      {-5, "<invalid>"},  {-1, "0s"},         {0, "0s"},          {45, "45s"},
      {119, "119s"},      {120, "2m"},        {125, "2m5s"},      {240, "4m"},
      {599, "9m59s"},     {600, "10m"},       {3600, "60m"},      {10799, "179m"},
      {10800, "3h"},      {12000, "3h20m"},   {28799, "7h59m"},   {28800, "8h"},
      {30000, "8h"},      {172799, "47h"},    {172800, "2d"},     {180000, "2d2h"},
      {604800, "7d"},     {691199, "7d23h"},  {691200, "8d"},     {35596800, "412d"},
      {63071999, "729d"}, {63072000, "2y"},   {63158400, "2y1d"}, {252287999, "7y364d"},
      {252288000, "8y"},  {315360000, "10y"},
  }));
  CAPTURE(elapsed);
  CHECK(Age("2026-11-21T00:00:00Z", kDay + seconds(elapsed)) == expected);
}

TEST_CASE("The time of day counts", "[plugin][age]") {
  CHECK(Age("2026-11-20T23:58:30Z", kDay) == "90s");
  CHECK(Age("2024-02-29T00:00:00Z", sys_days(std::chrono::year(2024) / 3 / 1)) == "24h");
}

TEST_CASE("What is no timestamp has an unknown age", "[plugin][age]") {
  const auto* text =
      GENERATE("", "yesterday", "2026-11-21", "2026-11-21T03:15:00+01:00", "2026-13-21T03:15:00Z",
               "2026-02-30T03:15:00Z", "2026-11-21T24:15:00Z", "2026-11-21T03:15:0xZ",
               "2026/11/21T03:15:00Z", "2026-11-21 03:15:00Z", "-026-11-21T03:15:00Z");
  CAPTURE(text);
  CHECK(Age(text, kDay) == "<unknown>");
}

}  // namespace
}  // namespace plugin::report
