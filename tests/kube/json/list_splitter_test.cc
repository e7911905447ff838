#include "kube/json/list_splitter.h"

#include <catch2/catch.hpp>
#include <vector>

namespace kube::json {
namespace list_splitter_test {

class Collector : public ListSplitter::Sink {
 public:
  void OnObject(ListSplitter::Kind kind, std::string_view text, const TextPosition& at) override {
    const char* const names[] = {"item", "list", "object"};
    lines.push_back(std::string(names[static_cast<int>(kind)]) + " " + std::to_string(at.line) +
                    ":" + std::to_string(at.column) + " " + std::string(text));
  }
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

// Pushes `text` in pieces of `size` bytes. An error is the last line.
Lines Split(std::string_view text, std::size_t size) {
  Collector collector;
  ListSplitter splitter(collector);
  std::optional<SplitError> error;
  for (std::size_t i = 0; i < text.size() && !error; i += size) {
    error = splitter.Push(text.substr(i, size));
  }
  if (!error) error = splitter.Finish();
  if (error) {
    collector.lines.push_back("error " + std::to_string(error->position.line) + ":" +
                              std::to_string(error->position.column) + " " + error->message);
  }
  return collector.lines;
}

TEST_CASE("Texts are split alike whatever the pieces are", "[list_splitter]") {
  const auto [text, lines] = GENERATE(table<std::string, Lines>({
      {"", {}},
      {" \n ", {}},
      {R"({"a":1})", {R"(object 1:1 {"a":1})"}},
      {"{\"a\":{\"items\":[1]}}\n {}", {R"(object 1:1 {"a":{"items":[1]}})", "object 2:2 {}"}},
      {R"({"kind":"List","items":[{"a":"]\"}"},{"b":[{}]}],"x":"y"})",
       {R"(item 1:25 {"a":"]\"}"})", R"(item 1:38 {"b":[{}]})",
        R"(list 1:1 {"kind":"List","items":[],"x":"y"})"}},
      {"{\"items\": [\n  {\"a\":\n1} ,\n  7, \"s\", [2]\n]\n}",
       {"item 2:3 {\"a\":\n1}", "item 4:3 7", "item 4:6 \"s\"", "item 4:11 [2]",
        "list 1:1 {\"items\": []\n}"}},
      {R"({"items":null})", {R"(object 1:1 {"items":null})"}},
      {R"({"items":{"items":[1]}})", {R"(object 1:1 {"items":{"items":[1]}})"}},
      {R"({"x":"items","y":[1]})", {R"(object 1:1 {"x":"items","y":[1]})"}},
      {R"([{"a":1}])", {R"(object 1:1 [{"a":1}])"}},
      {"\n<html>", {"error 2:1 invalid character '<' looking for beginning of value"}},
      {R"({"items":[{"a":1},{"b)",
       {R"(item 1:11 {"a":1})", "error 1:22 unexpected end of JSON input"}},
      {R"({"items":[{},,{}]})",
       {"item 1:11 {}", "error 1:14 invalid character ',' looking for beginning of value"}},
      {R"({"items":[{} {}]})",
       {"item 1:11 {}", "error 1:14 invalid character '{' after array element"}},
      {R"({"items":[{},]})",
       {"item 1:11 {}", "error 1:14 invalid character ']' looking for beginning of value"}},
      {R"({"items":[}]})", {"error 1:11 invalid character '}' looking for beginning of value"}},
  }));
  const auto size = GENERATE(as<std::size_t>(), 1, 2, 3, 7, 1000);
  CAPTURE(text, size);
  CHECK(Split(text, size) == lines);
}

TEST_CASE("A value that is too large ends the text", "[list_splitter]") {
  Collector collector;
  ListSplitter splitter(collector);
  REQUIRE(!splitter.Push("{\"items\":[\""));
  const std::string piece(1024 * 1024, 'x');
  std::optional<SplitError> error;
  for (int i = 0; i < 40 && !error; ++i) error = splitter.Push(piece);
  REQUIRE(error);
  CHECK(error->message == "an object of more than 32 MiB is too large");
}

TEST_CASE("Blanks without end are no text, wherever nothing else is kept", "[list_splitter]") {
  const std::string before =
      GENERATE("", "{}", R"({"items":[)", R"({"items":[{})", R"({"a":)", "{");
  CAPTURE(before);
  Collector collector;
  ListSplitter splitter(collector);
  REQUIRE(!splitter.Push(before));
  const std::string piece(1024 * 1024, ' ');
  std::optional<SplitError> error;
  int pieces = 0;
  for (; pieces < 40 && !error; ++pieces) error = splitter.Push(piece);
  REQUIRE(error);
  CHECK(pieces <= 33);
  CHECK_THAT(error->message, Catch::Contains("32 MiB"));
}

TEST_CASE("Blanks between many values are as many as they like", "[list_splitter]") {
  Collector collector;
  ListSplitter splitter(collector);
  const std::string blanks(1024 * 1024, '\n');
  for (int i = 0; i < 40; ++i) REQUIRE(!splitter.Push("{}" + blanks));
}

}  // namespace list_splitter_test
}  // namespace kube::json
