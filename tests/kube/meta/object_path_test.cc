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

}  // namespace
}  // namespace kube::meta
