#include "kube/meta/field_choice.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::meta {
namespace field_choice_test {

std::string PartOf(const std::string& chosen, const PathStep* path) {
  const auto choice = FieldChoice::Parse({chosen});
  if (!choice) return choice.error();
  switch (choice->Of(path)) {
    case FieldChoice::Part::kNone:
      return "none";
    case FieldChoice::Part::kSome:
      return "some";
    case FieldChoice::Part::kAll:
      return "all";
  }
  return "";
}

TEST_CASE("A path chooses itself and what is below it", "[kube][field_choice]") {
  const PathStep spec = PathStep::Field(nullptr, "spec");
  const PathStep ports = PathStep::Field(&spec, "ports");
  const PathStep second = PathStep::Index(&ports, 1);
  const PathStep proto = PathStep::Key(&second, "pro.to");
  CHECK(PartOf("spec", &proto) == "all");
  CHECK(PartOf(".spec.ports[*]['pro.to']", &proto) == "all");
  CHECK(PartOf("spec.ports[0]['pro.to']", &proto) == "all");
  CHECK(PartOf("spec.ports[*].*", &proto) == "all");
  CHECK(PartOf("spec.*[*]", &second) == "all");
  CHECK(PartOf("spec.ports[*].x", &second) == "some");
  CHECK(PartOf("spec.ports[*].x", nullptr) == "some");
  CHECK(PartOf("spec.ports[*].x", &proto) == "none");
  CHECK(PartOf("spec.ports.x", &second) == "none");
  CHECK(PartOf("status", &spec) == "none");
  CHECK(FieldChoice().Of(&proto) == FieldChoice::Part::kAll);
}

TEST_CASE("A path is in an object where the object has something at it", "[kube][field_choice]") {
  json::Document object;
  REQUIRE(!object.Parse(R"({"spec":{"ports":[{"a":1},{"proto":null}],"labels":{"x":{"b":1}}}})"));
  const auto is_in = [&](const std::string& path) {
    return FieldChoice::Parse({path})->IsIn(0, object.root());
  };
  CHECK(is_in(".spec"));
  CHECK(is_in("spec.ports[*].proto"));
  CHECK(is_in("spec.labels.*.b"));
  CHECK_FALSE(is_in("spec.ports.proto"));
  CHECK_FALSE(is_in("spec.ports[*].typo"));
  CHECK_FALSE(is_in("spec.ports[*].a.b"));
  CHECK_FALSE(is_in("status"));
}

TEST_CASE("Names in quotes are read as they are printed", "[kube][field_choice]") {
  for (const std::string name : {"a.b", "it's", "back\\slash", "x]", "*", ""}) {
    std::string path;
    AppendPathName(path, name);
    CAPTURE(path);
    const PathStep step = PathStep::Field(nullptr, name), other = PathStep::Field(nullptr, "other");
    CHECK(PartOf(path, &step) == "all");
    CHECK(PartOf(path, &other) == "none");
  }
}

TEST_CASE("What is no path is told", "[kube][field_choice]") {
  CHECK(PartOf("", nullptr) == R"("" is no path of a field: it names nothing)");
  CHECK(PartOf("spec.", nullptr) == R"("spec." is no path of a field: a name in it is empty)");
  CHECK(PartOf("spec..a", nullptr) == R"("spec..a" is no path of a field: a name in it is empty)");
  CHECK(PartOf("spec[x]", nullptr) ==
        R"("spec[x]" is no path of a field: behind a [ comes a number or * and a ], or 'NAME'])");
  CHECK(PartOf("spec['x", nullptr) ==
        R"("spec['x" is no path of a field: a [' has no '] behind it)");
}

}  // namespace field_choice_test
}  // namespace kube::meta
