#include "kube/go/go_netip.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::go {
namespace go_netip_test {

struct Row {
  std::string text;
  std::string problem;  ///< behind `ParseAddr("..."): `; empty where there is none
};

// The texts of parseIPv4Fields and parseIPv6 in Go 1.26's net/netip/netip.go.
const Row kRows[] = {
    {"1.2.3.4", ""},
    {"::", ""},
    {"::1", ""},
    {"1::", ""},
    {"1:2:3:4:5:6:7:8", ""},
    {"::ffff:1.2.3.4", ""},
    {"fe80::1%eth0", ""},
    {"", "unable to parse IP"},
    {"a", "unable to parse IP"},
    {"%eth0", "missing IPv6 address"},
    {"1.2.3", "IPv4 address too short"},
    {"1.2.3.4.5", "IPv4 address too long"},
    {"1.2.3.256", "IPv4 field has value >255"},
    {"1.2.3.04", "IPv4 field has octet with leading zero"},
    {"1..2.3", R"(IPv4 field must have at least one digit (at ".2.3"))"},
    {".1.2.3", R"(IPv4 field must have at least one digit (at ".1.2.3"))"},
    {"1.2.3.", R"(IPv4 field must have at least one digit (at "."))"},
    {"a.b", R"(unexpected character (at "a.b"))"},
    {"1.2.3.4%a", R"(unexpected character (at "%a"))"},
    {"::%", "zone must be a non-empty string"},
    {"1::2::3", R"(multiple :: in address (at ":3"))"},
    {"12345::", R"(each group must have 4 or less digits (at "12345::"))"},
    {"::12345", R"(each group must have 4 or less digits (at "12345"))"},
    {":1", R"(each colon-separated field must have at least one digit (at ":1"))"},
    {"1::g", R"(each colon-separated field must have at least one digit (at "g"))"},
    {"1:2", "address string too short"},
    {"1:", R"(colon must be followed by more characters (at ":"))"},
    {"1:2g", R"(unexpected character, want colon (at "g"))"},
    {"1:2:3:4:5:6:7:8:9", R"(trailing garbage after address (at "9"))"},
    {"1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"},
    {"1:1.2.3.4",
     R"(embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4"))"},
    {"1:2:3:4:5:6::7:1.2.3.4",
     R"(too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4"))"},
    {"::1.2.3", "IPv4 address too short"},
};

TEST_CASE("An address is refused in the words of netip.ParseAddr", "[go_netip]") {
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const auto problem = IpAddressProblem(row.text);
    CHECK(problem.value_or("") ==
          (row.problem.empty() ? "" : "ParseAddr(\"" + row.text + "\"): " + row.problem));
  }
}

}  // namespace go_netip_test
}  // namespace kube::go
