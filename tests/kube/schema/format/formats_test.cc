#include "kube/schema/formats.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::schema {
namespace {

struct Row {
  std::string_view format;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

// What k8s.io/kube-openapi's strfmt takes, run with Go 1.26.
const Row kRows[] = {
    {"date", {"2020-02-29", "0000-01-01"}, {"2021-02-29", "2020-13-01", "2020-1-1", "20200101"}},
    {"date-time",
     {"2014-12-15T19:30:20.000Z", "2014-12-15t19:30:20z", "2014-12-15T19:30:20+05:30",
      "2014-12-15T19:30:20,5Z", "2014-12-15T19:30:20Ztx", "2014-12-15T19:30:20é12Z"},
     {"2014-12-15T24:30:20Z", "2014-12-15T19:30:60Z", "2014-12-15T19:30:20.Z",
      "2014-12-15 19:30:20Z"}},
    {"email",
     {"a@b", "a.b@c.d", "\"a b\"@c", "a@[1.2.3.4]", "A B <a@b>", "<a@b>", "a@b (c)", "G: a@b;",
      "=?utf-8?q?x?= <a@b>", "é@ü", " a@b ", "a@b\t", "\"a\\\"b\"@c", "x <a@b> (c)",
      "\"q\" r <a@b>", "x.y <a@b>", "a@b ((x))", "\"x\" <\"y\"@z>", "a@[::1]"},
     {"\"\"@c", "a@[x]", "a@b (c", "a b@c", "a..b@c", "a@b.", "@b", "a@", "a, b@c", "G: a@b, c@d;",
      "G:;", "=?big5?q?x?= <a@b>", "=?big5?q?x?=", "(x) a@b", "a@b>", "<a@b", "a@b\n",
      "a@[1.2.3.4"}},
    {"ipv4",
     {"1.2.3.4", "01.02.03.004", "::ffff:1.2.3.4", "::01.2.3.4"},
     {"256.1.1.1", "1.2.3", "1.2.3.4.5", "::1", "a.b", ".1.2.3", "1.2.3.", "1..2.3"}},
    {"ipv6",
     {"::1", "::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:1.2.3.4",
      "1:2:3:4:5:6:1.2.3.4"},
     {"1::2::3", "12345::", "::ffff:01.2.3.4", "fe80::1%eth0", "1:2:3:4:5:6:7:1.2.3.4", "g::", ":1",
      "1:", "1.2.3.4"}},
    {"cidr",
     {"1.2.3.4/24", "01.2.3.4/024", "::1/128", "::00001/64"},
     {"1.2.3.4/33", "::1/129", "1.2.3.4/", "1.2.3.4", "/24", "1.2.3.4/-1", "x/1", "::1%a/64"}},
    {"mac",
     {"3D:F2:C9:A6:B3:4F", "3D-F2-C9-A6-B3-4F", "3df2.c9a6.b34f", "3df2c9a6b34f", "0123456789ab",
      "00:00:5e:00:53:01:00:00", "0000.5e00.5301.0000"},
     {"3D-F2-C9-A6-B3:4F", "1:2:3:4:5:6", "zz:f2:c9:a6:b3:4f"}},
    {"uuid",
     {"123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"},
     {"123e4567--e89b-12d3-a456-426614174000", "g23e4567-e89b-12d3-a456-426614174000",
      "-123e4567e89b12d3a456426614174000"}},
    {"uuid3", {"123e4567-e89b-32d3-a456-426614174000"}, {"123e4567-e89b-42d3-a456-426614174000"}},
    {"uuid4", {"123e4567-e89b-42d3-a456-426614174000"}, {"123e4567-e89b-42d3-c456-426614174000"}},
    {"uuid5", {"123e4567-e89b-52d3-8456-426614174000"}, {}},
    {"isbn",
     {"0321751043", "978-0321751041", "3 401 01319 X", "9784873113685", "1-61729-085-8"},
     {"x"}},
    {"isbn10", {"3836221195", "3 401 01319 X"}, {"3 401 01319 x"}},
    {"isbn13", {"978-4-87311-368-5"}, {"9784873113686"}},
    {"creditcard",
     {"4220855426222389", "4220 8554 2622 2389", "374953669708156"},
     {"4220855426213389", ""}},
    {"ssn", {"191 60 2869", "191-60-2869", "191 60-2869"}, {"191602869"}},
    {"hexcolor", {"#fff", "FFFFFF"}, {"#ff", "#ggg", "ffff", ""}},
    {"rgbcolor", {"rgb(0,31,255)", "rgb( 0 , 31 ,255 )"}, {"rgb(256,1,1)", "rgba(0,0,0)"}},
    {"byte", {"YQ==", "YWI=", "YWJj"}, {"", "YWJ", "YQ=", "Y=Q=", "====", "YW-_", "YWJj=="}},
    {"password", {"", "x"}, {}},
    {"duration",
     {"5s",
      "1h2m",
      "-1.5h",
      ".5s",
      "0",
      "+0",
      "5 d",
      "2 days",
      "3 weeks and",
      "5 µs",
      "5µs",
      "5μs",
      "1e3s",
      "1h 2",
      "1.h",
      "10 sec",
      "3 minutes",
      "7 HOURS",
      "9223372036854775807ns",
      "-9223372036854775808ns",
      "2562047h47m16.854775807s",
      "3 nanofoo",
      "3 secs",
      "12 34s"},
     {"1", "", "1x", "99999999999999999999s", "h", "9223372036854775808ns", "3 hrs", "1\u00a0d"}},
    {"hostname",
     {"a", "example.com", "a-", "é.com", "☺.com", "localhost", "a-b.cd", "A.CO",
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.com"},
     {"a.b", "-a", "a_b", "a.b.c1", "1.2",
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a..b", "a.b."}},
    {"uri",
     {"http://a", "/a", "mailto:x", "http://[::1]", "http://a?%zz", "*", "//a", "http://u:p@h",
      "http://u@@h", "x:y", "http://[fe80::1%25a%20b]/", "ftp://a:1:2/", "http://a<b>", "http://é",
      "http:///x", "http:?x", "http:/x", "///x"},
     {"a",
      "http://a b",
      "://x",
      "http://[::1",
      "http://a:x",
      "http://%41",
      "http://a/%zz",
      "http://a#%zz",
      "",
      "http://u[@h",
      "1x:y",
      "http://[fe80::1%a]/",
      "http://[1.2.3.4]/",
      "http://a:1:2/",
      "http://a\\b",
      "http://a^b",
      "http://a`b",
      "http://{a}",
      "http://[a]b/",
      "http://a[b]",
      "http://[::1]x"}},
    {"k8s-short-name",
     {"a", "a-b"},
     {"A", "a.b", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", ""}},
    {"k8s-long-name",
     {"a.b", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
     {"a..b"}},
    {"bsonobjectid", {"0123456789abcdef01234567"}, {"0123456789ABCDEF0123456g", "x"}}};

// net/mail passes over what mime.WordDecoder cannot decode, and refuses only charsets.
TEST_CASE("A name in an unknown charset is refused only where it can be decoded", "[formats]") {
  for (const char* name : {"b?!!!?", "b?eA=?", "q?=4?", "q?x\u00e9?", "x?x?"}) {
    CAPTURE(name);
    CHECK(MatchesFormat("email", "=?big5?" + std::string(name) + "= <a@b>"));
  }
  for (const char* name : {"b?eA==?", "b??", "q?=4f_?", "q??"}) {
    CAPTURE(name);
    CHECK_FALSE(MatchesFormat("email", "=?big5?" + std::string(name) + "= <a@b>"));
  }
}

TEST_CASE("Formats take what Go takes", "[formats]") {
  for (const Row& row : kRows) {
    DYNAMIC_SECTION(row.format) {
      REQUIRE(IsKnownFormat(row.format));
      for (const std::string& text : row.good) {
        CAPTURE(text);
        CHECK(MatchesFormat(row.format, text));
      }
      for (const std::string& text : row.bad) {
        CAPTURE(text);
        CHECK_FALSE(MatchesFormat(row.format, text));
      }
    }
  }
}

TEST_CASE("Dashes in the name of a format do not count", "[formats]") {
  CHECK(IsKnownFormat("datetime"));
  CHECK(IsKnownFormat("d-a-t-e"));
  CHECK_FALSE(MatchesFormat("d-a-t-e", "x"));
}

TEST_CASE("Unknown formats take everything", "[formats]") {
  CHECK_FALSE(IsKnownFormat("bogus"));
  CHECK_FALSE(IsKnownFormat(""));
  CHECK(MatchesFormat("bogus", "x"));
}

TEST_CASE("Long texts of a format are limited", "[formats]") {
  CHECK(MatchesFormat("k8s-short-name", std::string(63, 'x')));
  CHECK_FALSE(MatchesFormat("k8s-short-name", std::string(64, 'x')));
  CHECK(MatchesFormat("k8s-long-name", std::string(253, 'x')));
  CHECK_FALSE(MatchesFormat("k8s-long-name", std::string(254, 'x')));
  CHECK_FALSE(MatchesFormat("hostname", std::string(64, 'x') + ".com"));
}

}  // namespace
}  // namespace kube::schema
