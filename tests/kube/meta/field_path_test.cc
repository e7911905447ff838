#include <catch2/catch.hpp>

#include "kube/meta/path_text.h"

namespace kube::meta {
namespace {

TEST_CASE("A path prints its steps from the root", "[schema][field_path]") {
  const FieldPath root("openAPIV3Schema");
  const FieldPath property(root, "properties", "a.b");
  const FieldPath item(property, "anyOf", 0);
  CHECK(FieldPath(item, "type").ToString() == "openAPIV3Schema.properties[a.b].anyOf[0].type");
}

TEST_CASE("An empty base leaves no dot", "[schema][field_path]") {
  const FieldPath root("");
  CHECK(root.ToString().empty());
  CHECK(FieldPath(root, "items").ToString() == "items");
}

}  // namespace
}  // namespace kube::meta
