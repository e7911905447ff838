#include "kube/meta/object_path.h"

#include <catch2/catch.hpp>

namespace kube::meta {
namespace {

TEST_CASE("A path prints as field.Path does, and folded for counting", "[schema][object_path]") {
  const PathStep spec = PathStep::Field(nullptr, "spec");
  const PathStep ports = PathStep::Field(&spec, "ports");
  const PathStep first = PathStep::Index(&ports, 3);
  const PathStep key = PathStep::Key(&first, "a.b/c");
  const PathStep leaf = PathStep::Field(&key, "x");
  CHECK(PrintPath(&leaf) == "spec.ports[3][a.b/c].x");
  CHECK(PrintFoldedPath(&leaf) == "spec.ports[*].*.x");
}

TEST_CASE("The root has an empty path, and a map at the root needs no dot",
          "[schema][object_path]") {
  CHECK(PrintPath(nullptr).empty());
  const PathStep key = PathStep::Key(nullptr, "k");
  CHECK(PrintPath(&key) == "[k]");
  CHECK(PrintFoldedPath(&key) == "*");
}

TEST_CASE("A name that would read as several steps, or as another one, is quoted in a folded path",
          "[schema][object_path]") {
  const auto below_spec = [](std::string_view name) {
    const PathStep spec = PathStep::Field(nullptr, "spec");
    const PathStep field = PathStep::Field(&spec, name);
    return PrintFoldedPath(&field);
  };
  CHECK(below_spec("dict1.xml") == "spec['dict1.xml']");
  CHECK(below_spec("a[0]") == "spec['a[0]']");
  CHECK(below_spec("*") == "spec['*']");
  CHECK(below_spec("").ends_with("['']"));
  CHECK(below_spec("x y") == "spec['x y']");
  CHECK(below_spec("a, .b") == "spec['a, .b']");
  CHECK(below_spec("a/b-c_d:e") == "spec.a/b-c_d:e");
  CHECK(below_spec("it's") == R"(spec['it\'s'])");
  CHECK(below_spec(R"(a.\)") == R"(spec['a.\\'])");
  CHECK(below_spec("kube-prune/x_1") == "spec.kube-prune/x_1");
}

TEST_CASE("A path has a dot in front, but before quotes", "[schema][object_path]") {
  CHECK(WithLeadingDot("spec.a") == ".spec.a");
  CHECK(WithLeadingDot("[*].a") == ".[*].a");
  const PathStep field = PathStep::Field(nullptr, "a.b");
  CHECK(WithLeadingDot(PrintFoldedPath(&field)) == "['a.b']");
}

}  // namespace
}  // namespace kube::meta
