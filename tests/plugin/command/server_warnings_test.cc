#include "plugin/command/server_warnings.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace plugin::command {
namespace server_warnings_test {
namespace {

using Strings = std::vector<std::string>;

struct Heard {
  Strings lines;
  ServerWarnings warnings{[this](const std::string& line) { lines.push_back(line); }};

  void Write(const std::string& name, const std::string& text,
             const std::string& resource = "pumps.example.com") {
    warnings.Take(text, {.resource = resource, .name = name});
  }
  Strings Told() {
    warnings.TellOfObjects();
    return lines;
  }
};

TEST_CASE("What the server warns of beside objects is told as it comes", "[plugin][warnings]") {
  Heard heard;
  const std::size_t before = ServerWarnings::Count();
  heard.warnings.Take("v1beta1 is deprecated", {});
  CHECK(heard.lines == Strings{"Warning: v1beta1 is deprecated"});
  CHECK(ServerWarnings::Count() == before + 1);
  CHECK(heard.Told().size() == 1);
}

TEST_CASE("O6: A warning of many objects is told once, with their number and the first of them",
          "[plugin][warnings]") {
  Heard heard;
  heard.Write("shop/a", "spec.valves[0]: Invalid value: \"object\": low must be below high");
  heard.Write("shop/b", "spec.valves[12]: Invalid value: \"object\": low must be below high");
  heard.Write("shop/b", "spec.valves[3]: Invalid value: \"object\": low must be below high");
  CHECK(heard.lines.empty());
  CHECK(
      heard.Told() ==
      Strings{"Warning: pumps.example.com: spec.valves[0]: Invalid value: \"object\": low must be "
              "below high (2 objects, such as shop/a)"});
  CHECK(heard.Told().size() == 1);
}

TEST_CASE(
    "Warnings of other rules, fields and CRDs have lines of their own, the most frequent "
    "first") {
  Heard heard;
  heard.Write("a", "spec: Invalid value: \"object\": failed rule: self.a == \"x\"");
  heard.Write("b", "spec: Invalid value: \"object\": failed rule: self.a == \"y\"");
  heard.Write("c", "spec: Invalid value: \"object\": failed rule: self.a == \"y\"");
  heard.Write("c", "status: Invalid value: \"object\": failed rule: self.a == \"y\"");
  heard.Write("c", "status: Invalid value: \"object\": failed rule: self.a == \"y\"", "fans.a.com");
  CHECK(heard.Told() ==
        Strings{"Warning: pumps.example.com: spec: Invalid value: \"object\": failed rule: self.a "
                "== \"y\" (2 objects, such as b)",
                "Warning: pumps.example.com: spec: Invalid value: \"object\": failed rule: self.a "
                "== \"x\" (a)",
                "Warning: pumps.example.com: status: Invalid value: \"object\": failed rule: "
                "self.a == \"y\" (c)",
                "Warning: fans.a.com: status: Invalid value: \"object\": failed rule: self.a == "
                "\"y\" (c)"});
}

TEST_CASE("Values, keys and the object's own name make no warning another one") {
  Heard heard;
  heard.Write("shop/a", "spec.mode: Invalid value: \"a \\\" b\": too few valves of shop/a");
  heard.Write("shop/bee", "spec.mode: Invalid value: \"c\": too few valves of shop/bee");
  heard.Write("shop/a", "spec.limits[north]: Invalid value: 7: pump \"a\" is weak");
  heard.Write("shop/bee", "spec.limits[south]: Invalid value: -8.5: pump \"bee\" is weak");
  heard.Write("shop/", "from a server that answers nonsense");
  const Strings told = heard.Told();
  REQUIRE(told.size() == 3);
  CHECK_THAT(told[0], Catch::EndsWith("valves of shop/a (2 objects, such as shop/a)"));
  CHECK_THAT(told[1], Catch::EndsWith("\"a\" is weak (2 objects, such as shop/a)"));
}

TEST_CASE("Rules and fields that differ in a number or in a quoted word are told apart") {
  const auto [one, other] = GENERATE(table<std::string, std::string>(
      {{"spec.ipv4: Invalid value: must be in range", "spec.ipv6: Invalid value: must be in range"},
       {"spec: Invalid value: failed rule: self.port != 80",
        "spec: Invalid value: failed rule: self.port != 443"},
       {"spec: Invalid value: \"minReplicas\" is required",
        "spec: Invalid value: \"maxReplicas\" is required"},
       {"spec: Invalid value: 80", "spec: Invalid value: 443"},
       {"policy [a]: 1 wrong", "policy [b]: 1 wrong"}}));
  Heard heard;
  heard.Write("a", one);
  heard.Write("b", other);
  CHECK(heard.Told().size() == 2);
}

TEST_CASE("What many objects bring does not grow without an end") {
  Heard heard;
  for (int i = 0; i < 100100; ++i) {
    heard.Write(std::to_string(i), "spec: Invalid value: " + std::string(5000, 'x'));
    if (i == 50) i = 50000;
  }
  for (int i = 0; i < 60000; ++i)
    heard.Write(std::to_string(i), "status: Invalid value: too large");
  const Strings told = heard.Told();
  REQUIRE(told.size() == 2);
  CHECK(told[0].size() < 3000);
  CHECK_THAT(told[1], Catch::Contains("at least 49"));
}

TEST_CASE("A server that has another warning for each object is told in twenty lines") {
  Heard heard;
  for (int i = 0; i < 2000; ++i) {
    const std::string word(1 + static_cast<std::size_t>(i), 'x');
    heard.Write("a", "spec: Invalid value: \"object\": " + word);
  }
  const std::size_t before = ServerWarnings::Count();
  const Strings told = heard.Told();
  REQUIRE(told.size() == 21);
  CHECK(told.back() == "Warning: the server has at least 980 more warnings of objects");
  CHECK(ServerWarnings::Count() == before + 21);
}

}  // namespace
}  // namespace server_warnings_test
}  // namespace plugin::command
