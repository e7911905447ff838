#include "kube/go/go_value.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

namespace kube::go {
namespace go_value_test {

bool Same(std::string_view a, std::string_view b) {
  json::Document x, y;
  REQUIRE(!x.Parse(a));
  REQUIRE(!y.Parse(b));
  const bool same = GoDeepEqual(x.root(), y.root());
  CHECK((GoIdentity(x.root()) == GoIdentity(y.root())) == same);
  return same;
}

TEST_CASE("An int64 and a float64 are never equal", "[go_value]") {
  CHECK(Same("1", "1"));
  CHECK(Same("1.0", "1e0"));
  CHECK_FALSE(Same("1", "1.0"));
  CHECK_FALSE(Same(R"({"a":[1]})", R"({"a":[1.0]})"));
  CHECK(Same("9223372036854775808", "9223372036854775808.0"));
}

TEST_CASE("The order of keys does not count, that of elements does", "[go_value]") {
  CHECK(Same(R"({"a":1,"b":[true,null]})", R"({"b":[true,null],"a":1})"));
  CHECK_FALSE(Same("[1,2]", "[2,1]"));
  CHECK_FALSE(Same(R"({"a":null})", "{}"));
  CHECK_FALSE(Same(R"("1")", "1"));
  CHECK_FALSE(Same("[[1],2]", "[[1,2]]"));
}

TEST_CASE("What no int64 holds becomes the smallest one", "[go_value]") {
  CHECK(ToInt64(-1.9) == -1);
  CHECK(ToInt64(1e19) == std::numeric_limits<std::int64_t>::min());
  CHECK(ToInt64(std::numeric_limits<double>::quiet_NaN()) ==
        std::numeric_limits<std::int64_t>::min());
}

}  // namespace go_value_test
}  // namespace kube::go
