#include <catch2/catch.hpp>

#include "migrate/cluster/manifest_reader.h"

namespace migrate::cluster {
namespace {

std::string Typed(const std::string& list, const std::string& item) {
  kube::json::Document list_document, item_document;
  REQUIRE(!list_document.Parse(list));
  REQUIRE(!item_document.Parse(item));
  const auto type = ListTypeOf(list_document.root());
  if (type != nullptr) type->ApplyTo(item_document.root(), item_document.arena());
  return kube::json::Print(item_document.root());
}

TEST_CASE("Items of a typed list are of its kind where they do not say", "[migrate][list_type]") {
  const std::string list = R"({"kind":"WidgetList","apiVersion":"demo.example.com/v1"})";
  CHECK(Typed(list, "{}") == R"({"apiVersion":"demo.example.com/v1","kind":"Widget"})");
  CHECK(Typed(list, R"({"kind":"X","apiVersion":"v2"})") == R"({"apiVersion":"v2","kind":"X"})");
  CHECK(Typed(R"({"kind":"List","apiVersion":"v1"})", "{}") == "{}");
  CHECK(Typed(R"({"apiVersion":"v1"})", "{}") == "{}");
  CHECK(Typed(list, "[]") == "[]");
}

}  // namespace
}  // namespace migrate::cluster
