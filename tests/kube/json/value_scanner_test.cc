#include "kube/json/value_scanner.h"

#include <catch2/catch.hpp>
#include <string>

#include "kube/json/json.h"

namespace kube::json {
namespace value_scanner_test {

// Where the value at the start of `text` ends if it arrives in pieces of `size` bytes.
std::size_t EndOf(std::string_view text, std::size_t size) {
  ValueScanner scanner;
  scanner.Start();
  std::size_t end = 0;
  while (end < text.size() && !scanner.done()) end += scanner.Scan(text.substr(end, size));
  return scanner.done() ? end : std::string_view::npos;
}

TEST_CASE("A value ends where its brackets match, whatever the pieces", "[value_scanner]") {
  const std::string filler(100, 'x');
  const std::string value = GENERATE_COPY(
      std::string("{}"), "[]", R"("a\"b")", "12.5", "null", R"({"a":[{"b":"}]"}]})",
      R"({"a":"\\"})", R"({"a":"\\\"]"})", "{\"" + filler + "\":[\"" + filler + "\\\\\"]}",
      "[" + std::string(70, '[') + std::string(70, ']') + "]",
      "\"" + std::string(63, '\\') + "\\" + filler + "\"");
  const auto size = GENERATE(as<std::size_t>(), 1, 2, 3, 63, 64, 65, 100000);
  CAPTURE(value, size);
  CHECK(EndOf(value + ",{\"next\":1}", size) == value.size());
}

// As json::Document has them.
std::size_t CountValues(const Value& value) {
  std::size_t count = 1;
  for (const Value& element : value.elements()) count += CountValues(element);
  for (const Member& member : value.members()) count += 1 + CountValues(member.value);
  return count;
}

TEST_CASE("Values are counted without parsing, and never too few", "[value_scanner]") {
  const auto [text, count] = GENERATE(table<std::string, std::size_t>({
      {"0", 1},
      {"[0,0,0]", 4},
      {R"({"a":1,"b":[]})", 5},
      {R"([{},{},[ ]])", 5},
      {R"("a,b:[{")", 1},
      {R"(["\"[,{:","a\\",0])", 4},
      {"[" + std::string(200, ' ') + "\"" + std::string(100, ',') + "\",1]", 3},
      {std::string(100, '['), 101},
      {"", 1},
      {"\"", 1},
  }));
  CAPTURE(text);
  CHECK(MostValues(text) == count);
  Document document;
  if (!document.Parse(text)) CHECK(CountValues(document.root()) <= count);
}

TEST_CASE("A value that is cut short has no end", "[value_scanner]") {
  const std::string text = GENERATE("{\"a\":[1,2}", "\"abc\\\"", "[[[", "{\"a\":\"}]");
  CHECK(EndOf(text, 7) == std::string_view::npos);
}

}  // namespace value_scanner_test
}  // namespace kube::json
