#include "kube/json/member_cursor.h"

#include <catch2/catch.hpp>

namespace kube::json {
namespace member_cursor_test {

TEST_CASE("A cursor finds members in any order", "[kube][json]") {
  Document document;
  REQUIRE_FALSE(document.Parse(R"({"a":1,"b":2,"c":3})"));
  const Value& object = document.root();
  MemberCursor cursor(object.members());
  for (const std::string key : {"a", "b", "c", "a", "c", "b", "b"}) {
    CAPTURE(key);
    CHECK(cursor.Find(key) == object.Find(key));
  }
  CHECK(cursor.Find("d") == nullptr);
  CHECK(cursor.Find("c") == object.Find("c"));
}

TEST_CASE("A cursor over what has no members finds nothing, and one may change what it finds",
          "[kube][json]") {
  Value none;
  CHECK(MemberCursor(none.members()).Find("a") == nullptr);
  Document document;
  REQUIRE_FALSE(document.Parse(R"({"a":1})"));
  *MemberCursor(document.root().members()).Find("a") = Value::Bool(true);
  CHECK(Print(document.root()) == R"({"a":true})");
}

}  // namespace member_cursor_test
}  // namespace kube::json
