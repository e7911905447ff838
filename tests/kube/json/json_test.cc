#include "kube/json/json.h"

#include <catch2/catch.hpp>

namespace kube::json {
namespace json_test {

std::string Reprint(std::string_view text) {
  Document document;
  const auto error = document.Parse(text);
  if (error) return "error at " + std::to_string(error->offset) + ": " + error->message;
  return Print(document.root(), KeyOrder::kAsWritten);
}

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST_CASE("Numbers keep their text", "[json]") {
  CHECK(Reprint("[1.0, -0, 1e3, 12345678901234567890123, 0.10]") ==
        "[1.0,-0,1e3,12345678901234567890123,0.10]");
}

TEST_CASE("The last of equal keys wins, as in Go", "[json]") {
  CHECK(Reprint(R"({"a":1,"b":2,"a":3})") == R"({"a":3,"b":2})");
  std::string many = "{";
  for (int i = 0; i < 200; ++i)
    many += "\"k" + std::to_string(i % 100) + "\":" + std::to_string(i) + ",";
  many.back() = '}';
  Document document;
  REQUIRE(!document.Parse(many));
  CHECK(document.root().size() == 100);
  CHECK(document.root().Find("k7")->text() == "107");
}

TEST_CASE("Bytes that are not UTF-8 become U+FFFD one by one", "[json]") {
  CHECK(Reprint("\"a\xff\xc3(\xed\xa0\x80\"") ==
        "\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST_CASE("Lone surrogates become U+FFFD, pairs stay", "[json]") {
  CHECK(Reprint(R"(["\ud800", "\udc00x", "\ud83d\ude00", "\ud800\ud83d\ude00", "\\ud800"])") ==
        "[\"\xEF\xBF\xBD\",\"\xEF\xBF\xBDx\",\"\xF0\x9F\x98\x80\",\"\xEF\xBF\xBD\xF0\x9F\x98\x80\","
        "\"\\\\ud800\"]");
}

TEST_CASE("A lone second half of a pair is fixed too", "[json]") {
  CHECK(Reprint(R"("\udfff")") == "\"\xEF\xBF\xBD\"");
  CHECK(Reprint(R"("\\udfff")") == R"("\\udfff")");
}

TEST_CASE("Numbers beyond a float64 are refused in Go's words", "[json]") {
  CHECK(Reprint("[1e400]") ==
        "error at 1: json: cannot unmarshal number 1e400 into Go value of type float64");
  CHECK(Reprint("[0e400, 1e-400]").substr(0, 5) != "error");
  CHECK(Reprint(R"(["\ud800", 0e999, 1e999])").find("1e999") != std::string::npos);
  CHECK(Reprint(R"(["\udc00", 1e20, 0e400])") == "[\"\xEF\xBF\xBD\",1e20,0]");
}

TEST_CASE("For a text that no program writes memory is asked for", "[json]") {
  const auto [text, asks] = GENERATE(table<std::string, bool>({
      {R"({"a":[1,2.5e10,"\u003c"]})", false},
      {"\"\xC3\xA4\"", false},
      {"\"\xff\"", true},
      {R"("\ud83d\ude00")", true},
      {"[0e400]", true},
  }));
  Document document;
  std::size_t asked = 0;
  CHECK_FALSE(document.Parse(text, [&asked](std::size_t bytes) { return asked = bytes, true; }));
  CHECK((asked > 0) == asks);
  CHECK(document.Parse(text, [](std::size_t) { return false; }).has_value() == asks);
}

TEST_CASE("The size of what is printed is known before", "[json]") {
  const std::string text =
      GENERATE(R"({"b":[1,true,null,"<\u0001\n\u2028"],"a":{}})", "[]", "\"\xC3\xA4\x7f\"", "-0.5");
  Document document;
  REQUIRE_FALSE(document.Parse(text));
  CHECK(PrintedSize(document.root()) == Print(document.root()).size());
}

TEST_CASE("Objects of very many keys are compared in a moment, in whatever order", "[json]") {
  constexpr int kKeys = 200'000;
  std::string up = "{", down = "{";
  for (int i = 0; i < kKeys; ++i) {
    up += "\"" + std::to_string(i) + "\":0,";
    down += "\"" + std::to_string(kKeys - 1 - i) + "\":0,";
  }
  const std::string last = GENERATE("0", "1");
  Document a, b;
  REQUIRE_FALSE(a.Parse(up + "\"last\":0}"));
  REQUIRE_FALSE(b.Parse(down + "\"last\":" + last + "}"));
  CHECK(Equal(a.root(), b.root()) == (last == "0"));
}

TEST_CASE("Nesting is taken up to 10000 levels and refused beyond", "[json]") {
  Document document;
  CHECK(!document.Parse(Nested(kMaxDepth)));
  const auto error = document.Parse(Nested(kMaxDepth + 1));
  REQUIRE(error);
  CHECK(error->message == "exceeded max depth");
  CHECK(document.root().is_null());
  CHECK(document.Parse(std::string(1000000, '[')));
}

TEST_CASE("What is no JSON is refused with the place", "[json]") {
  const auto [text, offset] = GENERATE(table<std::string, std::size_t>({
      {"", 0},
      {"{", 1},
      {"{\"a\" 1}", 5},
      {"[1,]", 3},
      {"[01]", 2},
      {"nul", 3},
      {"{} x", 3},
      {"\"\x01\"", 1},
      {"<html>", 0},
      {"[1] [2]", 4},
      {std::string("[1]\0", 4), 3},
  }));
  CAPTURE(text);
  Document document;
  const auto error = document.Parse(text);
  REQUIRE(error);
  CHECK(error->offset == offset);
  CHECK(!error->message.empty());
}

TEST_CASE("An error is never behind the end of the text", "[json]") {
  // U+FFFD in the place of each bad byte makes the text longer.
  const std::string text =
      GENERATE(as<std::string>(), "{\"1]\xFF,\xA2\"]}", "\"\xFF\xFF\xFF", "\xFF");
  Document document;
  const auto error = document.Parse(text);
  REQUIRE(error);
  CHECK(error->offset <= text.size());
}

TEST_CASE("A document can be used again after an error", "[json]") {
  Document document;
  CHECK(document.Parse("{\"a\":"));
  CHECK(!document.Parse("{\"a\":[true,false,null]}"));
  CHECK(Print(document.root()) == "{\"a\":[true,false,null]}");
}

TEST_CASE("Printing follows encoding/json", "[json]") {
  Document document;
  REQUIRE(!document.Parse(R"({"b":"<>&\u2028\u0001\b\f\n\u007f","a":[],"c":{}})"));
  CHECK(Print(document.root()) ==
        "{\"a\":[],\"b\":\"\\u003c\\u003e\\u0026\\u2028\\u0001\\b\\f\\n\x7F\",\"c\":{}}");
  CHECK(PrintIndented(document.root()) ==
        "{\n    \"a\": [],\n    \"b\": \"\\u003c\\u003e\\u0026\\u2028\\u0001\\b\\f\\n\x7F\",\n    "
        "\"c\": "
        "{}\n}");
}

TEST_CASE("Numbers are stored as int64 or as a Go float64", "[json]") {
  const auto [text, stored] = GENERATE(table<std::string, std::string>({
      {"1.0", "1"},
      {"1e3", "1000"},
      {"-0", "0"},
      {"-0.0", "-0"},
      {"12345678901234567890123", "1.2345678901234568e+22"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854776000"},
      {"-9223372036854775809", "-9223372036854776000"},
      {"0.0000001", "1e-7"},
      {"0.000001", "0.000001"},
      {"1e21", "1e+21"},
      {"1e-400", "0"},
      {"5e-324", "5e-324"},
  }));
  CAPTURE(text);
  const auto result = StoredNumber(text);
  REQUIRE(result);
  CHECK(*result == stored);
}

TEST_CASE("Values compare by value, not by text", "[json]") {
  const auto [a, b, equal] = GENERATE(table<std::string, std::string, bool>({
      {"1", "1.0", true},
      {"100", "1e2", true},
      {"0", "-0.0e7", true},
      {"1", "2", false},
      {"9007199254740993", "9007199254740992", false},
      {"[1]", "[1,1]", false},
      {R"({"a":1,"b":[{}]})", R"({"b":[{}],"a":1.00})", true},
      {R"({"a":1})", R"({"b":1})", false},
      {"\"1\"", "1", false},
      {"null", "false", false},
  }));
  CAPTURE(a, b);
  Document first, second;
  REQUIRE(!first.Parse(a));
  REQUIRE(!second.Parse(b));
  CHECK(Equal(first.root(), second.root()) == equal);
}

TEST_CASE("Objects and arrays grow and shrink", "[json]") {
  Document document;
  REQUIRE(!document.Parse(R"({"a":1,"l":[1]})"));
  Value& root = document.root();
  for (int i = 0; i < 40; ++i) {
    root.Set(document.arena().Copy("k" + std::to_string(i)), Value::Bool(true), document.arena());
    root.Find("l")->Append(Value::Number(i, document.arena()), document.arena());
  }
  root.Set("a", Value(), document.arena());
  CHECK(root.size() == 42);
  CHECK(root.Find("l")->size() == 41);
  CHECK(root.Find("l")->elements()[40].text() == "39");
  CHECK(root.Find("a")->is_null());
  CHECK(root.Erase("k0"));
  CHECK(!root.Erase("k0"));
  CHECK(root.size() == 41);
  CHECK(root.Find("k39")->AsBool());
}

TEST_CASE("A path of keys leads to null where one is missing", "[json]") {
  Document document;
  REQUIRE(!document.Parse(R"({"a":{"b":[true],"c":"d"},"n":1})"));
  const Value& root = document.root();
  CHECK(root.At("a").At("b").elements()[0].is_true());
  CHECK(root.At("a").At("c").text() == "d");
  CHECK_FALSE(root.At("a").At("c").is_true());
  for (const char* key : {"x", "n"}) CHECK(root.At(key).At("b").is_null());
}

TEST_CASE("Members are sorted by the bytes of their keys", "[json]") {
  Document document;
  REQUIRE(!document.Parse(R"({"b":1,"\u00e9":2,"a10":3,"a2":4,"B":5,"":6})"));
  std::string keys;
  for (const Member* member : SortedMembers(document.root()))
    keys.append(member->key.text()).append("|");
  CHECK(keys == "|B|a10|a2|b|\xC3\xA9|");
  CHECK(SortedMembers(Value::Object()).empty());
}

TEST_CASE("A deep copy outlives its source", "[json]") {
  Arena arena;
  Value copy;
  {
    Document document;
    REQUIRE(!document.Parse(R"({"a":[1,"x",{"b":null}]})"));
    copy = DeepCopy(document.root(), arena);
  }
  CHECK(Print(copy) == R"({"a":[1,"x",{"b":null}]})");
}

}  // namespace json_test
}  // namespace kube::json
