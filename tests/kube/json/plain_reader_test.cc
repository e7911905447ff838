#include "kube/json/plain_reader.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace kube::json {
namespace plain_reader_test {

/// The value as it is printed, or "absent".
std::string Read(const std::string& text) {
  Arena arena;
  std::vector<Value> stack;
  std::string buffer = text + std::string(PlainReader::kPadding, '\0');
  const auto value = PlainReader(arena, stack).Read(buffer.data(), text.size());
  return value ? Print(*value, KeyOrder::kAsWritten) : "absent";
}

TEST_CASE("What is plainly written is read", "[json]") {
  const auto [text, printed] = GENERATE(table<std::string, std::string>({
      {"{}", "{}"},
      {" [ ] ", "[]"},
      {R"({"a":{"b":[1,"x",true,false,null]},"c":""})",
       R"({"a":{"b":[1,"x",true,false,null]},"c":""})"},
      {"\r\n\t{ \"a\" : 1 ,\n \"b\" : [ 2 , 3 ] }\n", R"({"a":1,"b":[2,3]})"},
      {"[0,-1,1.50,1e3,1E-7,-0.0]", "[0,-1,1.50,1e3,1E-7,-0.0]"},
      {R"({"a":1,"b":2,"a":3})", R"({"a":3,"b":2})"},
      {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\b\f\n\r\t")"},
      {R"(["\u0041\u00e9\u20AC\u0000", "x\\", "\\\\\"y"])",
       "[\"A\xC3\xA9\xE2\x82\xAC\\u0000\",\"x\\\\\",\"\\\\\\\\\\\"y\"]"},
  }));
  CAPTURE(text);
  CHECK(Read(text) == printed);
}

TEST_CASE("What is no JSON, or not plain, is left to another reader", "[json]") {
  const auto text = GENERATE(values<std::string>({
      "",
      "{",
      "[1,]",
      "{\"a\":1,}",
      "{,}",
      "[1 2]",
      "{\"a\" 1}",
      "{1:2}",
      "01",
      "-",
      "1.",
      "1e",
      ".5",
      "+1",
      "nul",
      "truefalse",
      "1 2",
      "\"a",
      "\"a\nb\"",
      "\"\\x\"",
      "\"\\u12g4\"",
      "\"\\",
      "\\\"a\"",
      "[\"a\\\"]",
      R"("\ud83d\ude00")",
      "1e400",
  }));
  CAPTURE(text);
  CHECK(Read(text) == "absent");
}

TEST_CASE("Strings end where they end, wherever the text is cut into blocks", "[json]") {
  for (std::size_t size = 0; size < 2200; ++size) {
    const std::string plain(size, 'x');
    const std::string text = "[\"" + plain + "\",\"\\\\" + plain + "\\\"\",\"\"]";
    CHECK(Read(text) == text);
    CHECK(Read("\"" + plain + "\x1F\"") == "absent");
    CHECK(Read("\"" + plain) == "absent");
    CHECK(Read("\"" + plain + "\\") == "absent");
  }
}

TEST_CASE("Many quotes in a block are all seen", "[json]") {
  std::string text = "[\"\"";
  for (int i = 0; i < 1000; ++i) text += ",\"\"";
  text += "]";
  CHECK(Read(text) == text);
}

TEST_CASE("Deep nesting is left to another reader", "[json]") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(Read(nested(500)) == nested(500));
  CHECK(Read(nested(501)) == "absent");
}

TEST_CASE("A document tells whether it may hold a null", "[kube][json][plain_reader]") {
  Document document;
  CHECK(document.may_hold_nulls());
  REQUIRE_FALSE(document.Parse(R"({"a":[1,{"b":"null"}],"null":true})"));
  CHECK_FALSE(document.may_hold_nulls());
  REQUIRE_FALSE(document.Parse(R"({"a":[1,{"b":null}]})"));
  CHECK(document.may_hold_nulls());
  REQUIRE_FALSE(document.Parse("[1]"));
  CHECK_FALSE(document.may_hold_nulls());
  document.Reset();
  CHECK(document.root().is_null());
  CHECK(document.may_hold_nulls());
  REQUIRE(document.Parse("[1"));
  CHECK(document.may_hold_nulls());
}

}  // namespace plain_reader_test
}  // namespace kube::json
